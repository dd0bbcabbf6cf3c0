"""Signing in: what the provider's word is worth and for how long, by itself, and through a real provider in a real browser."""

import contextlib
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from browsing import FLAGS, PATIENCE, answered, free_port
from playwright.sync_api import Browser, Page, expect, sync_playwright
from provider import CLIENT, SECRET, Provider, provided

from dashboards import identity
from dashboards.queries import casework
from detectors.published import Reader
from ingest import cases
from ingest.log import Log

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ANA = {"sub": "7", "email": "ana@casino.example", "name": "Ana Ruiz", "groups": ["surveillance"]}


def claims(**more: object) -> dict[str, object]:
    return {**ANA, "is_logged_in": True, "exp": (NOW + timedelta(minutes=1)).timestamp(), **more}


# What the provider's word is worth


def test_a_signed_in_user_is_verified_until_the_very_second_the_sign_in_ends():
    ends = NOW + timedelta(minutes=1)
    assert identity.signed_in(claims(), {}, ends - timedelta(seconds=1)).verified
    after = identity.signed_in(claims(), {}, ends)
    assert (after.name, after.verified) == ("", False)
    assert "ended at 2026-03-01 12:01:00 UTC" in after.because


@pytest.mark.parametrize("exp", [None, "tomorrow", True])
def test_a_word_that_never_ends_is_not_taken(exp):
    assert not identity.signed_in(claims(exp=exp), {}, NOW).verified


def test_who_is_not_signed_in_is_nobody():
    assert identity.signed_in({"is_logged_in": False}, {}, NOW) == identity.NOBODY
    assert identity.signed_in({}, {}, NOW) == identity.NOBODY


def test_an_address_that_was_never_proven_names_nobody():
    who = identity.signed_in(claims(email_verified=False, preferred_username="ana"), {}, NOW)
    assert who.name == "ana"
    assert "ana@casino.example" not in who.also


def test_without_a_table_of_permissions_everybody_who_is_signed_in_may_do_all_of_it():
    assert identity.signed_in(claims(), {}, NOW).may == {"act", "close"}


@pytest.mark.parametrize(
    ("may", "expected"),
    [
        ({"act": ["surveillance"], "close": ["directors"]}, {"act"}),
        ({"act": "surveillance", "close": "ana@casino.example"}, {"act", "close"}),
        ({"close": ["Ana Ruiz"]}, set()),
        ({}, set()),
    ],
)
def test_permissions_go_by_address_or_group_and_never_by_a_name_one_chose_oneself(may, expected):
    assert identity.signed_in(claims(), {"may": may}, NOW).may == expected


def test_providers_are_offered_by_their_names():
    assert identity.providers({"client_id": "x", "redirect_uri": "y"}) == [None]
    assert identity.providers({"redirect_uri": "y", "google": {"client_id": "x"}}) == ["google"]


def test_whoever_is_called_otherwise_by_the_tables_cannot_close_what_is_about_himself(faulty, tmp_path):
    data = shutil.copytree(faulty, tmp_path / "data")
    found = a_finding(data)
    who = identity.signed_in(claims(), {"badges": {ANA["email"]: found["dealer"]}}, NOW)
    with pytest.raises(casework.Refused, match="subject"):
        casework.act(
            data, found, "finding_closed", who.name, NOW, verified=True, also=who.also, disposition="no action"
        )


@pytest.mark.parametrize(
    ("act", "may"), [("finding_closed", "act"), ("finding_reopened", "act"), ("finding_noted", "close")]
)
def test_what_is_not_permitted_is_not_kept(faulty, tmp_path, act, may):
    data = shutil.copytree(faulty, tmp_path / "data")
    with pytest.raises(casework.Refused, match="not permitted"):
        casework.act(data, a_finding(data), act, "Ana", NOW, may={may}, disposition="no action", note="x")
    with Log.open(data) as log:
        assert cases.read(log).is_empty()


def a_finding(data: Path) -> dict[str, object]:
    with Reader.open(data) as reader:
        every = casework.queue(reader, casework.Filter())
    return next(row for row in every.iter_rows(named=True) if row["dealer"] and row["round"])


# Through a real provider, in a real browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        yield chromium
        chromium.close()


@contextlib.contextmanager
def served(folder: Path, data: Path, provider: Provider, rules: str) -> Iterator[str]:
    """The pages, started where a secrets file lies, as somebody would who has a provider."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    (folder / ".streamlit").mkdir()
    (folder / ".streamlit" / "secrets.toml").write_text(
        f"""
        [auth]
        redirect_uri = "{address}/oauth2callback"
        cookie_secret = "a long secret that signs the cookies of this test"
        client_id = "{CLIENT}"
        client_secret = "{SECRET}"
        server_metadata_url = "{provider.address}/.well-known/openid-configuration"
        {rules}
        """
    )
    run = [sys.executable, "-m", "catwalk.command", "dashboard", "--data", str(data), "--port", str(port)]
    pages = subprocess.Popen(run, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        answered(f"{address}/_stcore/health")
        yield address
    finally:
        pages.send_signal(signal.SIGTERM)
        pages.wait(timeout=60)


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    page.goto(address)
    return page


def test_a_user_of_a_real_provider_acts_as_verified_until_the_sign_in_ends(faulty, tmp_path, browser):
    data = shutil.copytree(faulty, tmp_path / "data")
    found = a_finding(data)
    rules = '[desk.may]\nact = ["surveillance"]\nclose = ["directors"]\n'
    with provided(dict(ANA)) as provider, served(tmp_path, data, provider, rules) as address:
        finding = f"{address}/findings?finding={found['id']}&period=all"
        page = opened(browser, finding)
        sign_in = page.get_by_role("button", name="Sign in")
        expect(page.get_by_placeholder("your name or badge")).to_have_count(0)

        provider.forged = True
        sign_in.click()
        expect(page.locator(".tile").first).to_be_visible()
        page.goto(finding)
        expect(sign_in).to_be_visible()
        assert page.get_by_text("Signed in as").count() == 0

        provider.forged = False
        sign_in.click()
        expect(page.locator(".tile").first).to_be_visible()
        page.goto(finding)
        expect(page.get_by_text("Signed in as ana@casino.example")).to_be_visible()
        page.get_by_role("button", name="Acknowledge", exact=True).click()
        expect(page.get_by_text("ana@casino.example acknowledged it")).to_be_visible()
        page.get_by_role("tab", name="Close").click()
        page.get_by_role("button", name="Close the finding").click()
        expect(page.get_by_text("ana@casino.example is not permitted that.")).to_be_visible()
        with Log.open(data) as log:
            assert cases.read(log).select("act", "who", "verified").rows() == [
                ("finding_acknowledged", "ana@casino.example", True)
            ]

        page.get_by_role("button", name="Sign out").click()
        expect(page.locator(".tile").first).to_be_visible()
        assert provider.signed_out == 1

        provider.seconds = 12
        page.goto(finding)
        sign_in.click()
        expect(page.locator(".tile").first).to_be_visible()
        page.goto(finding)
        expect(page.get_by_text("Your sign-in ended at")).to_be_visible()
        expect(page.get_by_role("tab", name="Note")).to_have_count(0)
        page.reload()  # the cookie is good for 30 days; the provider's word is not
        expect(page.get_by_text("Your sign-in ended at")).to_be_visible()
        expect(sign_in).to_be_visible()
        page.context.close()
