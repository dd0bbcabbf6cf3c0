"""The queue: what differs from the law, how much was audited to say so, and the one that is picked with its case.

Text that came from a table is shown as text, in tables or as code: never as Markdown, which could fetch or hide things.
"""

import hashlib
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl
import streamlit as st

from dashboards import desk, queries, wording
from dashboards.queries import casework
from dashboards.queries.casework import OPEN, SEVERITIES, STATUSES, Filter
from dashboards.queries.coverage import Period
from dashboards.queries.hand import round_stories, rounds_of
from dashboards.story import Story, plainly
from detectors.catalogue import BY_CODE
from detectors.published import Reader
from ingest.cases import DISPOSITIONS, Act, Disposition

SHOWN: Final = (
    *("severity", "at", "code", "table", "round", "seat", "wager", "amount", "status"),
    *("message", "dealer", "name"),
)
# Beside the one that is picked there is less room, and what happened is what the next one is picked by.
SHOWN_BESIDE: Final = ("severity", "at", "code", "table", "amount", "message", "round", "status")
PERIODS: Final = {"recent": 1, "week": 6, "month": 29}
# A table whose rows can be picked is sent whole to the browser.
MOST_ROWS: Final = 2_000
COLOURS: Final = ("#c8352b", "#d98a1f", "#4a5750", "#333c36")
COLUMNS: Final = {
    **desk.DOLLARS,
    "severity": st.column_config.MultiselectColumn("severity", options=SEVERITIES, color=COLOURS, width="small"),
    "at": st.column_config.DatetimeColumn("when (UTC)", format="YYYY-MM-DD HH:mm:ss", timezone="UTC"),
    "round": st.column_config.NumberColumn(format="localized", width="small"),
    "seat": st.column_config.NumberColumn(width="small"),
    "amount": st.column_config.NumberColumn(
        "amount", format="dollar", help="What the house lost; below zero, what it kept wrongly."
    ),
    "message": st.column_config.TextColumn("what happened", width="large"),
}


def page() -> None:
    st.title("Findings")
    reader = desk.reader()
    if reader is None:
        return
    asked = _asked(reader)
    picked = desk.asked("finding")
    if picked:
        queue_place, beside = st.columns([3, 2], gap="large")
        with queue_place:
            _queue(asked)
        with beside:
            _detail(picked)
    else:
        _queue(asked)


# What is asked for


def _asked(reader: Reader) -> Filter:
    """The filters; each is a part of the address. Their names are no other page's: a bound part leaves with its page."""
    known = desk.choices(reader)
    row = st.columns([2, 2, 2, 2, 3.6, 1.8])
    severities = row[0].multiselect("Severity", SEVERITIES, key="severity", bind="query-params", placeholder="any")
    codes = row[1].multiselect("Code", sorted(BY_CODE), key="code", bind="query-params", placeholder="any")
    tables = row[2].multiselect("Table", known.tables, key="tables", bind="query-params", placeholder="any")
    dealing = row[3].multiselect("Dealer", known.dealers, key="dealers", bind="query-params", placeholder="any")
    statuses = row[4].multiselect("Status", STATUSES, OPEN, key="status", bind="query-params", placeholder="any")
    named = row[5].selectbox("Gaming days", (*PERIODS, "all", "from … to"), 0, key="period", bind="query-params")
    return Filter(
        _period(reader, named), tuple(codes), tuple(severities), tuple(tables), tuple(dealing), tuple(statuses)
    )


def _period(reader: Reader, named: str) -> Period:
    days = desk.choices(reader).days
    if days is None or named == "all":
        return Period()
    if named in PERIODS:
        return Period(days[1] - timedelta(days=PERIODS[named]))
    one, two, _ = st.columns([1, 1, 4])
    first: date = one.date_input("From", days[0], key="from", bind="query-params")
    last: date = two.date_input("To", days[1], key="to", bind="query-params")
    return Period(first, last)


# The queue


@st.fragment(run_every=desk.REFRESH_SECONDS)
def _queue(asked: Filter) -> None:
    """The live part: it looks for a new snapshot by itself."""
    if st.session_state.pop("detail_due", False):
        st.rerun()
    reader = desk.reader()
    if reader is None:
        return
    fresh = queries.freshness(reader, desk.data_folder())
    desk.freshness(fresh)
    covered = queries.coverage(reader, asked.period, asked.tables, asked.dealers)
    found = casework.queue(reader, asked)
    _counts(found, covered, asked.period, fresh)
    if found.is_empty():
        _nothing_found(asked, covered)
    else:
        _table(found)
    if not covered.whole:
        reasons = queries.reasons_not_derived(reader, asked.period, asked.tables)
        if reasons.height:
            with st.expander("What could not be derived, and why"):
                st.dataframe(reasons, hide_index=True)


