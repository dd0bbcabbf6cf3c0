"""The findings page: what differs from the law, how much was audited to say so, and the story of the one that is picked.

Text that came from a table is shown as text, in tables or as code: never as Markdown, which could fetch or hide things.
"""

import os
from datetime import UTC
from pathlib import Path
from typing import Final

import polars as pl
import streamlit as st

from dashboards import queries
from dashboards.story import Story
from detectors.catalogue import BY_CODE
from detectors.published import Reader
from rules import cards

REFRESH_SECONDS: Final = 2
SHOWN: Final = (
    "at",
    "severity",
    "code",
    "name",
    "table",
    "round",
    "seat",
    "wager",
    "owed",
    "paid",
    "amount",
    "message",
)
DOLLARS: Final = {name: st.column_config.NumberColumn(format="dollar") for name in ("stake", *queries.MONEY)}
PICKED: Final = "finding"


def data_folder() -> Path:
    return Path(os.environ.get("CATWALK_DATA", "catwalk-data"))


@st.cache_resource(max_entries=2, show_spinner=False)
def _reader(data: Path, snapshot: queries.Snapshot) -> Reader:  # noqa: ARG001 - kept by the snapshot it reads
    return Reader.open(data)


@st.cache_data(max_entries=50, show_spinner="Deriving the round again")
def _stories(data: Path, snapshot: queries.Snapshot, table: str, round: int) -> list[Story]:  # noqa: ARG001
    return queries.round_stories(data, table, round)


def page() -> None:
    st.title("Findings")
    data = data_folder()
    snapshot = queries.snapshot(data)
    if snapshot is None:
        _nothing_published(data)
        return
    _floor(data)
    picked = st.query_params.get(PICKED)
    if picked:
        found = queries.finding(_reader(data, snapshot), picked)
        if found is None:
            st.info("That finding no longer holds: later events put it right, or it belongs to another log.")
        else:
            _story(data, snapshot, found)


def _nothing_published(data: Path) -> None:
    st.info("Nothing was audited yet. Put events into the log and start the pipeline; this page will fill by itself.")
    st.code(f"catwalk ingest FILE --data {data}\ncatwalk run --data {data}", language="shell")
    _wait_for_the_first(data)


@st.fragment(run_every=REFRESH_SECONDS)
def _wait_for_the_first(data: Path) -> None:
    if queries.snapshot(data) is not None:
        st.rerun()


@st.fragment(run_every=REFRESH_SECONDS)
def _floor(data: Path) -> None:
    """The live part: it looks for a new snapshot by itself."""
    if st.session_state.pop("story_due", False):
        st.rerun()
    snapshot = queries.snapshot(data)
    if snapshot is None:
        st.rerun()
        return
    reader = _reader(data, snapshot)
    covered = queries.coverage(reader)
    _freshness(queries.freshness(reader, data))
    _counts(queries.severities(reader), covered)
    found = queries.findings(reader)
    if found.is_empty():
        _nothing_found(covered)
    else:
        _table(found, snapshot)
    if not covered.whole:
        _not_derived(queries.reasons_not_derived(reader))


def _freshness(fresh: queries.Freshness) -> None:
    if fresh.waiting:
        st.warning(
            f"{fresh.waiting:,} events in the log are not audited yet. If this number stands still, the pipeline is not "
            "running: `catwalk run`.",
            icon=":material/hourglass_top:",
        )
    if fresh.last_event_at is not None:
        moment = fresh.last_event_at.astimezone(UTC)
        st.caption(
            f"Audited to position {fresh.position:,} of the log; latest event seen {moment:%Y-%m-%d %H:%M:%S} UTC"
        )


def _counts(severities: dict[str, int], covered: queries.Coverage) -> None:
    columns = st.columns(len(severities) + 1)
    for column, (severity, count) in zip(columns, severities.items(), strict=False):
        column.metric(severity.capitalize(), f"{count:,}", border=True)
    columns[-1].metric("Wagers derived", covered.share, border=True, help=covered.words)
    st.caption(f"Coverage: {covered.words}.")


def _nothing_found(covered: queries.Coverage) -> None:
    if covered.whole:
        st.success(f"Nothing differs from the law in {covered.rounds:,} rounds, all of them whole.")
    elif covered.rounds:
        st.warning(
            "No findings in what could be derived. That is not all clear: part of what happened was not audited."
        )
    else:
        st.info("No round has come to its end yet, so nothing was audited.")


