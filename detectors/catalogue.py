"""The catalogue: every detector with its code, name and severity, in one list. Codes are never reused."""

from collections.abc import Callable
from dataclasses import dataclass
from inspect import getdoc
from typing import Final, Literal

import polars as pl

from detectors import betting, dealing, decks, feed, payouts
from detectors.finding import complete, none
from replay.derivation import Derivation

Severity = Literal["critical", "major", "minor", "advisory"]


@dataclass(frozen=True, slots=True)
class Manual:
    """A detector's docstring, cut into its three parts."""

    flags: str
    why: str
    blind_to: str


@dataclass(frozen=True, slots=True)
class Detector:
    code: str
    severity: Severity
    says: Callable[[Derivation], pl.DataFrame]
    clauses: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.says.__name__.replace("_", "-")

    @property
    def manual(self) -> Manual:
        parts = [" ".join(part.split()) for part in (getdoc(self.says) or "").split("\n\n")]
        flags, why, blind_to = parts
        return Manual(flags, why.removeprefix("Why: "), blind_to.removeprefix("Blind to: "))

    def findings(self, derivation: Derivation) -> pl.DataFrame:
        return complete(derivation, self.says(derivation), self.code, self.name, self.severity)


_PAYS: Final = (
    "19:47-20.10(b)",
    "19:47-20.11(a)1",
    "19:47-20.11(a)2",
    "19:47-20.11(a)3",
    "19:47-20.11(a)4",
    "19:47-20.12A(a)",
)

CATALOGUE: Final = (
    Detector("PAY01", "major", payouts.overpaid, _PAYS),
    Detector("PAY02", "major", payouts.underpaid, _PAYS),
    Detector("PAY03", "major", payouts.loser_not_taken, _PAYS),
    Detector("PAY04", "critical", payouts.winner_taken, _PAYS),
    Detector("PAY05", "major", payouts.push_moved, ("19:47-20.6(a)", "19:47-20.11(a)1")),
    Detector("PAY06", "major", payouts.bonus_missed, ("19:47-20.11(a)3",)),
    Detector("PAY07", "minor", payouts.wager_unsettled, _PAYS),
    Detector("PAY08", "major", payouts.paid_for_nothing, ("19:47-20.10(c)", *_PAYS)),
    Detector("PAY09", "major", payouts.money_in_a_void_round, ("19:47-20.12",)),
    Detector("BET01", "critical", betting.late_wager, ("19:47-20.6(d)",)),
    Detector("BET02", "critical", betting.wager_pulled, ("19:47-20.6(d)",)),
    Detector("BET03", "major", betting.wrong_size, ("19:47-20.10(b)",)),
    Detector("BET04", "minor", betting.companion_missing, ("19:47-20.6(a)4", "19:47-20.10(b)")),
    Detector("DEAL01", "critical", dealing.wrong_card_count, ("19:47-20.12(c)",)),
    Detector("DEAL02", "minor", dealing.card_out_of_turn, ("19:47-20.7(c)", "19:47-20.8(c)", "19:47-20.9(c)")),
    Detector(
        "DEAL03", "minor", dealing.dealt_before_bets_closed, ("19:47-20.7(b)", "19:47-20.8(b)3", "19:47-20.9(b)2")
    ),
    Detector("DEAL05", "critical", dealing.dealer_card_exposed, ("19:47-20.12(d)",)),
    Detector("VOID01", "critical", dealing.void_missing, ("19:47-20.12(a)", "19:47-20.12(f)")),
    Detector("DECK01", "critical", decks.duplicate_card, ("19:47-20.2(a)",)),
    Detector("DECK02", "critical", decks.foreign_card, ("19:47-20.2(a)",)),
    Detector("DECK03", "critical", decks.stub_miscounted, ("19:47-20.7(e)2",)),
    Detector("DECK04", "minor", decks.count_overdue, ("19:47-20.7(e)", "19:47-20.8(e)", "19:47-20.9(e)")),
    Detector("FEED01", "major", feed.events_missing, ("19:47-20.10(d)",)),
    Detector("FEED02", "major", feed.events_conflict, ("19:47-20.10(d)",)),
    Detector("FEED04", "advisory", feed.round_unfinished, ("19:47-20.10(d)",)),
    Detector("FEED06", "minor", feed.card_unread, ("19:47-20.10(d)",)),
)

BY_CODE: Final = {detector.code: detector for detector in CATALOGUE}


def findings(derivation: Derivation) -> pl.DataFrame:
    """All that the catalogue has to say of one batch, in the order of table, round and code."""
    told = [each for detector in CATALOGUE if not (each := detector.findings(derivation)).is_empty()]
    return pl.concat(told).sort("table", "at", "code", "id") if told else none()
