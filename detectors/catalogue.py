"""The catalogue: every detector with its code, name and severity, and every statistic, in two lists. Codes are never reused."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from inspect import getdoc
from typing import Final, Literal

import polars as pl

from detectors import betting, bettors, dealing, decks, feed, payouts, playing, procedure, rotation
from detectors.evidence import Evidence, of
from detectors.finding import SAID, Tellings, complete, none
from detectors.statistics import errors, hole_cards, shuffles, supervisors, verdict
from detectors.statistics.period import Period
from replay.derivation import Derivation
from replay.frames import all_collected
from rules import heads_up_holdem, spanish_21, three_card_poker
from rules.decision import tables_of
from rules.game import Game, Irregularity
from rules.games import GAMES

Severity = Literal["critical", "major", "minor", "advisory"]


@dataclass(frozen=True, slots=True)
class Manual:
    """A detector's docstring, cut into its three parts."""

    flags: str
    why: str
    blind_to: str

    @classmethod
    def of(cls, says: object) -> "Manual":
        flags, why, blind_to = (" ".join(part.split()) for part in (getdoc(says) or "").split("\n\n"))
        return cls(flags, why.removeprefix("Why: "), blind_to.removeprefix("Blind to: "))


@dataclass(frozen=True, slots=True)
class Detector:
    code: str
    severity: Severity
    says: Callable[[Evidence], Tellings]
    clauses: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.says.__name__.replace("_", "-")

    @property
    def manual(self) -> Manual:
        return Manual.of(self.says)

    def said(self, rows: pl.DataFrame) -> pl.DataFrame:
        """What it says of rows, beside its code, name and severity."""
        stated = {name: pl.col(name) if name in rows.columns else pl.lit(None) for name in SAID}
        return rows.select(
            *(each.cast(SAID[name]).alias(name) for name, each in stated.items() if name != "severity"),
            code=pl.lit(self.code),
            name=pl.lit(self.name),
            severity=stated["severity"].cast(pl.String).fill_null(self.severity),
        )


@dataclass(frozen=True, slots=True)
class Statistic:
    """A test over a period. It has no part in an audit: chance alone makes it speak once in a while, at a rate that is
    stated."""

    code: str
    severity: Severity
    says: verdict.Test
    hypothesis: str  # what holds on an honest floor
    test: str  # how it is asked whether it does
    clauses: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.says.__name__.replace("_", "-")

    @property
    def manual(self) -> Manual:
        return Manual.of(self.says)

    def findings(self, told: verdict.Verdict, period: Period) -> pl.DataFrame:
        return verdict.findings(told, period, self.code, self.name, self.severity)


def _of_games(clause: Callable[[Game], Iterable[str | None]]) -> tuple[str, ...]:
    """What each game cites, in the order of the games."""
    return tuple(dict.fromkeys(each for game in GAMES.values() for each in clause(game) if each is not None))


_PAYS: Final = _of_games(
    lambda game: [
        each
        for wager in game.wagers
        for each in (
            *(ruling.clause for ruling in wager.rulings),
            *(column.clause for table in tables_of(wager) for column in table.columns),
        )
    ]
)
_BONUS: Final = _of_games(lambda game: [r.clause for w in game.wagers if w.bonus_on for r in w.rulings])
_VOIDS: Final = _of_games(
    lambda game: [game.void_clause, *(each.clause for each in game.remedies.values() if each.voids)]
)
_LATE: Final = _of_games(lambda game: [game.late_clause])
_OFFER: Final = _of_games(lambda game: [game.not_offered_clause])
_ORDER: Final = _of_games(lambda game: [deal.order_clause for deal in game.deal.values()])
_DECK: Final = _of_games(lambda game: [game.deck_clause])
_RECORD: Final = _of_games(lambda game: [game.record_clause])
_SIZE: Final = _of_games(
    lambda game: [
        *(each.clause for wager in game.wagers for each in (wager.equals, wager.at_most) if each is not None),
        *(street.clause for street in game.streets),
    ]
)


def _remedy(*irregularities: Irregularity) -> tuple[str, ...]:
    return _of_games(lambda game: [game.remedies[each].clause for each in irregularities if each in game.remedies])