def _table(found: pl.DataFrame, snapshot: queries.Snapshot) -> None:
    by_severity, by_code, by_table = st.columns(3)
    severities = by_severity.multiselect("Severity", [s for s in queries.SEVERITIES if s in set(found["severity"])])
    codes = by_code.multiselect(
        "Code", sorted(set(found["code"])), format_func=lambda code: f"{code} {BY_CODE[code].name}"
    )
    tables = by_table.multiselect("Table", sorted(set(found["table"])))
    for name, wanted in (("severity", severities), ("code", codes), ("table", tables)):
        if wanted:
            found = found.filter(pl.col(name).is_in(wanted))
    # Rows move when a new snapshot comes, and a selection is by row: so each snapshot has a table of its own.
    key = f"findings-{snapshot}"
    st.session_state["shown"] = found["id"].to_list()
    st.dataframe(
        queries.in_dollars(found).select(SHOWN),
        key=key,
        hide_index=True,
        column_config={
            **DOLLARS,
            "at": st.column_config.DatetimeColumn(format="YYYY-MM-DD HH:mm:ss", timezone="UTC"),
            "message": st.column_config.TextColumn(width="large"),
        },
        on_select=lambda: _pick(key),
        selection_mode="single-row",
        placeholder="–",
    )
    st.caption(f"{found.height:,} findings shown. Pick one for its story.")


def _pick(key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.query_params[PICKED] = st.session_state["shown"][rows[0]]
    else:
        st.query_params.pop(PICKED, None)
    # A callback cannot ask for it, and the click runs the live part alone; the story is outside it.
    st.session_state["story_due"] = True


def _not_derived(reasons: pl.DataFrame) -> None:
    if reasons.height:
        with st.expander("What could not be derived, and why"):
            st.dataframe(reasons, hide_index=True)


def _story(data: Path, snapshot: queries.Snapshot, found: dict[str, object]) -> None:
    st.divider()
    detector = BY_CODE[str(found["code"])]
    st.subheader(f"{detector.code} {detector.name}")
    st.text(str(found["message"]))
    shown = (
        "severity",
        "table",
        "round",
        "seat",
        "hand",
        "wager",
        "player",
        "dealer",
        "owed",
        "paid",
        "amount",
        "clause",
    )
    st.dataframe(
        queries.in_dollars(pl.DataFrame([found], schema_overrides=dict.fromkeys(queries.MONEY, pl.Int64))).select(
            shown
        ),
        hide_index=True,
        column_config=DOLLARS,
        placeholder="–",
    )
    with st.expander("What this detector looks for"):
        manual = detector.manual
        st.markdown(f"{manual.flags}\n\n**Why:** {manual.why}\n\n**Blind to:** {manual.blind_to}")
    if found["round"] is None:
        st.info("It belongs to no round: it is about the table's feed between two rounds.")
        return
    for story in _stories(data, snapshot, str(found["table"]), int(str(found["round"]))):
        _round(story)


def _round(story: Story) -> None:
    edition = f", edition {story.edition}" if story.edition else ""
    st.subheader(f"Table {story.table}, round {story.round}")
    st.text(
        f"{story.title}{edition}; dealer {story.dealer or 'not seen'}; began {story.began_at:%Y-%m-%d %H:%M:%S} UTC"
    )
    for words in (
        "The round was declared void." if story.voided else None,
        f"Incident: {story.incident}" if story.incident else None,
        f"Not all of it is derived: {story.reason}" if story.reason else None,
    ):
        if words:
            st.text(words)
    hands, wagers = st.columns([2, 3])
    hands.caption("Hands")
    hands.dataframe(
        {
            "hand": ["dealer" if held.seat is None else f"seat {held.seat}" for held in story.holdings],
            "cards": ["  ".join(cards.sign(card) for card in held.cards) for held in story.holdings],
            "makes": [held.words for held in story.holdings],
            "decision": [held.choice or "" for held in story.holdings],
        },
        hide_index=True,
    )
    wagers.caption(f"Wagers: {story.derived} of {story.wagers} derived")
    wagers.dataframe(_settlements(story), hide_index=True, column_config=DOLLARS, placeholder="–")
    st.caption("What happened")
    st.code(
        "\n".join(_line(line.seq, line.at.strftime("%H:%M:%S"), line.parts, line.remark) for line in story.lines), None
    )


def _settlements(story: Story) -> pl.DataFrame:
    rows = [(s.seat, s.wager, s.stake, s.owed, s.paid, s.clause, s.because) for s in story.settlements]
    schema = {"seat": pl.Int64, "wager": pl.String, "amount": pl.Int64, "owed": pl.Int64, "paid": pl.Int64}
    frame = pl.DataFrame(rows, schema={**schema, "clause": pl.String, "because": pl.String}, orient="row")
    return queries.in_dollars(frame).rename({"amount": "stake"})


def _line(seq: int, time: str, parts: tuple[str, str | None, str], remark: str | None) -> str:
    before, card, after = parts
    said = before + (cards.sign(card) if card else "") + after
    return f"{seq:>6}  {time}  {said}" + (f"  [{remark}]" if remark else "")
