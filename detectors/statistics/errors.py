"""STAT01 to STAT03: whose errors they are, and who has them in his favour."""

from collections.abc import Sequence
from typing import Final

import polars as pl

from detectors.finding import dollars
from detectors.statistics.chance import tails
from detectors.statistics.period import Period
from detectors.statistics.verdict import Verdict, judged

seen, expected = pl.col("seen"), pl.col("expected")
_WORK: Final = ("game", "wagers", "voided")
# Of the rounds in which an error cost the house, the dearest that make up no more than this share.
_DEAREST: Final = 0.1


def dealer_error_rate(period: Period, alpha: float) -> Verdict:
    """Flags a dealer in whose rounds payouts were wrong, or had to be corrected, more often than on the rest of the
    floor; one whose errors cost the house more often; and one whose costly errors are too often among the dearest of
    the floor.

    Why: anybody errs, and a single overpayment says nothing; a rate that chance does not explain says training, fatigue
    or intent.

    Blind to: a floor that errs alike throughout, a dealer with few rounds, and rounds that could not be derived. One
    mistake in a round counts once, however many wagers it touched; rounds are compared with those of the same game and
    as many wagers.
    """
    work = period.rounds.filter(pl.col("dealer").is_not_null())
    costs = period.costs.filter(pl.col("dealer").is_not_null())
    tested = pl.concat(
        [
            _asked(work, "errors", _WORK, "had a payout wrong or corrected"),
            _asked(work, "costly", _WORK, "had an error that cost the house"),
            _asked(_dear(costs), "dear", (), "of those that cost the house are among the floor's dearest"),
        ]
    )
    lost = work.group_by("dealer").agg(pl.col("cost").sum())
    return judged(
        tested.join(lost, on="dealer", how="left", maintain_order="left"),
        tested.height,
        alpha,
        amount=pl.col("cost").fill_null(0),
        message=pl.format(
            "Dealer {}: {} of {} rounds {}, where the rest of the floor makes {} likely; all errors together cost {}",
            *("dealer", "seen", "rounds", "words", expected.round(1), dollars(pl.col("cost").fill_null(0))),
        ),
    )


def _asked(work: pl.DataFrame, what: str, strata: Sequence[str], words: str) -> pl.DataFrame:
    """One question to every dealer: how many of his rounds are such, if such rounds fall on all dealers alike."""
    floor = [pl.col(name).sum().over(strata) if strata else pl.col(name).sum() for name in ("rounds", what)]
    drawn = work.group_by("dealer", *strata).agg(pl.col("rounds", what).sum())
    of_floor = drawn.with_columns(population=floor[0], marked=floor[1])
    dealt = drawn.group_by("dealer").agg(pl.col("rounds").sum())
    return (
        tails(of_floor.rename({"rounds": "drawn", what: "seen"}), ["dealer"])
        .join(dealt, on="dealer", how="left", maintain_order="left")
        .with_columns(words=pl.lit(words))
    )


def _dear(costs: pl.DataFrame) -> pl.DataFrame:
    """Rounds in which an error cost the house, and how many of them are `dear`."""
    bands = costs.group_by("band").agg(pl.col("rounds").sum()).sort("band", descending=True)
    share = pl.col("rounds").cum_sum() / pl.col("rounds").sum()
    dear = bands.filter(share <= _DEAREST)["band"]
    return costs.with_columns(dear=pl.when(pl.col("band").is_in(dear.implode())).then(pl.col("rounds")).otherwise(0))


def dealer_player_affinity(period: Period, alpha: float) -> Verdict:
    """Flags a dealer and a player: of the errors that the dealer made in players' favour, more fell to this one than
    the rounds they had together explain.

    Why: a dealer who works with a player errs for him and for nobody else, and seldom so much at once that it is seen.

    Blind to: a dealer who favours everybody, which is STAT01; a favour that the law allowed, such as a hand told to a
    friend. A player for whom all dealers err shows with each of them: his rounds with others stand in the message.
    """
    strata = ["dealer", "game", "wagers"]
    pairs = period.shared.with_columns(
        population=pl.col("rounds").sum().over(strata), marked=pl.col("favoured").sum().over(strata)
    )
    tested = tails(pairs.rename({"rounds": "drawn", "favoured": "seen"}), ["dealer", "player"])
    together = pairs.group_by("dealer", "player").agg(pl.col("rounds", "gain").sum())
    elsewhere = pairs.group_by("player").agg(all_rounds=pl.col("rounds").sum(), all_favoured=pl.col("favoured").sum())
    return judged(
        tested.join(together, on=["dealer", "player"], how="left").join(elsewhere, on="player", how="left"),
        tested.height,
        alpha,
        amount=pl.col("gain"),
        message=pl.format(
            "Dealer {} erred in favour of player {} in {} of {} rounds together, where {} are likely, and other "
            "dealers in {} of {}; he gained {}",
            *("dealer", "player", "seen", "rounds", expected.round(2)),
            *(pl.col("all_favoured") - seen, pl.col("all_rounds") - pl.col("rounds"), dollars(pl.col("gain"))),
        ),
    )


def equal_repeated_overpayments(period: Period, alpha: float) -> Verdict:
    """Flags a dealer, a player and an amount: overpaid by exactly that again and again, more often than the dealer's
    overpayments of the amount and the player's explain by the rounds they had together.

    Why: slips vary; a fixed sum that passes from one hand to another is an arrangement.

    Blind to: sums that vary, and a player who never sat with another dealer, with whom there is nothing to compare
    (STAT02 sees him). A player who always bets the same makes equal slips likely with every dealer, and a careless
    dealer makes them likely with every player: neither alone is an alarm.
    """
    together = period.shared.group_by("dealer", "player").agg(drawn=pl.col("rounds").sum())
    each = {
        who: (
            together.group_by(who).agg(population=pl.col("drawn").sum()),
            period.overpaid.group_by(who, "amount").agg(marked=pl.col("rounds").sum()),
        )
        for who in ("dealer", "player")
    }
    # Every sum that the dealer ever overpaid and the player ever got too much, whether or not from each other.
    asked = (
        each["dealer"][1]
        .select("dealer", "amount")
        .join(each["player"][1].select("player", "amount"), on="amount", how="inner")
        .join(together, on=["dealer", "player"], how="inner")
        .join(period.overpaid.rename({"rounds": "seen"}), on=["dealer", "player", "amount"], how="left")
        .with_columns(seen.fill_null(0))
    )
    sides = [
        tails(
            asked.join(population, on=who, how="left").join(marked, on=[who, "amount"], how="left"),
            ["dealer", "player", "amount"],
        )
        for who, (population, marked) in each.items()
    ]
    # Both explanations have to fail, so the likelier of the two counts (an intersection-union test).
    tested = (
        sides[0]
        .join(sides[1], on=["dealer", "player", "amount"], how="inner", suffix="_of_player")
        .with_columns(
            p=pl.max_horizontal("p", "p_of_player"), expected=pl.max_horizontal("expected", "expected_of_player")
        )
        .join(together, on=["dealer", "player"], how="left", maintain_order="left")
    )
    return judged(
        tested,
        asked.height,
        alpha,
        amount=pl.col("amount") * seen,
        message=pl.format(
            "Dealer {} overpaid player {} by exactly {} in {} of {} rounds together, where {} are likely",
            *("dealer", "player", dollars(pl.col("amount")), "seen", "drawn", expected.round(2)),
        ),
    )