CATALOGUE: Final = (
    Detector("PAY01", "major", payouts.overpaid, _PAYS),
    Detector("PAY02", "major", payouts.underpaid, _PAYS),
    Detector("PAY03", "major", payouts.loser_not_taken, _PAYS),
    Detector("PAY04", "critical", payouts.winner_taken, _PAYS),
    Detector("PAY05", "major", payouts.push_moved, (*_OFFER, *_PAYS)),
    Detector("PAY06", "major", payouts.bonus_missed, (*_BONUS, *_PAYS)),
    Detector("PAY07", "minor", payouts.wager_unsettled, _PAYS),
    Detector("PAY08", "major", payouts.paid_for_nothing, (*_of_games(lambda game: [game.settle_clause]), *_PAYS)),
    Detector("PAY09", "major", payouts.money_in_a_void_round, _VOIDS),
    Detector("BET01", "critical", betting.late_wager, _LATE),
    Detector("BET02", "critical", betting.wager_pulled, _LATE),
    Detector("BET03", "major", betting.wrong_size, _SIZE),
    Detector(
        "BET04",
        "minor",
        betting.companion_missing,
        _of_games(lambda game: [need.clause for wager in game.wagers for need in wager.needs]),
    ),
    Detector("BET05", "minor", bettors.outside_limits, _OFFER),
    Detector("BET06", "major", bettors.bettor_not_seated, _of_games(lambda game: [game.procedure.seated])),
    Detector("BET07", "minor", bettors.crowded_box, (spanish_21.BETTORS, spanish_21.BOXES)),
    Detector("BET08", "major", bettors.wager_not_offered, _OFFER),
    Detector(
        "DEAL01",
        "critical",
        dealing.wrong_card_count,
        _remedy(Irregularity.WRONG_CARD_COUNT, Irregularity.ONE_CARD),
    ),
    Detector("DEAL02", "minor", dealing.card_out_of_turn, _ORDER),
    Detector(
        "DEAL03",
        "minor",
        dealing.dealt_before_bets_closed,
        _of_games(lambda game: [deal.bets_closed_clause for deal in game.deal.values()]),
    ),
    Detector("DEAL04", "major", playing.wrong_face, (*_ORDER, *_remedy(Irregularity.DEALER_CARD_EXPOSED))),
    Detector(
        "DEAL05",
        "critical",
        dealing.dealer_card_exposed,
        (*_remedy(Irregularity.DEALER_CARD_EXPOSED), spanish_21.GAME.void_clause),
    ),
    Detector("DEAL06", "critical", playing.turned_card_played, _remedy(Irregularity.ONE_CARD_FACE_UP)),
    Detector(
        "DEAL07",
        "major",
        playing.impossible_decision,
        _of_games(lambda game: [playing.DECISIONS[game.name], *(street.clause for street in game.streets)]),
    ),
    Detector("DEAL08", "major", dealing.dealer_drew_wrong, (spanish_21.STANDS_ON_17, spanish_21.NEEDLESS_DRAW)),
    Detector("VOID01", "critical", dealing.void_missing, _VOIDS),
    Detector("VOID02", "major", playing.void_without_cause, _of_games(lambda game: [game.void_clause])),
    Detector("DECK01", "critical", decks.duplicate_card, _DECK),
    Detector("DECK02", "critical", decks.foreign_card, _DECK),
    Detector("DECK03", "critical", decks.stub_miscounted, _remedy(Irregularity.WRONG_STUB_COUNT)),
    Detector(
        "DECK04",
        "minor",
        decks.count_overdue,
        _of_games(lambda game: [deal.count_clause for deal in game.deal.values() if game.stub_is_counted]),
    ),
    Detector("DECK05", "minor", rotation.decks_not_alternated, _of_games(lambda game: [game.procedure.second_deck])),
    Detector(
        "DECK06",
        "minor",
        rotation.cards_past_their_hours,
        _of_games(lambda game: [each.clause for each in game.card_life.values()]),
    ),
    Detector(
        "DECK07",
        "critical",
        rotation.bad_deck_kept,
        _remedy(Irregularity.WRONG_STUB_COUNT, Irregularity.WRONG_SHUFFLER_COUNT),
    ),
    Detector(
        "DECK08",
        "critical",
        decks.card_never_seen,
        _of_games(lambda game: [game.deck_clause] if game.stub_is_counted else []),
    ),
    Detector("PROC01", "major", rotation.not_shuffled, _of_games(lambda game: [game.procedure.shuffled])),
    Detector("PROC02", "minor", rotation.cut_wrong, _of_games(lambda game: [game.procedure.cut])),
    Detector("PROC03", "minor", procedure.settled_out_of_order, _of_games(lambda game: [game.settle_clause])),
    Detector(
        "PROC04",
        "major",
        procedure.wrong_device,
        _of_games(lambda game: [game.procedure.hand_dealt, game.procedure.second_deck, game.procedure.device_removed]),
    ),
    Detector("FEED01", "major", feed.events_missing, _RECORD),
    Detector("FEED02", "major", feed.events_conflict, _RECORD),
    Detector("FEED03", "minor", feed.clock_backwards, _RECORD),
    Detector("FEED04", "advisory", feed.round_unfinished, _RECORD),
    Detector("FEED05", "minor", feed.stray_event, _RECORD),
    Detector("FEED06", "minor", feed.card_unread, _RECORD),
)

