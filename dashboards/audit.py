"""The audit of a period: by any grouping, worst first, with the coverage beside every count and exports of what is shown."""

import io
from datetime import date
from pathlib import Path
from typing import Final

import altair as alt
import polars as pl
import streamlit as st

from dashboards import desk, paper, queries, wording
from dashboards.queries import audit as asks
from dashboards.queries import supposing
from dashboards.queries.audit import GROUPINGS, Grouping, Scope
from dashboards.queries.casework import STATUSES
from dashboards.queries.coverage import Period
from detectors.published import Reader
from replay.what_if import KEYS, Unfit

GREY: Final = "#8fa097"
LIGHT: Final = "#cfd6d1"
RED: Final = "#e5554a"
TALL: Final = 320
# The groupings whose findings have a filter of their own, by its name in the address.
LEADS_TO: Final[dict[str, str]] = {"table": "tables", "dealer": "dealers", "code": "code"}


@st.cache_data(max_entries=20, show_spinner="Adding up")
def _added_up(
    data: Path,  # noqa: ARG001 - kept by the snapshot it was asked of
    snapshot: queries.Snapshot | None,  # noqa: ARG001
    scope: Scope,
    _reader: Reader,
) -> asks.AddedUp:
    return asks.added_up(_reader, scope)


def page() -> None:
    st.title("Audit")
    reader = desk.reader()
    if reader is None:
        return
    asked = _asked(reader)
    if asked is None:
        st.info("No round has come to its end yet, so there is nothing to add up.")
        return
    scope, by = asked
    found = _added_up(desk.data_folder(), desk.snapshot(), scope, reader)
    days, rows = found.by["day"], found.by[by]
    covered = asks.covered(days)
    _totals(days, covered, scope)
    table = asks.shown(rows, by)
    st.subheader(f"By {by}, worst first", anchor=False)
    _table(table, by, scope)
    _exports(table, by, scope, covered, reader.position())
    _charts(days, asks.hours(found.by["hour"]))
    _dealers(found.dealers, covered)
    if not covered.whole:
        with st.expander("What could not be derived, and why"):
            st.dataframe(found.reasons, hide_index=True)
    _other_terms(reader, scope)


def _asked(reader: Reader) -> tuple[Scope, Grouping] | None:
    known = desk.choices(reader)
    if known.days is None:
        return None
    row = st.columns([1.3, 1.3, 4.4, 1.5, 1.5, 1.5])
    first: date = row[0].date_input("First gaming day", known.days[0], key="from", bind="query-params")
    last: date = row[1].date_input("Last gaming day", known.days[1], key="to", bind="query-params")
    by = row[2].segmented_control("By", GROUPINGS, default="dealer", required=True, key="by", bind="query-params")
    games = row[3].multiselect("Game", known.games, key="games", bind="query-params", placeholder="any")
    tables = row[4].multiselect("Table", known.tables, key="tables", bind="query-params", placeholder="any")
    dealers = row[5].multiselect("Dealer", known.dealers, key="dealers", bind="query-params", placeholder="any")
    return Scope(Period(first, last), tuple(tables), tuple(dealers), tuple(games)), by or "dealer"


def _totals(days: pl.DataFrame, covered: queries.Coverage, scope: Scope) -> None:
    total = asks.total(days)
    parts = st.columns(7)
    parts[0].metric("Rounds", f"{total.rounds:,}", border=True)
    parts[1].metric("Wagers", f"{total.wagers:,}", border=True)
    parts[2].metric("Handle", wording.short_dollars(total.handle), border=True)
    parts[3].metric(
        "Errors / 1,000 rounds",
        f"{total.per_1000:.2f}",
        border=True,
        help=f"{total.errors:,} errors; the true rate lies between {total.low:.2f} and {total.high:.2f} (95 %).",
    )
    parts[4].metric("House lost", wording.short_dollars(total.lost), border=True)
    parts[5].metric("Kept wrongly", wording.short_dollars(total.kept), border=True)
    parts[6].metric("Wagers derived", covered.share, border=True, help=covered.words)
    st.caption(
        f"Coverage, {scope.period.words}: {covered.words}. Errors are all findings but those of the feed, which tell what was "
        "not seen."
    )


