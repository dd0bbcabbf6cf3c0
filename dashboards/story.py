"""The round retold: what happened line by line, who held what, and what each wager was owed, by which line of the law.

The terminal and the pages tell the same story; it is derived from the table's events by the engine that audits them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl

from dashboards import hands, wording
from detectors.audit import told
from ingest import frame, notation, wire
from replay import facts
from replay.derivation import Derivation, derive
from rules import cards
from rules.decision import Wager, table_of
from rules.games import GAMES


@dataclass(frozen=True, slots=True)
class Line:
    """One event. `card` is what it shows, in the sentence as the notation writes it; a gap or a contested seq is a `remark`."""

    seq: int
    at: datetime
    sentence: str
    card: str | None = None
    remark: str | None = None

    @property
    def parts(self) -> tuple[str, str | None, str]:
        """The sentence before its card, the card, and the sentence after it."""
        if self.card is None:
            return self.sentence, None, ""
        before, card, after = self.sentence.partition(self.card)
        return before, card, after


@dataclass(frozen=True, slots=True)
class Holding:
    """The cards of one hand as they lay in the end; the dealer's and the board have no seat."""

    whose: str  # `seat 3 hand 2`, `dealer`, `board`
    seat: int | None
    hand: int
    cards: tuple[str, ...]
    words: str
    choice: str | None


@dataclass(frozen=True, slots=True)
class Settlement:
    """`because`: the line of the decision table that decided, or why none could."""

    seat: int
    hand: int
    player: str | None
    wager: str
    stake: int
    owed: int | None
    paid: int
    clause: str | None
    because: str


@dataclass(frozen=True, slots=True)
class Finding:
    id: str
    code: str
    name: str
    severity: str
    clause: str | None
    message: str


@dataclass(frozen=True, slots=True)
class Story:
    table: str
    round: int
    title: str
    edition: str | None
    dealer: str | None
    deck: str | None
    began_at: datetime
    voided: bool
    incident: str | None
    reason: str | None
    wagers: int
    derived: int
    lines: tuple[Line, ...]
    holdings: tuple[Holding, ...]
    settlements: tuple[Settlement, ...]
    findings: tuple[Finding, ...]


def stories(pieces: Iterable[pl.DataFrame], table: str, round: int) -> list[Story]:
    """Every round of that number, from events that ascend piece by piece: a gateway may have used a number twice."""
    mine = (pl.col("table") == table) & (pl.col("round") == round)
    around = (pl.col("table") == table) & (pl.col("round").is_null() | (pl.col("round") == round))
    derived: list[tuple[dict[str, Any], Derivation]] = []
    raw: list[pl.DataFrame] = []
    findings: list[Finding] = []
    carry = facts.none()
    for piece, final in _with_last(pieces):
        derivation = derive(carry, piece, final)
        audited = told(derivation)
        findings += [_finding(row) for row in audited.findings.filter(mine).iter_rows(named=True)]
        raw.append(piece.filter(around).select(*frame.SCHEMA))
        derived += [(row, derivation) for row in audited.rounds.filter(mine).iter_rows(named=True)]
        carry = audited.carry
    return [_story(row, derivation, pl.concat(raw), tuple(findings)) for row, derivation in derived]


def _with_last(pieces: Iterable[pl.DataFrame]) -> Iterator[tuple[pl.DataFrame, bool]]:
    source = iter(pieces)
    piece = next(source, None)
    while piece is not None:
        following = next(source, None)
        yield piece, following is None
        piece = following


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(row["id"], row["code"], row["name"], row["severity"], row["clause"], row["message"])


