"""Wrongs planted in a round before it is settled: with the wagers, the deal, the void that was due and the deck.

One wrong a round, and all else in it stays as the law has it. A way that does not fit the round answers None and changes
nothing. What can only be planted once it is known what is owed is left to `mispaid`, what happens to the feed to `feed`, and what
is left undone between rounds to `lapses`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from random import Random
from typing import Final

from ingest.floor import irregular, lapses, misbet, misdealt, misplayed, short_deck, stray, unwelcome
from ingest.floor.felt import Play, Round, Way, Wrong
from rules.game import Irregularity

# A code's weight makes up for how seldom a round offers the chance of it.
WEIGHTS: Final = {
    "PAY01": 1,
    "PAY02": 1,
    "PAY03": 1,
    "PAY04": 1,
    "PAY05": 3,
    "PAY06": 1,
    "PAY07": 1,
    "PAY08": 1,
    "PAY09": 1,
    "BET01": 1,
    "BET02": 1,
    "BET03": 1,
    "BET04": 2,
    "BET05": 1,
    "BET06": 1,
    "BET07": 1,
    "BET08": 1,
    "DEAL01": 1,
    "DEAL02": 1,
    "DEAL03": 1,
    "DEAL04": 1,
    "DEAL05": 1,
    "DEAL06": 1,
    "DEAL07": 1,
    "DEAL08": 1,
    "VOID01": 1,
    "VOID02": 1,
    "DECK01": 1,
    "DECK02": 1,
    "DECK03": 1,
    "DECK04": 10,
    "FEED01": 1,
    "PROC03": 1,
    "FEED02": 1,
    "FEED03": 1,
    "FEED04": 1,
    "FEED05": 1,
    "FEED06": 1,
}
CODES: Final = (*WEIGHTS, *lapses.CODES, *short_deck.CODES)
# Those that show only where a table deals for hours.
LATE: Final = short_deck.CODES
VOIDS: Final = ("PAY09", "VOID02")
WAYS: Final[dict[str, tuple[Way, ...]]] = {
    **misbet.WAYS,
    **unwelcome.WAYS,
    **misdealt.WAYS,
    **misplayed.WAYS,
    **stray.WAYS,
}


def codes(play: Play) -> tuple[str, ...]:
    """The wrongs that can be done in a game."""
    law = play.law
    never = set()
    if not any(wager.bonus_on for wager in law.wagers):
        never.add("PAY06")
    if Irregularity.DEALER_CARD_EXPOSED not in law.remedies:
        never.add("DEAL05")
    if len(law.packs) > 1:  # a hand takes as many cards as its player asks for, and the dealer as he must
        never.add("DEAL01")
    else:
        never.add("DEAL08")
    if not law.stub_is_counted:
        never |= {"DECK03", "DECK04", "DECK07", "DECK08"}
    if law.procedure.second_deck is None:
        never.add("DECK05")
    if law.procedure.cut is None:
        never.add("PROC02")
    if law.bettors_on_a_box > 1:
        never.add("BET06")  # whoever stands behind a seat may bet on it
    else:
        never.add("BET07")
    # Of several packs nobody can tell which card it was; where one turned card voids the round, playing on is the wrong.
    if len(law.packs) > 1 or law.remedies[Irregularity.ONE_CARD_FACE_UP].voids:
        never.add("DEAL06")
    return tuple(code for code in CODES if code not in never)


@dataclass(slots=True)
class Memory:
    """The last rounds of a table that carry a wrong, so that no two wrongs hide each other."""

    last_wrong: int = -99
    last_feed_wrong: int = -99
    last_gap: int = -99

    def note(self, round: Round) -> None:
        code = round.planned or (round.wrong.code if round.wrong else "")
        if code:
            self.last_wrong = round.number
        if code.startswith("FEED"):
            self.last_feed_wrong = round.number
        if code == "FEED01":
            self.last_gap = round.number


@dataclass(frozen=True, slots=True)
class Situation:
    memory: Memory
    opened: int  # the first round of this opening
    count_due: bool
    only: Collection[str]  # the wrongs that are asked for; all where none is named
    deck_in_doubt: bool  # one that will be told of when it is used the next time
    fifth_uncounted: bool  # four rounds of this opening went before without a count, and this one would be the fifth


def plan(round: Round, rng: Random, situation: Situation) -> None:
    """Plants one wrong in an honest round, or marks which one to plant when the round is settled or told."""
    weights = {**WEIGHTS, **round.play.weights}
    fitting = [code for code in codes(round.play) if code in WEIGHTS and code in (situation.only or WEIGHTS)]
    for code in sorted(fitting, key=lambda code: -(rng.random() ** (1 / weights[code]))):
        if _planted(code, round, rng, situation):
            return


def _planted(code: str, round: Round, rng: Random, situation: Situation) -> bool:
    if _would_hide_another(code, round, situation):
        return False
    round.count_due = situation.count_due
    ways = round.play.ways.get(code) or WAYS.get(code)
    if ways:
        for way in rng.sample(ways, len(ways)):
            round.wrong = way(round, rng)
            if round.wrong is not None:
                return True
        return False
    if code == "DECK04":
        return _left_uncounted(round, rng, situation)
    if code == "PAY09":
        (round.play.voided or irregular.voided)(round, rng)
    if code in round.play.chances:
        round.play.chances[code](round, rng)
    round.planned, round.luck = code, rng.getrandbits(64)
    return True


def _would_hide_another(code: str, round: Round, situation: Situation) -> bool:
    """A void puts off a count that is due; a gap could hide the wrong before it, and what is told late could meet it."""
    if code in VOIDS:
        return situation.count_due
    if code.startswith("FEED") and situation.deck_in_doubt:
        return True
    if code == "BET06":  # behind a gap nobody knows who sits where
        return situation.memory.last_gap >= situation.opened
    return code in ("FEED01", "FEED04", "FEED05") and situation.memory.last_wrong == round.number - 1


def _left_uncounted(round: Round, rng: Random, situation: Situation) -> bool:
    """Nobody counts when it is due; nor in some rounds after it; or the fifth round is void, and nobody counts for that."""
    # What the feed lost in those five rounds could have been a count.
    if not situation.fifth_uncounted or round.number - situation.memory.last_feed_wrong <= 5:
        return False
    way = rng.choice(("passed over", "passed over for longer", "void"))
    if way == "void":
        irregular.voided(round, rng)
    elif way == "passed over for longer":
        round.neglected = rng.randint(1, 3)
    round.uncounted = True
    round.wrong = Wrong("DECK04")
    return True