def _table(table: pl.DataFrame, by: Grouping, scope: Scope) -> None:
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        on_select="rerun" if by in LEADS_TO else "ignore",
        selection_mode="single-row",
        key=f"groups-{by}",
        column_config={
            **desk.DOLLARS,
            by: st.column_config.TextColumn(by),
            **{name: number(name, format="localized") for name in ("rounds", "wagers", "errors")},
            "errors per 1,000 rounds": number("errors per 1,000 rounds", format="%.2f"),
            "at least": number(
                "at least", format="%.2f", help="Lower end of the 95 % interval; the list is sorted by it."
            ),
            "at most": number("at most", format="%.2f", help="Upper end of the 95 % interval."),
            "wagers derived %": number("wagers derived", format="%.1f %%"),
        },
        placeholder="–",
        height=desk.tall(table.height, 11),
    )
    if by in LEADS_TO:
        _way_to_findings(table, by, scope, st.session_state[f"groups-{by}"]["selection"]["rows"])


def _way_to_findings(table: pl.DataFrame, by: Grouping, scope: Scope, rows: list[int]) -> None:
    """From the worst of a list to what was found there."""
    if not rows or rows[0] >= table.height:
        st.caption(f"Pick a {by} for the findings behind its errors.")
        return
    name = table[by].item(rows[0])
    words, way, _ = st.columns([4, 2, 3], vertical_alignment="center")
    words.text(f"{by} {name}, {scope.period.words}")
    # Beside the audit, not in its place: what both pages call alike would leave the address with this one.
    asked = {
        "period": "from … to",
        "from": scope.period.first,
        "to": scope.period.last,
        "status": STATUSES,
        LEADS_TO[by]: name,
    }
    way.link_button("The findings behind its errors", desk.address("findings", asked), icon=":material/flag:")


def _exports(table: pl.DataFrame, by: str, scope: Scope, covered: queries.Coverage, position: int) -> None:
    name = f"audit-by-{by}-{scope.period.first}-{scope.period.last}"
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    one, two, three, _ = st.columns([1, 1, 1, 6])
    ignored = {"on_click": "ignore", "width": "stretch"}
    one.download_button("CSV", table.write_csv(), f"{name}.csv", "text/csv", **ignored)  # type: ignore[arg-type]
    two.download_button("Parquet", buffer.getvalue(), f"{name}.parquet", "application/octet-stream", **ignored)  # type: ignore[arg-type]
    three.download_button(
        "PDF",
        lambda: paper.listing(
            f"Audit by {by}",
            [f"{scope.period.words}; {_narrowed(scope)}", f"Coverage: {covered.words}."],
            table.columns,
            [tuple("-" if cell is None else str(cell) for cell in row) for row in table.iter_rows()],
            f"log read to position {position:,}",
        ),
        f"{name}.pdf",
        "application/pdf",
        on_click="ignore",
        width="stretch",
    )


def _narrowed(scope: Scope) -> str:
    parts = [", ".join(each) for each in (scope.games, scope.tables, scope.dealers) if each]
    return "only " + "; ".join(parts) if parts else "all games, tables and dealers"


# Charts


def _charts(days: pl.DataFrame, hours: pl.DataFrame) -> None:
    chart = asks.control_chart(days)
    left, right = st.columns(2, gap="large")
    with left:
        st.altair_chart(_control(chart))
        st.caption(
            "Dashed: the period's own rate. Band: what chance allows, wider on a day of few rounds. Red: outside it."
        )
        st.altair_chart(_cost(chart))
    with right:
        st.altair_chart(_trend(chart))
        st.caption("Errors of seven gaming days over their rounds: a single bad day moves it little, a bad week a lot.")
        st.altair_chart(_by_hour(hours))


def _dealers(dealers: pl.DataFrame, covered: queries.Coverage) -> None:
    if dealers.is_empty():
        return
    if not asks.any_wrong(dealers):
        st.caption(f"No dealer's payout was wrong in what was derived. Coverage: {covered.words}.")
        return
    st.altair_chart(_funnel(dealers))
    st.caption(
        "A point is a dealer, red where chance does not explain it. The grey ticks are the most and the fewest that it allows: "
        "each dealer is measured game by game against all in scope, and chance alone marks one of them in one period of 1,000. "
        f"It is the first question of STAT01; `catwalk statistics` asks the others. Coverage: {covered.words}."
    )


