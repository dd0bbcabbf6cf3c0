"""The decks of a table: the life of each, which was in play when, its counts, and how often each card came."""

from datetime import date
from typing import Final

import altair as alt
import polars as pl
import streamlit as st

from dashboards import desk, queries
from dashboards.queries import decks as asks
from dashboards.queries.coverage import Period
from detectors.published import Reader
from rules import cards

ALL: Final = "all decks"
RANKS: Final = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"]


def page() -> None:
    st.title("Decks")
    reader = desk.reader()
    if reader is None:
        return
    asked = _asked(reader)
    if asked is None:
        st.info("No table has dealt a round to its end yet.")
        return
    table, on = asked
    day = asks.day(reader, desk.data_folder(), table, on)
    if day is None:
        st.info("The table dealt no round on that gaming day.")
        return
    covered = queries.coverage(reader, Period(on, on), (table,))
    st.caption(f"Coverage, table {table}, gaming day {on}: {covered.words}.")
    lives = asks.lives(day)
    _lives(lives)
    _findings(asks.findings(reader, table, on), covered)
    left, right = st.columns(2, gap="large")
    with left:
        st.altair_chart(_alternation(asks.alternation(day)))
        _counts(asks.counts(day))
    with right:
        _heat(day, lives)


def _asked(reader: Reader) -> tuple[str, date] | None:
    tables = desk.choices(reader).tables
    if not tables:
        return None
    one, two, _ = st.columns([1, 1, 4])
    said = desk.asked("table")
    table = one.selectbox("Table", tables, tables.index(said) if said in tables else 0)
    days = asks.table_days(reader, table)
    wanted = desk.asked("day") or ""
    place = [str(each) for each in days].index(wanted) if wanted in map(str, days) else 0
    on = two.selectbox("Gaming day", days, place, key=f"day-{table}")
    desk.keep(table=table, day=on)
    return table, on


def _lives(lives: pl.DataFrame) -> None:
    st.subheader("The life of each deck", anchor=False)
    st.dataframe(
        lives,
        hide_index=True,
        column_config={
            "received": desk.MOMENT,
            "removed": desk.MOMENT,
            "why_removed": "why removed",
            "hours": st.column_config.NumberColumn("hours in play", format="%.1f"),
            "first_round": "first round",
            "last_round": "last round",
            "last_count": "last count",
            "cards_out": "cards out",
            "unread": "not read",
        },
        placeholder="–",
    )


def _findings(found: pl.DataFrame, covered: queries.Coverage) -> None:
    if found.is_empty():
        st.caption(
            "No findings about duplicates, counts, hours, alternation or shuffling"
            + (", and all of the day is derived." if covered.whole else " in what could be derived.")
        )
        return
    st.subheader("Duplicates, counts, hours, alternation: what was found", anchor=False)
    st.dataframe(
        queries.in_dollars(found).select("at", "severity", "code", "name", "round", "status", "message", "clause"),
        hide_index=True,
        column_config={"at": desk.MOMENT, "message": st.column_config.TextColumn("what happened", width="large")},
        placeholder="–",
    )


def _alternation(rows: pl.DataFrame) -> alt.Chart:
    base = alt.Chart(rows, title="Alternation: which deck each round was dealt from")
    drawn: alt.Chart = base.mark_tick(thickness=3, size=26, color="#aab3ac").encode(
        alt.X("at:T", title="time (UTC)", axis=alt.Axis(format="%H:%M"), scale=alt.Scale(type="utc")),
        alt.Y("deck:N", title="deck"),
        tooltip=["round:Q", "deck:N", alt.Tooltip("at:T", format="%H:%M:%S", title="began")],
    )
    return drawn


def _counts(counts: pl.DataFrame) -> None:
    st.subheader("Counts of the stub", anchor=False)
    if counts.is_empty():
        st.caption("The stub was not counted on this day. Where a counting shuffler is used, it need not be.")
        return
    st.dataframe(
        counts,
        hide_index=True,
        column_config={"at": desk.MOMENT, "after_round": "after round", "cards_out": "cards out"},
        placeholder="–",
        height=desk.tall(counts.height, 8),
    )


def _heat(day: asks.Day, lives: pl.DataFrame) -> None:
    decks = [ALL, *lives["deck"].to_list()]
    said = desk.asked("deck")
    chosen = st.selectbox("Cards of", decks, decks.index(said) if said in decks else 0)
    desk.keep(deck=None if chosen == ALL else chosen)
    deck = None if chosen == ALL else chosen
    rows = asks.heat(day, deck)
    base = alt.Chart(rows, title="How often each card came, beside an even hand", height=340)
    x = alt.X("rank:N", title="rank", sort=RANKS, axis=alt.Axis(labelAngle=0, labelFontSize=14, orient="top"))
    y = alt.Y("suit:N", title="suit", sort=list(cards.SUIT_SIGNS.values()), axis=alt.Axis(labelFontSize=18))
    colour = alt.Color(
        "sigmas:Q",
        title="standard deviations from an even hand",
        # Grey within what chance allows: three deviations are reached by one of 52 cards on one day in eight.
        scale=alt.Scale(
            domain=[-6, -3.5, -3, 0, 3, 3.5, 6],
            range=["#3f8fd6", "#2f6fa5", "#121815", "#27322c", "#46564d", "#b5761f", "#e69425"],
            interpolate="rgb",
            clamp=True,
        ),
        legend=alt.Legend(orient="bottom", gradientLength=320, titleLimit=320, values=[-6, -3, 0, 3, 6]),
    )
    tips = [
        alt.Tooltip("card:N"),
        alt.Tooltip("times:Q", title="times out"),
        alt.Tooltip("even:Q", title="at an even hand"),
        alt.Tooltip("share:Q", title="% from even", format="+.0f"),
        alt.Tooltip("sigmas:Q", title="standard deviations", format="+.1f"),
    ]
    tiles = base.mark_rect(cornerRadius=3).encode(x, y, colour, tooltip=tips)
    numbers = base.mark_text(fontSize=13, color="#e8ebe6").encode(x, y, alt.Text("times:Q"), tooltip=tips)
    st.altair_chart(tiles + numbers)
    blind = asks.unread(day, deck)
    st.caption(f"{blind:,} cards were not read and are in no cell." if blind else "Every card that came out was read.")