def _story(row: dict[str, Any], derivation: Derivation, raw: pl.DataFrame, findings: tuple[Finding, ...]) -> Story:
    of_table = pl.col("table") == row["table"]
    rid = derivation.rounds.filter(of_table & (pl.col("first_seq") == row["first_seq"]))["rid"].item()
    wagers = derivation.wagers.filter(pl.col("rid") == rid)
    during = pl.col("seq").is_between(row["first_seq"], row["last_seq"])
    known = derivation.facts.filter(of_table & during).select("seq", "after", "disputed")
    game = GAMES.get(row["game"] or "")
    return Story(
        table=row["table"],
        round=row["round"],
        title=game.title if game else row["game"] or "a game nobody named",
        edition=row["edition"],
        dealer=row["dealer"],
        deck=row["deck"],
        began_at=row["began_at"],
        voided=row["voided"],
        incident=row["incident"],
        reason=row["reason"],
        wagers=row["wagers"],
        derived=row["derived"],
        lines=tuple(_lines(raw.filter(during), known)),
        holdings=tuple(_holdings(derivation, rid, row["game"] or "")),
        settlements=tuple(_settlement(wager, row["incident"]) for wager in wagers.iter_rows(named=True)),
        findings=findings,
    )


# A finding in plain words


def plainly(story: Story, found: Mapping[str, object]) -> list[str]:
    """What a finding turns on: the hands, the chips, the line of the law that decides, and what was paid."""
    of_cards = str(found["code"]).startswith(("PAY", "DEAL"))
    held = [
        f"{_whose(each)} held {_signs(each)}: {each.words}."
        + (f" The player chose {wording.plain(each.choice)}." if each.choice else "")
        for each in story.holdings
        if of_cards and (each.whose == "dealer" or (each.seat is not None and each.seat == found["seat"]))
    ]
    board = [f"On the board lay {_signs(each)}." for each in story.holdings if held and each.whose == "board"]
    owed = [
        f"{wording.dollars(each.stake)} on {wording.plain(each.wager)}. The law: {each.because}"
        + (f" ({each.clause})." if each.clause else ".")
        for each in story.settlements
        if (each.seat, each.wager) == (found["seat"], found["wager"])
        and found["hand"] in (None, each.hand)
        and found["player"] in (None, each.player)
    ]
    void = [f"The round was declared void: {story.incident or 'no reason given'}."] if story.voided else []
    return [*held, *board, *owed, *void]


def _whose(held: Holding) -> str:
    return "The dealer" if held.whose == "dealer" else held.whose.capitalize()


def _signs(held: Holding) -> str:
    return " ".join(cards.sign(card) for card in held.cards)


# What happened


def _lines(events: pl.DataFrame, known: pl.DataFrame) -> Iterator[Line]:
    """The events in the order of their seq, a contested one in all its contents, and where some are missing."""
    ordered = events.unique(maintain_order=True).sort("seq", maintain_order=True)
    disputed = set(known.filter("disputed")["seq"])
    after: int | None = None
    for content, seq in zip(frame.to_contents(ordered), ordered["seq"], strict=True):
        read = wire.read(content)
        assert isinstance(read, wire.Accepted)
        if after is not None and seq > after + 1:
            missing = seq - after - 1
            said = "1 event is missing here" if missing == 1 else f"{missing} events are missing here"
            yield Line(after + 1, read.event.at, "", remark=said)
        after = seq
        yield Line(
            seq,
            read.event.at,
            notation.sentence(read.event),
            getattr(read.event, "card", None),
            "sent with two contents" if seq in disputed else None,
        )


# Who held what


def _holdings(derivation: Derivation, rid: int, game: str) -> Iterator[Holding]:
    """The hands as they lay in the end: cards moved by a split are where they moved to, a card that was changed is gone."""
    dealt = derivation.cards.filter((pl.col("rid") == rid) & (pl.col("type") == "card_dealt"))
    board = tuple(dealt.filter(pl.col("to") == "community")["card"].cast(pl.String))
    choices = {
        (seat, hand): choice
        for seat, hand, choice in derivation.seats.filter(pl.col("rid") == rid)
        .select("seat", "hand", "choice")
        .iter_rows()
    }
    for (seat, hand), names in sorted(_held(derivation, rid, game, dealt).items()):
        number = f" hand {hand}" if hand > 1 else ""
        yield Holding(
            f"seat {seat}{number}", seat, hand, names, _hand_words(game, names, board), choices.get((seat, hand))
        )
    if board:
        yield Holding("board", None, 1, board, "", None)
    dealer = tuple(dealt.filter(pl.col("to") == "dealer")["card"].cast(pl.String))
    if dealer:
        yield Holding("dealer", None, 1, dealer, _hand_words(game, dealer, board), None)