def _funnel(dealers: pl.DataFrame) -> alt.LayerChart:
    base = alt.Chart(dealers, height=TALL, title="Dealers: rounds with a payout wrong, within what chance allows")
    rounds = alt.X("rounds:Q", title="rounds dealt and derived", axis=alt.Axis(format="~s", grid=False))

    def rate(name: str) -> alt.Y:
        # Roots: a dealer of few rounds has limits so wide that they would flatten all others.
        return alt.Y(
            f"{name}:Q", title="rounds wrong per 1,000", scale=alt.Scale(type="sqrt"), axis=alt.Axis(tickCount=6)
        )

    tips = [
        alt.Tooltip("dealer:N"),
        alt.Tooltip("rounds:Q", format=","),
        alt.Tooltip("wrong:Q", title="rounds wrong", format=","),
        alt.Tooltip("expected:Q", title="likely", format=",.1f"),
        alt.Tooltip("most:Q", title="at most by chance", format=","),
        alt.Tooltip("fewest:Q", title="at least by chance", format=","),
    ]
    limits = [
        base.transform_filter(f"datum.{name} > 0")
        .mark_tick(orient="horizontal", color=GREY, opacity=0.7, thickness=2, size=16)
        .encode(rounds, rate(name), tooltip=tips)
        for name in ("lower", "upper")
    ]
    centre = base.mark_rule(color=GREY, strokeDash=[5, 4]).encode(
        alt.Y("mean(centre):Q", title="", scale=alt.Scale(type="sqrt"))
    )
    outside = alt.condition("datum.beyond", alt.value(RED), alt.value(LIGHT))
    points = base.mark_point(filled=True, size=60, opacity=1).encode(
        rounds, rate("per_1000"), color=outside, tooltip=tips
    )
    names = (
        base.transform_filter("datum.beyond")
        .mark_text(align="left", dx=8, color="#e8ebe6")
        .encode(rounds, rate("per_1000"), alt.Text("dealer:N"))
    )
    drawn: alt.LayerChart = limits[0] + limits[1] + centre + points + names
    return drawn


def _day() -> alt.X:
    return alt.X(
        "day:T",
        title="gaming day",
        axis=alt.Axis(format="%b %d", labelOverlap=True, tickCount="day", ticks=False, grid=False),
    )


def _rate(name: str) -> alt.Y:
    return alt.Y(f"{name}:Q", title="errors per 1,000 rounds")


def _control(chart: pl.DataFrame) -> alt.LayerChart:
    base = alt.Chart(chart, height=TALL, title="Control chart: each day against its three-sigma limits")
    tips = [
        alt.Tooltip("day:T", title="gaming day"),
        alt.Tooltip("rounds:Q", format=","),
        alt.Tooltip("errors:Q"),
        alt.Tooltip("per_1000:Q", title="per 1,000 rounds", format=".2f"),
        alt.Tooltip("upper:Q", title="upper limit", format=".2f"),
    ]
    band = base.mark_area(opacity=0.14, color=GREY).encode(_day(), alt.Y("lower:Q", title=""), alt.Y2("upper:Q"))
    centre = base.mark_line(color=GREY, strokeDash=[5, 4]).encode(_day(), alt.Y("centre:Q", title=""))
    line = base.mark_line(color=GREY).encode(_day(), _rate("per_1000"))
    outside = alt.condition("datum.outside", alt.value(RED), alt.value(GREY))
    points = base.mark_point(filled=True, size=70, opacity=1).encode(
        _day(), _rate("per_1000"), color=outside, tooltip=tips
    )
    drawn: alt.LayerChart = band + centre + line + points
    return drawn


