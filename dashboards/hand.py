"""The hand: one round rebuilt card by card and chip by chip, what the law owed each wager, and its sheet for the file."""

from collections.abc import Sequence
from datetime import UTC, date
from pathlib import Path
from typing import Final

import polars as pl
import streamlit as st

from dashboards import components, desk, paper, queries, wording
from dashboards.felt import Step, steps
from dashboards.queries import casework, decks
from dashboards.queries import hand as asks
from dashboards.sheet import CERTIFICATE, Sheet, as_html, sheet
from dashboards.story import Story
from detectors.published import Reader
from ingest import wire
from ingest.events import AnyEvent
from rules import cards

_COUNTED: Final = ("rounds", "shuffles", "cuts", "counts")


@st.cache_data(max_entries=60, show_spinner="Deriving the round again")
def _stories(
    data: Path,
    snapshot: queries.Snapshot,  # noqa: ARG001 - kept by the snapshot it was asked of
    table: str,
    round: int,
    _rows: pl.DataFrame,
) -> tuple[list[Story], list[str]]:
    events = asks.events_of(data, table, round, _rows)
    return asks.round_stories(data, table, round, _rows), asks.contents(events)


@st.cache_data(max_entries=60, show_spinner="Following the deck")
def _deck(
    data: Path,
    snapshot: queries.Snapshot,  # noqa: ARG001 - kept by the snapshot it was asked of
    table: str,
    began: tuple[str, int, date],
    _reader: Reader,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The ledger of the round's deck, and the cards of the round."""
    deck, seq, day = began
    of = decks.day(_reader, data, table, day)
    assert of is not None
    return decks.ledger(of, deck, seq), decks.cards_of(of, deck, seq)


def page() -> None:
    reader = desk.reader()
    if reader is None:
        return
    table, number = _looked_up(reader)
    if table is None or number is None:
        st.info("No round to show yet: it appears with the first round that comes to its end.")
        return
    snapshot = desk.snapshot()
    assert snapshot is not None
    rows = asks.rounds_of(reader, table, number)
    told, contents = _stories(desk.data_folder(), snapshot, table, number, rows)
    if not contents:
        st.warning("The log has no such round.")
        return
    found = casework.of_round(reader, table, number)
    _heading(reader, table, number, rows, told)
    _found(found)
    _felt(table, number, contents, found)
    if not told:
        st.info("This round is not decided yet: nothing was derived of it. It is drawn as far as it was seen.")
    for story in told:
        _wagers(story)
        _papers(reader, story, found, contents)
    for began in rows.select("deck", "first_seq", "day").drop_nulls().iter_rows():
        _ledger(table, began, *_deck(desk.data_folder(), snapshot, table, began, reader))
    _raw(contents)


# Which round


def _looked_up(reader: Reader) -> tuple[str | None, int | None]:
    """By table and round, or by table and time; what is shown is in the address."""
    tables = desk.choices(reader).tables
    table = desk.asked("table") or (tables[0] if tables else None)
    said = desk.asked("round") or ""
    number = int(said) if said.isdecimal() else asks.latest_round(reader, table) if table else None
    if table is None:
        return None, None
    known = tables if table in tables else [*tables, table]
    with st.form("lookup", border=False):
        row = st.columns([2, 2, 2, 2, 2, 4], vertical_alignment="bottom")
        asked_table = row[0].selectbox("Table", known, known.index(table))
        asked_round = row[1].number_input("Round", 1, value=number or 1, step=1)
        by_round = row[2].form_submit_button("Show the round", width="stretch")
        moment = row[3].datetime_input("or at (UTC)", None, step=60)
        by_time = row[4].form_submit_button("Find by time", width="stretch")
    if by_time and moment is not None:
        at = asks.round_at(reader, asked_table, moment.replace(tzinfo=UTC))
        if at is None:
            st.warning("That table had no round by then.")
        else:
            _show(asked_table, at)
    elif by_round:
        _show(asked_table, int(asked_round))
    return table, number


def _show(table: str, number: int) -> None:
    st.query_params.from_dict({"table": table, "round": str(number)})
    st.rerun()


def _heading(reader: Reader, table: str, number: int, rows: pl.DataFrame, told: list[Story]) -> None:
    left, before, after = st.columns([8, 1.3, 1.3], vertical_alignment="bottom")
    left.title(f"Table {table}, round {number:,}")
    if rows.height:
        previous, following = asks.neighbours(reader, table, int(rows["first_seq"].item(0)), rows["day"].item(0))
        with before:
            if previous is not None:
                desk.link("hand", f"Round {previous:,}", ":material/arrow_back:", table=table, round=previous)
        with after:
            if following is not None:
                desk.link("hand", f"Round {following:,}", ":material/arrow_forward:", table=table, round=following)
    for story in told:
        edition = f", edition {story.edition}" if story.edition else ""
        st.text(
            f"{story.title}{edition} · dealer {story.dealer or 'not seen'} · deck {story.deck or 'not seen'} · "
            f"began {wording.stamp(story.began_at)}"
        )
        for words in (
            f"The round was declared void: {story.incident or 'no reason given'}" if story.voided else None,
            f"Incident: {story.incident}" if story.incident and not story.voided else None,
            f"Not all of it is derived: {story.reason}" if story.reason else None,
        ):
            if words:
                st.text(f"⚠ {words}")


def _found(found: pl.DataFrame) -> None:
    """One box for all of them: the felt below must be in sight."""
    if found.is_empty():
        return
    with st.container(border=True, gap="small"):
        for row in found.iter_rows(named=True):
            words, way = st.columns([6, 1.7], vertical_alignment="center")
            colour = desk.BADGES.get(row["severity"], "gray")
            words.markdown(f":{colour}-badge[{row['severity']}] **{row['code']} {row['name']}** · case {row['status']}")
            words.text(f"{row['message']}  ({row['clause'] or 'no clause'})")
            with way:
                desk.link("findings", "The finding and its case", ":material/flag:", finding=row["id"], period="all")


# The felt


def _felt(table: str, number: int, contents: Sequence[str], found: pl.DataFrame) -> None:
    facts, remarks = _drawable(contents)
    first = facts[0].seq
    drawn = list(steps(facts, asks.seated_before(desk.data_folder(), table, first)))
    wrong_seqs = sorted({seq for seqs in found["seqs"] for seq in seqs})
    components.felt(
        {
            "key": f"{table}/{number}/{len(drawn)}",
            "table": table,
            "at": _first_step(drawn, wrong_seqs),
            "steps": drawn,
            "remarks": remarks,
            "wrongSeqs": wrong_seqs,
            "wrongs": found.filter(pl.col("seat").is_not_null() & pl.col("wager").is_not_null())
            .select("seat", "hand", "wager", "player")
            .to_dicts(),
        },
        key=f"felt-{table}-{number}",
    )
    st.caption(
        "Seat 1 is farthest to the dealer's left, drawn on the right. Arrow keys step through the round; a blue corner marks "
        "a card that lay face down, a dashed one a card that was not read."
    )


def _drawable(contents: Sequence[str]) -> tuple[list[AnyEvent], dict[str, str]]:
    """The events to draw, one for each `seq`, and what has to be said beside them: gaps, and contents that contradict."""
    facts: list[AnyEvent] = []
    remarks: dict[str, str] = {}
    for content in contents:
        read = wire.read(content.encode())
        assert isinstance(read, wire.Accepted)
        last = facts[-1].seq if facts else read.event.seq - 1
        if read.event.seq == last:
            remarks[str(last)] = "sent with two contents; the first to come is drawn"
            continue
        if read.event.seq > last + 1:
            missing = read.event.seq - last - 1
            remarks[str(read.event.seq)] = f"{missing} event{'s are' if missing > 1 else ' is'} missing before this"
        facts.append(read.event)
    return facts, remarks


def _first_step(drawn: list[Step], wrong_seqs: list[int]) -> int:
    """The step in the address; else where the wrong shows; else the end."""
    said = desk.asked("step") or ""
    if said.isdecimal():
        return int(said) - 1
    wrong = [place for place, step in enumerate(drawn) if step["seq"] in wrong_seqs]
    return wrong[-1] if wrong else len(drawn) - 1


# What the law owed


def _wagers(story: Story) -> None:
    st.subheader("What the law owed", anchor=False)
    st.caption(f"{story.derived} of {story.wagers} wagers derived. Sums are net to the player.")
    settled = _settlements(story)
    st.dataframe(
        settled,
        hide_index=True,
        height=desk.tall(settled.height, 30),
        column_config={
            **desk.DOLLARS,
            **{name: st.column_config.NumberColumn(width=50) for name in ("seat", "hand")},
            "differs": st.column_config.NumberColumn(
                "difference", format="dollar", help="Paid, less what was owed: below zero, too little was paid."
            ),
            "because": st.column_config.TextColumn("the line that decides", width=560),
        },
        placeholder="–",
    )
    st.dataframe(
        {
            "hand": [held.whose for held in story.holdings],
            "cards": ["  ".join(cards.sign(card) for card in held.cards) for held in story.holdings],
            "makes": [held.words for held in story.holdings],
            "decision": [wording.plain(held.choice or "") for held in story.holdings],
        },
        hide_index=True,
    )


def _settlements(story: Story) -> pl.DataFrame:
    rows = [
        (s.seat, s.hand, s.player, wording.plain(s.wager), s.stake, s.owed, s.paid, s.clause, s.because)
        for s in story.settlements
    ]
    return asks.owed_beside_paid(rows)


# Where the cards came from


def _ledger(table: str, began: tuple[str, int, date], ledger: pl.DataFrame, cards_out: pl.DataFrame) -> None:
    deck, _, day = began
    st.subheader("The deck's ledger", anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.text(f"Deck {deck}, from received to removed as far as it was seen")
        numbers = {
            name: st.column_config.NumberColumn(words or name, width="small")
            for name, words in {"cards_out": "cards out", **dict.fromkeys(_COUNTED)}.items()
        }
        st.dataframe(
            decks.nothing_blank(ledger),
            hide_index=True,
            column_config={"at": desk.MOMENT, "what": st.column_config.TextColumn(width="medium"), **numbers},
            placeholder="–",
        )
        desk.link("decks", "All decks of the day", ":material/stacks:", table=table, day=day, deck=deck)
    with right:
        st.text("The cards of the round, in the order they came out")
        st.dataframe(
            cards_out,
            hide_index=True,
            height=desk.tall(cards_out.height, 10),
            column_config={
                "place": st.column_config.NumberColumn("since the shuffle", help="Which card of the deck it was."),
                "lay": "face",
                "seq": st.column_config.NumberColumn("seq", format="%d"),
            },
            placeholder="–",
        )


# For the file


def _papers(reader: Reader, story: Story, found: pl.DataFrame, contents: Sequence[str]) -> None:
    acts = [
        line for id in found["id"] for line in casework.in_words(casework.history(reader, desk.data_folder(), str(id)))
    ]
    made = sheet(
        story, list(found.iter_rows(named=True)), acts, contents, position=reader.position(), made_at=desk.now()
    )
    _certified(made)
    name = f"{story.table}-round-{story.round}"
    html, pdf, _ = st.columns([1.2, 1.2, 6])
    html.download_button(
        f"{_paper_name(made)} (HTML)", as_html(made), f"{name}.html", "text/html", on_click="ignore", width="stretch"
    )
    pdf.download_button(
        f"{_paper_name(made)} (PDF)",
        paper.ruling(made),
        f"{name}.pdf",
        "application/pdf",
        on_click="ignore",
        width="stretch",
    )


def _paper_name(made: Sheet) -> str:
    return "Certificate" if made.kind == CERTIFICATE else "Ruling sheet"


def _certified(made: Sheet) -> None:
    if made.kind == CERTIFICATE:
        st.success(
            f"Nothing differs from the law in this round: every wager was derived, and {len(made.checked)} detectors found "
            "nothing. The certificate says what was checked."
        )
    elif not made.findings:
        st.warning("No findings, but not all of it could be derived: no certificate.")


def _raw(contents: Sequence[str]) -> None:
    with st.expander("The events as they stand in the log"):
        st.code("\n".join(contents), None)
