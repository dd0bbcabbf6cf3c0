"""STAT06: players who decide as if they saw the dealer's cards."""

import polars as pl

from detectors.statistics.chance import tails
from detectors.statistics.period import Period
from detectors.statistics.verdict import Verdict, judged


def hole_card_play(period: Period, alpha: float) -> Verdict:
    """Flags a player of Three Card Poker or Heads Up Hold'em whose decisions follow a card of the dealer's that he
    could not see: he stays in when that card would tell him to, beyond what his own cards and the board explain.

    Why: a card that flashes as it is dealt, or a partner who sees it, turns the game against the house by more than any
    count of cards, and no single round shows it.

    Blind to: what he does with the knowledge beyond staying in or not, such as the size of a raise; who plays two hands
    at once; rounds in which a card was exposed for all to see. Whether it was the dealer's hands, a mirror or a
    neighbour is not said: the first, second or third card is.
    """
    of = ["game", "street", "player", "card"]
    rounds, told_to, stayed = pl.col("rounds"), pl.col("told_to"), pl.col("stayed")
    strata = period.choices.group_by(*of, "stay_cards").agg(
        population=rounds.sum(),
        marked=rounds.filter(told_to).sum(),
        drawn=rounds.filter(stayed).sum(),
        seen=rounds.filter(told_to & stayed).sum(),
    )
    # Where he always did the same, or the card always said the same, nothing can be learnt.
    telling = strata.filter(
        (pl.col("marked") < pl.col("population")) & (pl.col("drawn") < pl.col("population")) & (pl.col("drawn") > 0)
    )
    # Over all strata, the likelihood ratio of any informed player against every public strategy grows with this one sum.
    tested = tails(telling, of)
    decided = telling.group_by(*of).agg(pl.col("population", "drawn").sum())
    street = pl.col("street").str.replace("_", "-")
    return judged(
        tested.join(decided, on=of, how="left", maintain_order="left"),
        tested.height,
        alpha,
        message=pl.format(
            "Player {} stayed in {} times of {} in {} ({}), and {} times the dealer's card {}, which he could not "
            "see, was one to stay in against, where {} are likely",
            *("player", "drawn", "population", "game", street, "seen", "card", pl.col("expected").round(1)),
        ),
    )