def _trend(chart: pl.DataFrame) -> alt.LayerChart:
    base = alt.Chart(chart, height=TALL, title="Trend: the rate over seven days")
    tips = [alt.Tooltip("day:T", title="gaming day"), alt.Tooltip("trend:Q", title="per 1,000 rounds", format=".2f")]
    line = base.mark_line(color=LIGHT, strokeWidth=2.5).encode(_day(), _rate("trend"), tooltip=tips)
    drawn: alt.LayerChart = line + base.mark_point(color=LIGHT, filled=True, size=40).encode(
        _day(), _rate("trend"), tooltip=tips
    )
    return drawn


def _cost(chart: pl.DataFrame) -> alt.LayerChart:
    base = alt.Chart(chart, height=TALL, title="Cost each way: lost by the house above, kept wrongly below")
    axis = alt.Axis(format="$,.0f")
    lost = base.mark_bar(color=LIGHT).encode(
        _day(),
        alt.Y("lost_dollars:Q", title="dollars", axis=axis),
        tooltip=[alt.Tooltip("day:T", title="gaming day"), alt.Tooltip("lost_dollars:Q", title="lost", format="$,.2f")],
    )
    kept = base.mark_bar(color=GREY).encode(
        _day(),
        alt.Y("kept_dollars:Q", title="dollars", axis=axis),
        tooltip=[alt.Tooltip("day:T", title="gaming day"), alt.Tooltip("kept_dollars:Q", title="kept", format="$,.2f")],
    )
    drawn: alt.LayerChart = lost + kept
    return drawn


def _by_hour(hours: pl.DataFrame) -> alt.LayerChart:
    base = alt.Chart(hours, height=TALL, title="Hours of the day, with 95 % intervals")
    hour = alt.X(
        "name:N",
        title="hour (UTC)",
        sort="ascending",
        axis=alt.Axis(labelAngle=0, labelExpr="slice(datum.label, 0, 2)"),
    )
    tips = [
        alt.Tooltip("name:N", title="hour"),
        alt.Tooltip("rounds:Q", format=","),
        alt.Tooltip("errors:Q"),
        alt.Tooltip("per_1000:Q", title="per 1,000 rounds", format=".2f"),
    ]
    bars = base.mark_bar(color="#46564d").encode(hour, _rate("per_1000"), tooltip=tips)
    spans = base.mark_rule(color="#d5dcd7").encode(hour, alt.Y("low:Q", title=""), alt.Y2("high:Q"))
    drawn: alt.LayerChart = bars + spans
    return drawn


# Under other terms


def _other_terms(reader: Reader, scope: Scope) -> None:
    with st.expander("What if the tables had played under other terms?", expanded=bool(desk.asked("suppose"))):
        st.caption(
            "The rounds in scope are derived a second time as if their tables had opened otherwise: "
            f"say {', '.join(KEYS)}, each as KEY=VALUE, with spaces between several."
        )
        said = st.text_input("Terms", key="suppose", bind="query-params", placeholder="pay_tables.pair_plus=2")
        if not said:
            return
        rounds = supposing.rounds_in(reader, scope)
        if rounds > supposing.MOST_ROUNDS:
            st.info(
                f"{rounds:,} rounds are in scope, more than a page should derive while somebody waits "
                f"({supposing.MOST_ROUNDS:,}). Narrow it to a day or a table, or ask the command, which has no limit."
            )
            st.code("catwalk audit FILE… --what-if KEY=VALUE", "shell")
            return
        try:
            changes = supposing.read(said)
        except Unfit as unfit:
            st.warning("These are no terms that any game knows.")
            st.text(str(unfit))
            return
        _supposed(supposing.supposed(reader, desk.data_folder(), scope, changes))


def _supposed(found: supposing.Supposed) -> None:
    st.metric("More owed to players", wording.dollars(found.difference, signed=True), border=True)
    st.caption(
        f"The terms changed {wording.counted(found.changed, 'opening')}; {found.already:,} were like that already."
    )
    for reason in found.left:
        st.text(f"Left as it was: {reason}")
    if found.by_wager.is_empty():
        st.caption("No wager would have been owed otherwise.")
        return
    money = {name: st.column_config.NumberColumn(name, format="dollar") for name in ("owed", "owed then", "difference")}
    st.dataframe(supposing.shown(found.by_wager), hide_index=True, column_config=money)
