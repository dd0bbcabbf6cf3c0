"""What every page stands on: the data folder, the snapshot it reads, who sits at the desk, and the ways between pages."""

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlencode

import duckdb
import streamlit as st
from streamlit.navigation.page import Page

from dashboards import identity, queries
from dashboards.identity import Person
from dashboards.queries.coverage import Freshness, Seen, seen
from dashboards.queries.health import has_log
from detectors.published import Reader

REFRESH_SECONDS: Final = 2
DOLLARS: Final = {
    name: st.column_config.NumberColumn(name, format="dollar")
    for name in ("stake", "handle", "lost by house", "kept wrongly", *queries.MONEY)
}
BADGES: Final[dict[str, Literal["red", "orange"]]] = {"critical": "red", "major": "orange"}
MOMENT: Final = st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss", timezone="UTC")
# The pages by the name in their address; the frame puts them here before it runs one.
PAGES: Final[dict[str, Page]] = {}


def data_folder() -> Path:
    return Path(os.environ.get("CATWALK_DATA", "catwalk-data"))


def now() -> datetime:
    return datetime.now(UTC)


@st.cache_resource(max_entries=3, show_spinner=False)
def _reader(data: Path, snapshot: queries.Snapshot) -> Reader:  # noqa: ARG001 - kept by the snapshot it reads
    return Reader.open(data)


def reader() -> Reader | None:
    """What is published now; None, and the page says what to do, if nothing is or it cannot be read."""
    data = data_folder()
    snapshot = queries.snapshot(data)
    if snapshot is None:
        _nothing_published(data)
        return None
    if not has_log(data):
        st.error("The log of this store is gone: without it nothing here can be checked.", icon=":material/error:")
        st.code(str(data))
        return None
    try:
        return _reader(data, snapshot)
    except duckdb.Error as error:
        st.error(
            "What was published cannot be read. `catwalk run` derives it again from the log.", icon=":material/error:"
        )
        st.code(str(error).partition("\n")[0])
        return None


@st.cache_data(ttl=60, max_entries=8, show_spinner=False)
def _choices(data: Path, _reader: Reader) -> Seen:  # noqa: ARG001 - kept by the folder
    """A year of files need not be opened for every look."""
    return seen(_reader)


def choices(reader: Reader) -> Seen:
    """What there is to choose from, at most a minute old."""
    found = _choices(data_folder(), reader)
    if found.days is None:  # before the first round every look is a new one
        _choices.clear()
    return found


def snapshot() -> queries.Snapshot | None:
    return queries.snapshot(data_folder())


def _nothing_published(data: Path) -> None:
    st.info("Nothing was audited yet. Put events into the log and start the pipeline; this page will fill by itself.")
    st.code(f"catwalk ingest FILE --data {data}\ncatwalk run --data {data}", language="shell")
    _wait_for_the_first(data)


@st.fragment(run_every=REFRESH_SECONDS)
def _wait_for_the_first(data: Path) -> None:
    if queries.snapshot(data) is not None:
        st.rerun()


def freshness(fresh: Freshness) -> None:
    """Says it loudly where the audit stands still: what follows is then not the whole of it."""
    # A place of its own, so that what follows stays where it is when this comes and goes.
    with st.container():
        if fresh.stands_still(now()):
            st.warning(
                f"{fresh.waiting:,} events in the log are not audited yet, and the pipeline does not seem to run: "
                "`catwalk run`.",
                icon=":material/hourglass_top:",
            )


# Who is at the desk


def person() -> Person:
    """The signed-in user where an identity provider is configured, else the name given at the desk. Asked anew for every act:
    a sign-in may have ended since the page was drawn."""
    if not _settings("auth"):
        return identity.named(str(st.session_state.get("desk_name", "")))
    return identity.signed_in(st.user.to_dict(), _settings("desk"), now())


def sign_in() -> Person:
    """Who acts on findings from here. Without an identity provider it is the name given, and marked as that."""
    auth = _settings("auth")
    if not auth:
        st.text_input(
            "Who is at this desk?",
            key="desk_name",
            max_chars=64,
            persist_state="session",
            placeholder="your name or badge",
            help="Kept with everything you do about a finding, and marked as unverified: no identity provider is configured.",
        )
        return person()
    who = person()
    if who.verified:
        words, way = st.columns([3, 1], vertical_alignment="center")
        words.text(f"Signed in as {who.name}")
        way.button("Sign out", on_click=st.logout)
        return who
    if who.because:
        st.text(who.because)
    for provider in identity.providers(auth):
        st.button(
            f"Sign in with {provider}" if provider else "Sign in",
            key=f"sign-in-{provider}",
            on_click=st.login,
            args=(provider,),
            icon=":material/login:",
        )
    return who


def _settings(table: str) -> Mapping[str, object]:
    """A table of Streamlit's secrets; none, if there are no secrets."""
    try:
        found: Mapping[str, object] = st.secrets.get(table, {})
    except FileNotFoundError:
        return {}
    return found


# Tables


def tall(rows: int, most: int) -> int | Literal["content"]:
    """A table without empty rows; beyond the most that a page has room for it scrolls."""
    return "content" if rows <= most else 38 + 35 * most


# Ways between pages


def go(page: str, **to: object) -> None:
    st.switch_page(PAGES[page], query_params={name: str(value) for name, value in to.items() if value is not None})


def link(page: str, label: str, icon: str | None = None, **to: object) -> None:
    asked = {name: str(value) for name, value in to.items() if value is not None}
    st.page_link(PAGES[page], label=label, icon=icon, query_params=asked)


def address(page: str, to: Mapping[str, object]) -> str:
    """A page's address within the pages, for what is drawn in the browser."""
    return f"{page}?{urlencode({name: value for name, value in to.items() if value is not None}, doseq=True)}"


def asked(name: str) -> str | None:
    """A part of the address; the same address gives the same view."""
    value: str | None = st.query_params.get(name)
    return value


def keep(**parts: object) -> None:
    """Puts what is shown into the address; None takes a part out. Untouched parts stay."""
    for name, value in parts.items():
        if value is None:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != str(value):
            st.query_params[name] = str(value)
