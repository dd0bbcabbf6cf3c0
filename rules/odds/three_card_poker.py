"""Three Card Poker: Pair Plus, the 6 Card Bonus, and the Ante with its Play by two strategies."""

from fractions import Fraction
from itertools import combinations
from typing import Final

import numpy as np
import polars as pl

from rules import cards, ranking
from rules import three_card_poker as tcp
from rules.odds.counting import (
    CHUNK,
    STAKE,
    Counts,
    Progress,
    WagerOdds,
    columns_of,
    deciding_lines,
    facts_of,
    hands_up_to_suits,
    owed_in_all,
    rounds,
    settled_by,
    side_wager,
    tally,
    unwatched,
)

CARDS: Final = (*tcp.PLAYER, *tcp.DEALER)
FOLDS: Final = {
    "play Q-6-4 or better": pl.col("player_low") < ranking.three_card_value("QC 6D 4H"),
    "always play": pl.lit(False),
}


def _player_against_dealer(players: ranking.Codes, alike: Counts, progress: Progress) -> tuple[ranking.Codes, Counts]:
    """Six cards for each pair of values that a player and the dealer can hold at once, and in how many rounds they do."""
    dealers = np.array(list(combinations(range(52), 3)), np.uint8).T
    player_value, dealer_value = ranking.three_card_values(players), ranking.three_card_values(dealers)
    bit = np.uint64(1) << np.arange(52, dtype=np.uint64)
    player_bits, dealer_bits = bit[players].sum(axis=0), bit[dealers].sum(axis=0)
    values = int(dealer_value.max()) + 1
    counts = np.zeros((values, values), np.int64)
    player_at, dealer_at = np.zeros((2, values, values), np.int32)
    for player, value in enumerate(player_value):
        apart = np.flatnonzero(dealer_bits & player_bits[player] == 0)
        counts[value] += alike[player] * np.bincount(dealer_value[apart], minlength=values)
        player_at[value, dealer_value[apart]] = player
        dealer_at[value, dealer_value[apart]] = apart
        progress(player + 1, len(alike))
    met = counts > 0
    return np.concatenate([players[:, player_at[met]], dealers[:, dealer_at[met]]]), counts[met]


def _ante_and_play(facts: pl.DataFrame, strategy: str, stake: int) -> list[WagerOdds]:
    """The Ante with its Play and its bonus, in each column of the bonus; `net` is in Antes."""
    decided = facts.with_columns(folded=FOLDS[strategy], ante_placed=pl.lit(True))
    played = decided.filter(~pl.col("folded"))
    ante = settled_by(decided, tcp.ANTE, None, stake)
    owed = owed_in_all(ante) + owed_in_all(settled_by(played, tcp.PLAY, None, stake))
    return [
        WagerOdds(
            game=tcp.NAME,
            wager="ante",
            table=tcp.ANTE_BONUS.name,
            column=column.name,
            strategy=strategy,
            stake=stake,
            rounds=int(facts.get_column("rounds").sum()),
            lines=deciding_lines(ante, tcp.ANTE),
            hands=tally(played, "player_hand", tcp.HANDS),
            net=Fraction(owed + owed_in_all(settled_by(decided, tcp.ANTE_BONUS, column.name, stake)), stake),
        )
        for column in columns_of(tcp.ANTE_BONUS)
    ]


def every_wager(progress: Progress = unwatched, stake: int = STAKE) -> list[WagerOdds]:
    """Pair Plus, Ante and Play by two strategies, and the 6 Card Bonus, each in all its columns."""
    three, three_alike = hands_up_to_suits(3)
    six, six_alike = hands_up_to_suits(6)
    total = three.shape[1] + six.shape[1]

    no_dealer = np.full_like(three, cards.UNREAD_CODE)
    alone = facts_of(tcp.GAME, CARDS, np.concatenate([three, no_dealer]), three_alike)
    found = side_wager(alone, tcp.PAIR_PLUS, "player_hand", tcp.HANDS, stake, game=tcp.NAME)

    against, met = _player_against_dealer(three, three_alike, lambda done, _: progress(done, total))
    heads_up = facts_of(tcp.GAME, CARDS, against, met)
    for strategy in FOLDS:
        found += _ante_and_play(heads_up, strategy, stake)

    six_facts = []
    for start in range(0, six.shape[1], CHUNK):
        chunk = slice(start, start + CHUNK)
        facts = facts_of(tcp.GAME, CARDS, six[:, chunk], six_alike[chunk])
        six_facts.append(facts.group_by("six_low", "six_high", "six_hand").agg(rounds.sum()))
        progress(min(three.shape[1] + chunk.stop, total), total)
    together = pl.concat(six_facts)
    return found + side_wager(together, tcp.SIX_CARD_BONUS, "six_hand", tcp.SIX_CARD_HANDS, stake, game=tcp.NAME)
