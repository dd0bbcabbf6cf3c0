"""Heads Up Hold'em: the Pocket Bonus, Trips Plus, and the Ante with its Odds and Raise by four ways to play."""

from fractions import Fraction

import polars as pl

from rules import cards, ranking
from rules import heads_up_holdem as huh
from rules.odds.counting import (
    CHUNK,
    STAKE,
    Counts,
    Progress,
    WagerOdds,
    deciding_lines,
    hands_up_to_suits,
    owed_in_all,
    rounds,
    settled_by,
    side_wager,
    tally,
    unwatched,
)
from rules.odds.holdem_play import (
    ALWAYS_AFTER_THE_RIVER,
    ALWAYS_BEFORE_THE_FLOP,
    BEST_PLAY,
    SIMPLE_PLAY,
    always_after_the_river,
    always_before_the_flop,
    best_plays,
    played,
    simple_play,
    worth,
)


def _dealt_to_the_player(names: tuple[str, ...], hands: ranking.Codes, counts: Counts) -> pl.DataFrame:
    """What the game reads from these cards where no other card was dealt, and in how many rounds."""
    deck, undealt = pl.Series(cards.NAMES, dtype=cards.CARD), pl.lit(None, cards.CARD)
    dealt = pl.DataFrame({name: deck.gather(codes) for name, codes in zip(names, hands, strict=True)})
    others = {name: undealt for name in huh.CARDS if name not in names}
    facts = huh.hand_facts(dealt.with_columns(**others)).with_columns(
        rounds=pl.Series(counts), trips_plus_dies_on_fold=pl.lit(False)
    )
    return facts.group_by(pl.exclude("rounds", *huh.CARDS)).agg(rounds.sum())


def ante_odds_and_raise(ends: pl.DataFrame, column: str, strategy: str, stake: int) -> WagerOdds:
    """The Ante with its Odds and Raise, and this column of the Bad Beat Bonus; `net` is in Antes."""
    decided = ends.with_columns(folded=pl.col("times") == 0, bad_beat_column=pl.lit(column))
    ante = settled_by(decided, huh.ANTE, None, stake)
    owed = owed_in_all(ante) + owed_in_all(settled_by(decided, huh.ODDS, "1", stake))
    for times in (street.raises[-1] for street in huh.GAME.streets):
        raised = decided.filter(pl.col("times") == times)
        owed += owed_in_all(settled_by(raised, huh.RAISE, None, times * stake))
    return WagerOdds(
        game=huh.NAME,
        wager="ante",
        table="bad_beat",
        column=column,
        strategy=strategy,
        stake=stake,
        rounds=int(ends.get_column("rounds").sum()),
        lines=deciding_lines(ante, huh.ANTE),
        hands=tally(decided.filter(~pl.col("folded")), "player_hand", huh.HANDS),
        net=Fraction(owed, stake),
    )


def main_wagers(boards: ranking.Codes, alike: Counts, progress: Progress, stake: int) -> list[WagerOdds]:
    """The Ante by four ways to play, in each column of the Bad Beat Bonus; each has a best play of its own.

    A round is a deal in which the flop is told apart from the two cards after it: ten for every board, hand and dealer's hand.
    """
    columns = [column.name for table in huh.ODDS.other_tables for column in table.columns]
    boards_twice = 2 * boards.shape[1]
    best = best_plays(
        boards, alike, [worth(column, stake) for column in columns], lambda done, _: progress(done, boards_twice)
    )
    fixed = {
        ALWAYS_BEFORE_THE_FLOP: always_before_the_flop(),
        ALWAYS_AFTER_THE_RIVER: always_after_the_river(),
        SIMPLE_PLAY: simple_play(),
    }
    ends = played(boards, alike, [*fixed.values(), *best], lambda done, total: progress(total + done, boards_twice))
    found = []
    for place, column in enumerate(columns):
        ways = {**dict(zip(fixed, ends, strict=False)), BEST_PLAY: ends[len(fixed) + place]}
        found += [ante_odds_and_raise(end, column, strategy, stake) for strategy, end in ways.items()]
    return found


def side_wagers(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """The Pocket Bonus over every two cards and Trips Plus over every seven, each in all its columns."""
    two, two_alike = hands_up_to_suits(2)
    pocket = _dealt_to_the_player(huh.PLAYER, two, two_alike)
    found = side_wager(pocket, huh.POCKET_BONUS, "pocket_hand", huh.POCKETS, stake, game=huh.NAME)
    seven, seven_alike = hands_up_to_suits(7)
    total = seven.shape[1]
    parts = []
    for start in range(0, total, CHUNK):
        chunk = slice(start, start + CHUNK)
        facts = _dealt_to_the_player((*huh.PLAYER, *huh.COMMUNITY), seven[:, chunk], seven_alike[chunk])
        by_value = facts.group_by("player_low", "player_high", "player_hand", "trips_plus_dies_on_fold")
        parts.append(by_value.agg(rounds.sum()))
        progress(min(chunk.stop, total), total)
    return found + side_wager(pl.concat(parts), huh.TRIPS_PLUS, "player_hand", huh.HANDS, stake, game=huh.NAME)


def every_wager(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """The side wagers and the main ones, each in all its columns."""
    boards, alike = hands_up_to_suits(5)
    sevens, both = hands_up_to_suits(7)[1].size, 2 * boards.shape[1]

    def in_all(before: int, part: int) -> Progress:
        # A board with all its holdings takes as long as some two hundred sevens do.
        return lambda done, total: progress(before + done * part // total, sevens + 200 * both)

    found = side_wagers(in_all(0, sevens), stake)
    return found + main_wagers(boards, alike, in_all(sevens, 200 * both), stake)