_HYPERGEOMETRIC: Final = "exact: hypergeometric tails, convolved over the strata"
_SETTLED: Final = _of_games(lambda game: [game.settle_clause])
STATISTICS: Final = (
    Statistic(
        "STAT01",
        "advisory",
        errors.dealer_error_rate,
        "Rounds with a payout error fall on all dealers alike, game by game and by how many wagers there were to "
        "settle.",
        f"{_HYPERGEOMETRIC} of game and wagers; three questions a dealer",
        _SETTLED,
    ),
    Statistic(
        "STAT02",
        "advisory",
        errors.dealer_player_affinity,
        "A dealer's errors in players' favour fall on the players' rounds that he dealt, whoever sat there.",
        f"{_HYPERGEOMETRIC} of the dealer's rounds by game and the player's wagers; one question a dealer and player",
        _SETTLED,
    ),
    Statistic(
        "STAT03",
        "advisory",
        errors.equal_repeated_overpayments,
        "Overpayments of one amount meet a dealer and a player no more often than the rounds of the one, or of the "
        "other, explain.",
        "exact: two hypergeometric tails, of the dealer's and of the player's rounds, of which the likelier counts; "
        "one question a "
        "dealer, player and amount",
        _SETTLED,
    ),
    Statistic(
        "STAT04",
        "advisory",
        supervisors.voids_per_supervisor,
        "A round of a game is declared void at the floor's rate, whoever is on duty.",
        f"{_HYPERGEOMETRIC} of games, without each block's first void; one question a supervisor",
        _of_games(lambda game: [game.void_clause]),
    ),
    Statistic(
        "STAT05",
        "advisory",
        shuffles.card_distribution,
        "Every card of a shuffled deck is as likely as any other to be among those dealt, and to be dealt in any "
        "place.",
        "Chernoff's bound on a count of independent rounds, both sides; one question a deck and card, and a shuffler,"
        " place and card",
        _of_games(lambda game: [game.procedure.shuffled]),
    ),
    Statistic(
        "STAT06",
        "advisory",
        hole_cards.hole_card_play,
        "Given what a player may see, whether he stays in has nothing to do with the dealer's cards.",
        f"{_HYPERGEOMETRIC} of equally many cards to stay in against, which is the likelihood ratio of an informed "
        "player against every "
        "public strategy; one question a player, game, street and card of the dealer's",
        tuple(
            GAMES[game].remedies[Irregularity.DEALER_CARD_EXPOSED].clause
            for game in (three_card_poker.NAME, heads_up_holdem.NAME)
        ),
    ),
)

BY_CODE: Final = {detector.code: detector for detector in CATALOGUE}
STATISTIC_BY_CODE: Final = {statistic.code: statistic for statistic in STATISTICS}


def findings(derivation: Derivation) -> pl.DataFrame:
    """All that the catalogue has to say of one batch, in the order of table, round and code."""
    evidence = of(derivation)
    tellings = [(detector, telling) for detector in CATALOGUE for telling in detector.says(evidence)]
    found = all_collected(*(telling.asked for _, telling in tellings))
    said = [
        detector.said(telling.worded(rows))
        for (detector, telling), rows in zip(tellings, found, strict=True)
        if not rows.is_empty()
    ]
    return complete(derivation, pl.concat(said)).sort("table", "at", "code", "id") if said else none()