def _counts(found: pl.DataFrame, covered: queries.Coverage, period: Period, fresh: queries.Freshness) -> None:
    money = casework.money(found)
    parts = st.columns(4)
    parts[0].metric("Findings shown", f"{money.findings:,}", border=True)
    parts[1].metric("House lost", wording.dollars(money.lost), border=True)
    parts[2].metric("House kept wrongly", wording.dollars(money.kept), border=True)
    parts[3].metric("Wagers derived", covered.share, border=True, help=covered.words)
    behind = f" {fresh.waiting:,} events in the log are not audited yet." if fresh.waiting else ""
    st.caption(f"Coverage, {period.words}: {covered.words}.{behind}")


def _nothing_found(asked: Filter, covered: queries.Coverage) -> None:
    narrowed = asked.codes or asked.severities or set(asked.statuses) != set(STATUSES)
    if not covered.rounds:
        st.info("No round of this period has come to its end, so nothing was audited.")
    elif not covered.whole:
        st.warning(
            "No findings in what could be derived. That is not all clear: part of what happened was not audited."
        )
    elif narrowed:
        st.info(
            f"No findings of this kind in {covered.rounds:,} rounds, all of them whole. Other kinds are filtered out."
        )
    else:
        st.success(f"Nothing differs from the law in {covered.rounds:,} rounds, all of them whole.")


def _table(every: pl.DataFrame) -> None:
    found = every.head(MOST_ROWS)
    ids = found["id"].to_list()
    # A selection is by row, and rows move when others come: another set of rows is another table. The same set stays as it is,
    # wherever it was scrolled to.
    key = "queue-" + hashlib.blake2b("".join(ids).encode(), digest_size=8).hexdigest()
    st.session_state["queue_ids"] = ids
    picked = desk.asked("finding")
    place = [ids.index(picked)] if picked in ids else []
    st.dataframe(
        queries.in_dollars(found)
        .with_columns(
            severity=pl.concat_list("severity"), status=_status(), wager=pl.col("wager").str.replace_all("_", " ")
        )
        .select(SHOWN_BESIDE if picked else SHOWN),
        key=key,
        hide_index=True,
        height=desk.tall(found.height, 15),
        column_config=COLUMNS,
        on_select=lambda: _pick(key),
        selection_mode="single-row",
        selection_default={"selection": {"rows": place, "columns": [], "cells": []}},
        placeholder="–",
    )
    if found.height < every.height:
        st.caption(
            f"The latest {found.height:,} of {every.height:,} findings; the sums above are of all of them. "
            "Narrow the filters to see others. Pick one for its story."
        )
    else:
        st.caption(f"{found.height:,} findings, the latest first. Pick one for its story.")


def _status() -> pl.Expr:
    assigned = pl.format("assigned to {}", pl.col("assignee"))
    told = pl.when((pl.col("status") == "assigned") & pl.col("assignee").is_not_null()).then(assigned)
    withdrawn = pl.when("withdrawn").then(pl.lit(" · no longer derived")).otherwise(pl.lit(""))
    return pl.concat_str(told.otherwise("status"), withdrawn)


def _pick(key: str) -> None:
    rows = st.session_state[key].selection.rows
    if rows:
        st.query_params["finding"] = st.session_state["queue_ids"][rows[0]]
    else:
        st.query_params.pop("finding", None)
    # A callback cannot ask for it, and the click runs the live part alone; the detail is outside it.
    st.session_state["detail_due"] = True


# The one that is picked


@st.fragment(run_every=desk.REFRESH_SECONDS)
def _detail(id: str) -> None:
    reader = desk.reader()
    if reader is None:
        return
    found = casework.finding(reader, id)
    if found is None:
        st.info("That finding no longer holds: later events put it right, or it belongs to another log.")
        return
    detector = BY_CODE[str(found["code"])]
    with st.container(border=True):
        st.subheader(f"{detector.code} {detector.name}", anchor=False)
        st.badge(str(found["severity"]), color=desk.BADGES.get(str(found["severity"]), "gray"))
        if found["withdrawn"]:
            st.warning(
                "Events that came later changed the derivation, and it no longer gives this finding. Its case stays."
            )
        st.text(str(found["message"]))
        owed, paid, amount = st.columns(3)
        owed.metric("Owed", wording.dollars(_cents(found["owed"]), signed=True))
        paid.metric("Paid", wording.dollars(_cents(found["paid"]), signed=True))
        cents = _cents(found["amount"])
        amount.metric(wording.whose_loss(cents), wording.dollars(None if cents is None else abs(cents)))
        retold = _retold(reader, found)
        if retold:
            st.text("\n".join(retold))
        st.text(_facts(found))
        if found["round"] is None:
            st.caption("It belongs to no round: it is about what lies between two rounds.")
        else:
            desk.link(
                "hand",
                f"Open the hand: table {found['table']}, round {found['round']}",
                ":material/playing_cards:",
                table=found["table"],
                round=found["round"],
                finding=id,
            )
        with st.expander("What this detector looks for"):
            manual = detector.manual
            st.markdown(f"{manual.flags}\n\n**Why:** {manual.why}\n\n**Blind to:** {manual.blind_to}")
    _case(reader, found)


