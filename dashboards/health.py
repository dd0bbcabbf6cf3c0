"""Health: whether the audit itself is well. What it says is true of the moment; it looks again every other second."""

from typing import Final

import streamlit as st

from dashboards import desk, wording
from dashboards.queries import health as asks

# A pipeline that runs publishes within a second of an event; one that is idle has nothing to publish.
STALE_SECONDS: Final = 10


def page() -> None:
    st.title("Health")
    _live()
    reader = desk.reader()
    if reader is None:
        return
    _dead_letters()
    st.subheader("Sealed days", anchor=False)
    sealed = asks.sealed_files(reader)
    if sealed.is_empty():
        st.caption("No gaming day is sealed yet: the first one is, once it is over and its rounds are decided.")
    else:
        st.dataframe(
            sealed,
            hide_index=True,
            height=min(300, 38 + 35 * sealed.height),
            column_config={
                "day": st.column_config.DateColumn("gaming day"),
                "bytes": st.column_config.NumberColumn("bytes", format="localized"),
                "rows": st.column_config.NumberColumn("rows", format="localized"),
            },
        )
    st.subheader("The pipeline's last steps", anchor=False)
    steps = asks.recent_batches(reader)
    st.dataframe(
        steps,
        hide_index=True,
        column_config={
            **{name: st.column_config.NumberColumn(format="localized") for name in ("position", "events")},
            "last_event_at": st.column_config.DatetimeColumn(
                "latest event (UTC)", format="YYYY-MM-DD HH:mm:ss", timezone="UTC"
            ),
        },
        height=min(300, 38 + 35 * steps.height),
        placeholder="–",
    )


@st.fragment(run_every=desk.REFRESH_SECONDS)
def _live() -> None:
    reader, data = desk.reader(), desk.data_folder()
    if reader is None:
        return
    well, now = asks.health(reader, data), desk.now()
    parts = st.columns(6)
    parts[0].metric("Lag", f"{well.lag:,} events", border=True, help="Events in the log that are not audited yet.")
    parts[1].metric("Store published", f"{wording.age(well.store_age(now))} ago", border=True)
    parts[2].metric("Latest event", f"{wording.since(well.last_event_at, now)} ago", border=True)
    parts[3].metric(
        "Log position", f"{well.log_position:,}", border=True, help=f"{well.events:,} events of {well.tables:,} tables"
    )
    parts[4].metric("Dead letters", f"{well.dead:,}", border=True)
    parts[5].metric("Sealed days", f"{well.sealed_days:,}", border=True)
    if well.lag and well.store_age(now) > STALE_SECONDS:
        st.error(
            f"{well.lag:,} events wait, and nothing was published for {wording.age(well.store_age(now))}: the pipeline does "
            "not seem to run. Start it with `catwalk run`.",
            icon=":material/error:",
        )
    elif well.lag:
        st.caption(
            f"{well.lag:,} events wait to be audited; the pipeline published {wording.age(well.store_age(now))} ago."
        )
    else:
        st.caption("Every event in the log is audited.")
    if well.check is not None and well.checked_at is not None:
        st.caption(f"Last self-check, {wording.stamp(well.checked_at)}:")
        st.text(well.check)


def _dead_letters() -> None:
    st.subheader("Dead letters", anchor=False)
    letters = asks.dead_letters(desk.data_folder())
    if letters.is_empty():
        st.caption("Every line that came in was an event.")
        return
    left, right = st.columns([1, 2], gap="large")
    left.dataframe(asks.dead_reasons(letters), hide_index=True)
    with right:
        st.dataframe(
            letters,
            hide_index=True,
            column_config={"content": st.column_config.TextColumn("bytes as they came", width="large")},
            height=min(360, 38 + 35 * letters.height),
        )
