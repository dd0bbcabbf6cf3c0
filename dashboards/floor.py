"""The floor: a tile a table, what needs eyes first. It looks by itself every other second, and only the live part does."""

from datetime import datetime

import streamlit as st

from dashboards import components, desk, queries, wording
from dashboards.queries import floor as asks
from dashboards.queries.casework import SEVERITIES
from detectors.published import Reader


def page() -> None:
    _live()


@st.cache_data(ttl=60, max_entries=4, show_spinner=False)
def _open_before(data: str, sealed: int, _reader: Reader) -> int:  # noqa: ARG001 - kept by what it was asked of
    return asks.open_before(_reader)


@st.fragment(run_every=desk.REFRESH_SECONDS)
def _live() -> None:
    reader, data = desk.reader(), desk.data_folder()
    if reader is None:
        return
    now = desk.now()
    every = asks.tiles(reader, data, now)
    fresh = queries.freshness(reader, data)
    _summary(every, fresh, now)
    if not every:
        st.info("No table has sent anything in the last two gaming days. Tables appear here with their first event.")
        return
    picked = components.tiles(
        {
            "tiles": [_shown(tile, now) for tile in every],
            "ticker": [_told(row, now) for row in asks.ticker(reader).iter_rows(named=True)],
            "nothing": "None in the last two gaming days, in what was audited.",
        }
    )
    older = _open_before(str(data), len(every), reader)
    if older:
        desk.link("findings", f"{older:,} older findings are still open", ":material/history:", period="all")
    if picked and "finding" in picked:
        desk.go("findings", finding=picked["finding"])
    elif picked:
        desk.go("findings", tables=picked["table"], period="recent")


def _summary(every: list[asks.Tile], fresh: queries.Freshness, now: datetime) -> None:
    total = asks.totals(every)
    parts = st.columns(7)
    parts[0].metric("Live", f"{total.live}", border=True, help="An event within the last three minutes.")
    parts[1].metric("Silent", f"{total.silent}", border=True, help="Open, and no event for three minutes or more.")
    for part, severity, colour in zip(parts[2:5], SEVERITIES, ("red", "orange", "grey"), strict=False):
        loud = colour if total.open[severity] else "grey"
        with part.container(key=f"open-{loud}" if loud != "grey" else f"open-{severity}"):
            st.metric(f"Open {severity}", f"{total.open[severity]:,}", border=True)
    parts[5].metric("At stake", wording.dollars(total.at_stake), border=True)
    parts[6].metric(
        "Partly audited",
        f"{total.in_part} / {len(every)}",
        border=True,
        help="Tables that are audited in part or not at all; each tile says how many rounds.",
    )
    desk.freshness(fresh)
    if fresh.last_event_at is not None:
        latest = wording.since(fresh.last_event_at, now)
        behind = f"; {fresh.waiting:,} events in the log are not audited yet" if fresh.waiting else ""
        st.caption(
            f"Audited to position {fresh.position:,} of the log{behind}; latest event audited {latest} ago. "
            "Counts are of the last two gaming days."
        )


def _shown(tile: asks.Tile, now: datetime) -> dict[str, object]:
    heard = wording.since(tile.last_event_at, now)
    worst = next((severity for severity in SEVERITIES[:2] if tile.open[severity]), "")
    pace = "" if tile.hands_an_hour is None else f" · {tile.hands_an_hour}/h"
    return {
        "table": tile.table,
        "game": tile.game,
        "dealer": tile.dealer or "dealer not seen",
        "round": f"round {tile.round or '–'}{pace}",
        "open": [{"severity": name, "found": count} for name, count in tile.open.items() if count],
        "stake": wording.dollars(tile.at_stake) if tile.at_stake else "",
        "age": {"closed": "closed", "silent": f"silent {heard}"}.get(tile.state, heard),
        "state": tile.state,
        "worst": worst,
        "audited": tile.audited,
        "coverage": _coverage(tile),
        "href": desk.address("findings", {"tables": tile.table, "period": "recent"}),
    }


def _coverage(tile: asks.Tile) -> str:
    if tile.audited == "none":
        return "not audited: no round has come to its end"
    if tile.audited == "part":
        return f"partly audited: {tile.rounds_open:,} of {wording.counted(tile.rounds, 'round')} open"
    return f"{wording.counted(tile.rounds, 'round')}, all derived"


def _told(row: dict[str, object], now: datetime) -> dict[str, object]:
    at = row["at"]
    where = str(row["table"]) + ("" if row["round"] is None else f" · round {row['round']}")
    return {
        "id": row["id"],
        "code": row["code"],
        "severity": row["severity"],
        "where": where,
        "message": row["message"],
        "age": wording.since(at, now) if isinstance(at, datetime) else "",
        "href": desk.address("findings", {"finding": row["id"]}),
    }