def _held(derivation: Derivation, rid: int, game: str, dealt: pl.DataFrame) -> dict[tuple[int, int], tuple[str, ...]]:
    hands_ = derivation.hands.get(game)
    if hands_ is not None and "player_cards" in hands_.columns:
        rows = hands_.filter((pl.col("rid") == rid) & (pl.col("player_count") > 0))
        lying = rows.select("seat", "hand", pl.col("player_cards").cast(pl.List(pl.String))).iter_rows()
        return {(seat, hand): tuple(names) for seat, hand, names in lying}
    held: dict[tuple[int, int], list[str]] = {}
    for seat, hand, card in (
        dealt.filter(pl.col("to") == "player").select("seat", "hand", pl.col("card").cast(pl.String)).iter_rows()
    ):
        held.setdefault((seat, hand), []).append(card)
    discarded = derivation.facts.filter((pl.col("rid") == rid) & (pl.col("type") == "card_discarded"))
    for seat, card in discarded.select("seat", pl.col("card").cast(pl.String)).iter_rows():
        if card in held.get((seat, 1), []):
            held[seat, 1].remove(card)
    return {whose: tuple(names) for whose, names in held.items()}


def _hand_words(game: str, names: tuple[str, ...], board: tuple[str, ...]) -> str:
    words = hands.in_words(game, names, board)
    if words is not None:
        return words
    unread = names.count(cards.UNREAD)
    if unread:
        return "1 card was not read" if unread == 1 else f"{unread} cards were not read"
    return wording.counted(len(names), "card")


# What was owed


def _settlement(row: dict[str, Any], incident: str | None) -> Settlement:
    return Settlement(
        seat=row["seat"],
        hand=row["hand"],
        player=row["player"],
        wager=row["wager"],
        stake=row["stake"],
        owed=row["owed"],
        paid=row["paid"],
        clause=row["clause"],
        because=_because(row, incident),
    )


def _because(row: dict[str, Any], incident: str | None) -> str:
    if row["owed"] is None:
        return f"not derived: {row['reason']}"
    if row["voided"] or row["cause_clause"] is not None:
        return f"the round is void: {incident}" if incident else "the law voids the round"
    wager = _law(row["game"], row["edition"], row["wager"])
    if row["line"] is None or wager is None:
        return "it is not offered at this table" if row["stake"] else "no such wager lies there"
    ruling = wager.rulings[row["line"]]
    return f"{_outcome(wager, row, ruling.outcome.words)}: {ruling.condition.words}"


def _law(game: str | None, edition: str | None, name: str) -> Wager | None:
    known = GAMES.get(game or "")
    return next((each for each in known.wagers_of(edition or "") if each.name == name), None) if known else None


def _outcome(wager: Wager, row: dict[str, Any], words: str) -> str:
    """`pays 6 to 1 for straight in column 1`, where the line leaves the odds to a pay table."""
    table = table_of(wager, wager.rulings[row["line"]].outcome)
    if table is None or row["cell"] is None:
        return words
    column, hand = table.column(row["column"]), table.hands[row["cell"]]
    if column is None or hand not in column.prizes:
        return words
    named = f" by the {table.wager.replace('_', ' ')} table" if table is not wager.pay_table else ""
    return f"pays {column.prizes[hand].words} for {hand.replace('_', ' ')} in column {column.name}{named}"