@st.cache_data(max_entries=60, show_spinner="Deriving the round again")
def _stories(
    data: Path,
    table: str,
    round: int,
    decided: tuple[tuple[int, ...], ...],  # noqa: ARG001 - kept by what it was decided from
    _rows: pl.DataFrame,
) -> list[Story]:
    return round_stories(data, table, round, _rows)


def _retold(reader: Reader, found: dict[str, object]) -> list[str]:
    table, number = str(found["table"]), found["round"]
    if not isinstance(number, int):
        return []
    rows = rounds_of(reader, table, number)
    decided = tuple(rows.select("first_seq", "last_seq", "position").iter_rows())
    told = _stories(desk.data_folder(), table, number, decided, rows)
    return [line for story in told for line in plainly(story, found)]


def _cents(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _facts(found: dict[str, object]) -> str:
    at = found["at"]
    named = ("table", "round", "seat", "hand", "wager", "player", "dealer")
    known = [f"{name} {found[name]}" for name in named if found[name] is not None]
    parts = [f"clause {found['clause'] or 'none'}", *known]
    when = wording.stamp(at) if isinstance(at, datetime) else ""
    return " · ".join(parts) + f"\n{when}"


# Its case


def _case(reader: Reader, found: dict[str, object]) -> None:
    acts = casework.history(reader, desk.data_folder(), str(found["id"]))
    status = casework.status(acts)
    with st.container(border=True):
        st.markdown(f"**Case: {status}**")
        for when, did, note in casework.in_words(acts):
            st.text(f"{when:%Y-%m-%d %H:%M:%S}  {did}" + (f"\n    {note}" if note else ""))
        if acts.is_empty():
            st.caption("Nobody has acted on it yet.")
        _acting(found, status)


def _acting(found: dict[str, object], status: str) -> None:
    about, why = st.session_state.get("refused", (None, ""))
    if about == found["id"]:
        st.error("It was not kept.", icon=":material/block:")
        st.text(why)
    who = desk.sign_in()
    if not who.name:
        st.caption("With a name it can be acknowledged, assigned, noted and closed here.")
        return
    if not who.may:
        st.caption("You may look at cases, and act on none.")
        return
    if status == "closed":
        with st.form("reopen", clear_on_submit=True, border=False):
            why = st.text_input("Why open it again?", max_chars=4000)
            if st.form_submit_button("Open it again"):
                _act(found, "finding_reopened", note=why)
        return
    acknowledge, assign, note, close = st.tabs(["Acknowledge", "Assign", "Note", "Close"])
    with acknowledge, st.form("acknowledge", border=False):
        st.caption("Seen, and somebody is on it.")
        if st.form_submit_button("Acknowledge", disabled=status != "new"):
            _act(found, "finding_acknowledged")
    with assign, st.form("assign", clear_on_submit=True, border=False):
        to = st.text_input("To whom?", max_chars=64)
        if st.form_submit_button("Assign"):
            _act(found, "finding_assigned", assignee=to)
    with note, st.form("note", clear_on_submit=True, border=False):
        words = st.text_area("Note", max_chars=4000, height=80)
        if st.form_submit_button("Add note"):
            _act(found, "finding_noted", note=words)
    with close, st.form("close", clear_on_submit=True, border=False):
        disposition = st.selectbox("Disposition", DISPOSITIONS)
        words = st.text_area("What settled it", max_chars=4000, height=80)
        if st.form_submit_button("Close the finding"):
            _act(found, "finding_closed", disposition=disposition, note=words)


def _act(
    found: dict[str, object],
    act: Act,
    *,
    assignee: str | None = None,
    disposition: Disposition | None = None,
    note: str = "",
) -> None:
    who = desk.person()
    try:
        casework.act(
            desk.data_folder(),
            found,
            act,
            who.name,
            desk.now(),
            verified=who.verified,
            also=who.also,
            may=who.may,
            assignee=assignee,
            disposition=disposition,
            note=note,
        )
    except casework.Refused as refused:
        # Said by the next run: this part looks again every other second, and would wipe it away.
        st.session_state["refused"] = (found["id"], str(refused))
    else:
        st.session_state.pop("refused", None)
    st.rerun()
