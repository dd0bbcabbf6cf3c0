"""Every page of `incidents/` is a case: what happened, in words and in events, and all that the audit has to say of it.

A page is Markdown: a title, a sentence or three, an `events` block in the notation, and a `findings` block with one line for
each finding, in the order they are told:

    PAY01 seat 3 pair_plus: owed 30.00, paid 200.00, amount 170.00 (19:47-20.11(a)2)

That is the code; the severity where it is not the code's own; `round` where the page has more than one; `seat`, `hand` (other
than 1) and the wager; after the colon `owed`, `paid` and `amount` in dollars, an amount of nothing left out; and the clause. What
is null is left out. Figures are worked by hand from the law, never copied from what the audit said. A page `CLEAN-…` has nothing
to tell. What takes many rounds to show has an `again` block before its events, `rounds 1 to 3, 20 times`: they are dealt over and
over under ever higher numbers.
"""

import re
from collections.abc import Iterator
from difflib import unified_diff
from functools import cache
from pathlib import Path

import msgspec
import polars as pl
import pytest

from detectors.audit import audit, audits
from detectors.catalogue import BY_CODE
from detectors.manual import SEVERITIES
from ingest import frame, notation
from replay import facts

PAGES = {page.stem: page for page in sorted(Path(__file__).parent.joinpath("incidents").glob("*.md"))}
TABLES = {name: f"page-{place}" for place, name in enumerate(PAGES)}
A_PAGE = re.compile(
    r"# [^\n]+\n\n.+?\n\n(```again\nrounds 1 to (?P<rounds>\d+), (?P<times>\d+) times\n```\n\n)?"
    r"```events\n(?P<events>.*?)```\n\n```findings\n(?P<findings>.*?)```\n",
    re.DOTALL,
)
A_NUMBER = re.compile(r"^round (\d+) (?=started|ended)", re.MULTILINE)


@cache
def parts(name: str) -> dict[str, str]:
    page = A_PAGE.fullmatch(PAGES[name].read_text("utf-8"))
    assert page, f"{name}.md is not a title, prose, an events block and a findings block"
    found = page.groupdict()
    if found["times"]:
        found["events"] = over_and_over(found["events"], int(found["rounds"]), int(found["times"]))
    return found


def over_and_over(events: str, rounds: int, times: int) -> str:
    """The page's rounds, and all that follows the first of them, dealt again and again under ever higher numbers."""
    start = A_NUMBER.search(events)
    assert start, "there is no round to deal again"
    opening, dealt = events[: start.start()], events[start.start() :]

    def renumbered(turn: int) -> str:
        return A_NUMBER.sub(lambda number: f"round {int(number[1]) + turn * rounds} ", dealt)

    return opening + "".join(map(renumbered, range(times)))


@cache
def floor() -> pl.DataFrame:
    """All pages side by side: each is a table of its own, named by its place in the folder."""
    return pl.concat(
        frame.from_events(
            msgspec.structs.replace(event, table=table) for event in notation.read_log(parts(name)["events"])
        )
        for name, table in TABLES.items()
    )


@cache
def every_finding() -> pl.DataFrame:
    return audit(facts.none(), floor(), final=True).findings


def events(name: str) -> pl.DataFrame:
    return floor().filter(table=TABLES[name])


def findings(name: str) -> pl.DataFrame:
    return every_finding().filter(table=TABLES[name])


def lines(found: pl.DataFrame, rounds: int) -> Iterator[str]:
    for row in found.iter_rows(named=True):
        place = [
            row["severity"] if row["severity"] != BY_CODE[row["code"]].severity else "",
            f"round {row['round']}" if rounds > 1 and row["round"] else "",
            f"seat {row['seat']}" if row["seat"] else "",
            f"hand {row['hand']}" if row["hand"] not in (None, 1) else "",
            row["wager"] or "",
        ]
        money = [
            f"{name} {notation.money(row[name])}"
            for name in ("owed", "paid", "amount")
            if row[name] is not None and (name != "amount" or row[name])
        ]
        yield (
            " ".join(each for each in (row["code"], *place) if each)
            + (": " + ", ".join(money) if money else "")
            + (f" ({row['clause']})" if row["clause"] else "")
        )


@pytest.mark.parametrize("name", PAGES)
def test_the_audit_says_what_the_page_says_and_nothing_else(name: str) -> None:
    expected = parts(name)["findings"].splitlines()
    told = list(lines(findings(name), events(name)["round"].drop_nulls().n_unique()))
    if told != expected:
        messages = "\n".join(findings(name)["message"].to_list())
        diff = "\n".join(unified_diff(expected, told, f"{name}.md says", "the audit says", lineterm="", n=99))
        pytest.fail(f"\n{diff}\n\n{messages}", pytrace=False)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_named_for_the_code_it_tells(name: str) -> None:
    code = name.partition("-")[0]
    told = re.findall(r"^[A-Z]+\d\d", parts(name)["findings"], re.MULTILINE)
    assert (code == "CLEAN" and not told) or code in told


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("CLEAN")])
def test_a_finding_points_at_events_that_were_seen_and_a_clause_in_its_manual(name: str) -> None:
    seen = set(events(name)["seq"])
    assigned = events(name).filter(pl.col("type") == "dealer_assigned")["seq"].min() or 0
    for finding in findings(name).iter_rows(named=True):
        detector = BY_CODE[finding["code"]]
        assert set(finding["seqs"]) <= seen
        assert finding["at"] is not None
        # A table may be opened wrongly before anybody deals at it.
        assert finding["dealer"] == ("D07" if finding["seqs"][-1] > assigned else None)
        assert finding["message"].endswith(".")
        if finding["clause"] is not None:
            assert finding["clause"].startswith(detector.clauses)
        assert finding["name"] == detector.name
        # A detector may lower its severity, and the page says so; it never raises it.
        ranks = list(SEVERITIES)
        assert ranks.index(finding["severity"]) >= ranks.index(detector.severity)


@pytest.mark.parametrize("name", ["PAY01-straight-paid-as-straight-flush", "FEED01-gap-between-two-rounds"])
def test_a_page_alone_tells_what_it_tells_beside_the_others(name: str) -> None:
    assert audit(facts.none(), events(name), final=True).findings.to_dicts() == findings(name).to_dicts()


place, size = pl.col("seq").rank("dense").over("table"), pl.col("seq").n_unique().over("table")


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param((place - 1) * 3 // size, id="in three"),
        pytest.param((place - 1).clip(upper_bound=75).cast(pl.Int64), id="event by event"),
        pytest.param((place.cast(pl.Int64) // 7).clip(upper_bound=12), id="by sevens"),
    ],
)
def test_pages_cut_up_tell_the_same(piece: pl.Expr) -> None:
    cut = floor().with_columns(piece=piece)
    pieces = [
        each.drop("piece") for each in cut.sort("piece", maintain_order=True).partition_by("piece", maintain_order=True)
    ]
    in_pieces = pl.concat(audited.findings for audited in audits(pieces)).sort("table", "at", "code", "id")
    assert in_pieces.to_dicts() == every_finding().to_dicts()


def test_no_two_findings_have_one_id() -> None:
    assert every_finding()["id"].is_unique().all()
