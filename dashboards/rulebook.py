"""The rulebook: the law as it is encoded, every line with its clause, and the detectors' manual. Straight from the code."""

from dataclasses import dataclass

import polars as pl
import streamlit as st

from dashboards import wording
from dashboards.queries import rulebook as asks
from detectors.catalogue import Statistic
from rules.decision import Wager
from rules.game import Edition, Game
from rules.games import GAMES


@dataclass(frozen=True, slots=True)
class _Chosen:
    game: Game
    edition: Edition


@st.cache_data(show_spinner="Dealing every round there is", max_entries=20)
def _odds(name: str) -> pl.DataFrame:
    return asks.odds(GAMES[name])


def page() -> None:
    st.title("Rulebook")
    law, manual = st.tabs(["The law of each game", "The detectors"], key="part", bind="query-params")
    with law:
        _law()
    with manual:
        _manual()


def _law() -> None:
    chosen = _chosen()
    st.subheader(f"{chosen.game.title}, edition {chosen.edition.name}", anchor=False)
    elective = ", where the house elects it" if chosen.edition.elective else ""
    st.caption(f"In force from {chosen.edition.first_day}, {chosen.edition.clause}{elective}.")
    wagers = chosen.game.wagers_of(chosen.edition.name)
    for tab, wager in zip(st.tabs([each.title for each in wagers]), wagers, strict=True):
        with tab:
            _wager(wager, chosen.edition)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("Irregularities", anchor=False)
        st.dataframe(asks.remedies(chosen.game), hide_index=True)
    with right:
        st.subheader("Editions", anchor=False)
        st.dataframe(asks.editions(chosen.game), hide_index=True)
        _exact_odds(chosen.game)
    st.subheader("What the house may elect", anchor=False)
    st.dataframe(asks.options(chosen.game), hide_index=True)


def _chosen() -> _Chosen:
    one, two, _ = st.columns([2, 2, 4])
    name = one.selectbox("Game", list(GAMES), key="game", bind="query-params")
    game = GAMES[name]
    names = [each.name for each in game.editions]
    edition = two.selectbox("Edition", names, len(names) - 1, key=f"edition-{name}", bind="query-params")
    found = game.edition(edition)
    assert found is not None
    return _Chosen(game, found)


def _wager(wager: Wager, edition: Edition) -> None:
    for words in asks.needs(wager):
        st.caption(words)
    tables = asks.pay_tables(wager, edition)
    left, right = st.columns([3, 2], gap="large") if tables else (st.container(), None)
    with left:
        st.markdown("**Decision table**: the first line that holds decides.")
        st.dataframe(
            asks.rulings(wager),
            hide_index=True,
            height="content",
            column_config={
                "line": st.column_config.NumberColumn(width=60),
                "when": st.column_config.TextColumn(width="large"),
            },
        )
    if right is None:
        return
    with right:
        for table, prizes in tables:
            st.markdown(f"**Pay table** of {wording.plain(table.wager)}, by the column the house elects")
            st.dataframe(prizes, hide_index=True, height="content")


def _exact_odds(game: Game) -> None:
    st.subheader("Exact odds", anchor=False)
    if not asks.has_odds(game):
        st.caption("Not worked out yet.")
        return
    st.caption("Every deal is counted, nothing is simulated: seconds for some games, minutes for others.")
    if st.session_state.get(f"odds-{game.name}") or st.button("Work out the house edge of every wager"):
        st.session_state[f"odds-{game.name}"] = True
        st.dataframe(
            _odds(game.name),
            hide_index=True,
            column_config={
                "house edge %": st.column_config.NumberColumn("house edge", format="%.4f %%"),
                "rounds": st.column_config.NumberColumn("deals counted", format="localized"),
            },
        )


def _manual() -> None:
    place, _ = st.columns([2, 6])
    code = place.selectbox("Code", ["all", *asks.codes()], key="code", bind="query-params")
    for family, detectors in asks.families().items():
        shown = [each for each in detectors if code in ("all", each.code)]
        if not shown:
            continue
        st.subheader(family, anchor=False)
        for detector in shown:
            with st.expander(f"{detector.code} {detector.name} · {detector.severity}", expanded=code != "all"):
                told = detector.manual
                st.markdown(f"{told.flags}\n\n**Why:** {told.why}\n\n**Blind to:** {told.blind_to}")
                if isinstance(detector, Statistic):
                    st.markdown(asks.tested(detector))
                    st.code("catwalk statistics FILE…", "shell")
                st.caption("Clauses: " + ", ".join(detector.clauses))
