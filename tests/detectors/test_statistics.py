"""The statistics: their chances are right, an honest floor alarms no more often than stated, and a cheat is found.

How often a test alarms by chance is measured on the figures themselves, many periods for each; whether it hears a cheat, on real
events that are gathered as the command gathers them. `CATWALK_SOAK=1` measures the rates on thirty times as many periods.
"""

import os
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import numpy as np
import polars as pl
import pytest

from detectors.audit import audit, derivations
from detectors.catalogue import STATISTIC_BY_CODE, STATISTICS
from detectors.finding import SCHEMA
from detectors.statistics import chance
from detectors.statistics.choices import CHOICES, of_hold_em, of_three_cards
from detectors.statistics.period import Gathering, Period, added, counted, of_frames
from detectors.statistics.verdict import ALPHA, Verdict
from ingest import floor, frame
from ingest.floor import heads_up_holdem, three_card_poker
from ingest.floor.felt import Bet, Round
from ingest.floor.wagering import decided
from replay import facts
from replay.derivation import derive
from rules import cards, ranking

SOAK = os.environ.get("CATWALK_SOAK") == "1"
PERIODS = 3_000 if SOAK else 100
# Asked at a rate that so few periods can measure; the correction is the same at every rate.
ASKED = 0.05
MOST = PERIODS * ASKED + 4 * (PERIODS * ASKED * (1 - ASKED)) ** 0.5


def verdict(code: str, period: Period, alpha: float = ALPHA) -> Verdict:
    return STATISTIC_BY_CODE[code].says(period, alpha)


# What chance alone would do


@pytest.mark.parametrize(("population", "marked", "drawn"), [(20, 5, 7), (52, 4, 50), (9, 9, 3), (30, 1, 1), (8, 5, 6)])
def test_a_hypergeometric_chance_is_a_fraction_of_all_draws(population: int, marked: int, drawn: int) -> None:
    fewest, chances = chance.hypergeometric(population, marked, drawn)
    for more, found in enumerate(chances):
        count = fewest + more
        exact = Fraction(comb(marked, count) * comb(population - marked, drawn - count), comb(population, drawn))
        assert found == pytest.approx(float(exact), rel=1e-12)
    assert sum(chances) == pytest.approx(1)


def test_a_tail_over_strata_is_that_of_every_outcome_counted() -> None:
    strata = [(12, 4, 5), (9, 3, 4), (7, 6, 2)]
    for count in range(12):
        exact = Fraction(0)
        for each in product(*(range(drawn + 1) for _, _, drawn in strata)):
            if sum(each) >= count:
                ways = [
                    Fraction(comb(marked, got) * comb(population - marked, drawn - got), comb(population, drawn))
                    for (population, marked, drawn), got in zip(strata, each, strict=True)
                ]
                exact += ways[0] * ways[1] * ways[2]
        assert chance.upper_tail(strata, count) == pytest.approx(max(float(exact), 1e-40), rel=1e-9)


def test_a_tail_of_a_year_is_right_to_the_last_digits() -> None:
    # 60 of 8,000 rounds where 20 are likely: the same as a sum of exact fractions.
    population, marked, drawn = 400_000, 1_000, 8_000
    exact = sum(
        Fraction(comb(marked, got) * comb(population - marked, drawn - got)) / comb(population, drawn)
        for got in (60, 61)
    )
    fewest, chances = chance.hypergeometric(population, marked, drawn)
    assert fewest == 0
    assert float(chances[60] + chances[61]) == pytest.approx(float(exact), rel=1e-9)


def test_the_bound_on_a_count_of_rounds_is_never_below_the_exact_chance() -> None:
    # Rounds of 6 and of 24 cards: how often one card of 52 is among them.
    rounds = [Fraction(6, 52)] * 40 + [Fraction(24, 52)] * 25
    exact = [Fraction(1)]
    for p in rounds:
        exact = [a * (1 - p) + b * p for a, b in zip([*exact, Fraction(0)], [Fraction(0), *exact], strict=True)]
    mean = float(sum(rounds))
    bound = pl.DataFrame({"seen": range(len(exact))}).select(p=chance.away_from(pl.lit(len(rounds)), pl.lit(mean)))["p"]
    for count, p in enumerate(bound):
        beyond = exact[count:] if count > mean else exact[: count + 1]
        assert p >= min(1, float(sum(beyond))) * (1 - 1e-9)
    assert bound[0] < 1e-6
    assert bound[60] < 1e-6


def test_holm_lets_stand_what_a_plain_reading_of_holm_does() -> None:
    chances = [0.0001, 0.0006, 0.012, 0.013, 0.5]
    comparisons = 40
    kept = []
    for place, p in enumerate(chances):
        if p > 0.05 / (comparisons - place):
            break
        kept.append(p * (comparisons - place))
    standing = chance.alarms(pl.DataFrame({"p": chances}), comparisons, 0.05)
    assert standing["p"].to_list() == pytest.approx(kept)
    assert len(kept) == 2


# How often an honest floor alarms


def errors_of_an_honest_floor(draw: np.random.Generator) -> Period:
    """Dealers who err alike, with more to get wrong at busy tables, which not all of them deal at."""
    dealers = [f"d{each}" for each in range(25)]
    rows, costs = [], []
    for dealer, (wagers, rate) in product(dealers, ((2, 0.004), (5, 0.01), (9, 0.02))):
        rounds = int(draw.integers(0, 900))
        errors = int(draw.binomial(rounds, rate))
        costly = int(draw.binomial(errors, 0.5))
        rows.append((dealer, "three-card-poker", wagers, False, rounds, errors, 0, costly, 1_000 * costly))
        costs += [(dealer, int(band), 1) for band in draw.integers(9, 18, costly)]
    schema = ["dealer", "game", "wagers", "voided", "rounds", "errors", "corrected", "costly", "cost"]
    return of_frames(
        {
            "rounds": pl.DataFrame(rows, schema, orient="row"),
            "costs": pl.DataFrame(costs, ["dealer", "band", "rounds"], orient="row"),
        }
    )


def favours_of_an_honest_floor(draw: np.random.Generator) -> Period:
    """Dealers of different care, players of different stakes, and whoever sits there when a dealer errs."""
    shared, overpaid = [], []
    stakes = draw.choice([500, 1_000, 2_500, 7_500], 40)
    for dealer in range(8):
        care = draw.uniform(0.001, 0.03)
        for player in draw.choice(40, 15, replace=False):
            rounds = int(draw.integers(1, 250))
            favoured = int(draw.binomial(rounds, care))
            shared.append((f"d{dealer}", f"p{player}", "heads-up-holdem", 3, rounds, favoured, favoured))
            amounts = stakes[player] * draw.integers(1, 4, favoured)
            overpaid += [(f"d{dealer}", f"p{player}", int(amount), 1) for amount in amounts]
    both = ["dealer", "player"]
    part = of_frames(
        {
            "shared": pl.DataFrame(shared, [*both, "game", "wagers", "rounds", "favoured", "gain"], orient="row"),
            "overpaid": pl.DataFrame(overpaid, [*both, "amount", "rounds"], orient="row"),
        }
    )
    return added([part])


def voids_of_an_honest_floor(draw: np.random.Generator) -> Period:
    """Two games that are void at different rates, and supervisors who relieve each other within a block, or not."""
    blocks, voids = [], []
    for table in range(12):
        game, rate = (("three-card-poker", 0.02), ("spanish-21", 0.004))[table % 2]
        for third in range(9):
            block = np.datetime64("2026-01-05T00:00:00", "us") + np.timedelta64(8 * third, "h")
            watches = draw.integers(30, 200, draw.integers(1, 3))
            declared = draw.binomial(watches, rate)
            key = (f"T{table}", game, block.item())
            blocks.append((*key, int(watches.sum()), int(declared.sum())))
            voids += [
                (*key, f"s{(table // 4 * 3 + third + late) % 7}", int(count), 0)
                for late, count in enumerate(declared)
                if count
            ]
    key_names = ["table", "game", "block"]
    part = of_frames(
        {
            "blocks": pl.DataFrame(blocks, [*key_names, "rounds", "voids"], orient="row").with_columns(
                pl.col("block").dt.replace_time_zone("UTC")
            ),
            "voids": pl.DataFrame(voids, [*key_names, "by", "voids", "uncaused"], orient="row").with_columns(
                pl.col("block").dt.replace_time_zone("UTC")
            ),
        }
    )
    return added([part])


def shuffles_of_an_honest_floor(draw: np.random.Generator) -> Period:
    """Whole decks, shuffled and dealt from: no card knows its place."""
    parts = []
    for deck in range(3):
        out = draw.permuted(np.tile(np.arange(52), (150, 1)), axis=1)
        sizes = draw.choice([6, 12, 24], 150)
        read = np.arange(52) < sizes[:, None]
        dealt = pl.DataFrame(
            {"card": out[read], "place": np.broadcast_to(np.arange(1, 53), out.shape)[read]},
            schema={"card": pl.UInt8, "place": pl.Int64},
        ).with_columns(
            pl.col("card").cast(pl.Int64).replace_strict(dict(enumerate(cards.DECK)), return_dtype=cards.CARD)
        )
        mine = {"table": pl.lit("T1"), "deck": pl.lit(f"R{deck}")}
        parts.append(
            of_frames(
                {
                    "dealt": pl.DataFrame({"cards": sizes}).group_by("cards").agg(rounds=pl.len()).with_columns(**mine),
                    "seen": dealt.group_by("card").agg(rounds=pl.len()).with_columns(**mine),
                    "places": dealt.group_by("card", "place")
                    .agg(rounds=pl.len())
                    .with_columns(table=pl.lit("T1"), method=pl.lit("automated")),
                }
            )
        )
    return added(parts)


def three_cards(draw: np.random.Generator, rounds: int) -> pl.DataFrame:
    """Hands of three to a player and the dealer, off one deck."""
    deck = draw.permuted(np.tile(np.arange(52), (rounds, 1)), axis=1)[:, :6]
    held = {name: pl.Series(deck[:, at]) for at, name in enumerate(("p1", "p2", "p3", "d1", "d2", "d3"))}
    values = ranking.three_card_values(deck[:, :3].T.astype(np.uint8))
    return pl.DataFrame(held).with_columns(
        pl.all().replace_strict(dict(enumerate(cards.DECK)), return_dtype=cards.CARD),
        player_low=pl.Series(values),
        place=pl.lit(0),
    )


QUEEN_SIX_FOUR = ranking.three_card_value("QC 6D 4H")


def public_strategies(draw: np.random.Generator, hands: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """The published one, a timid and a wild player, one by the suit of his first card, and one who tosses a coin at times."""
    value, coin = pl.col("player_low"), pl.Series(draw.random(hands.height))
    for name, plays in {
        "published": value >= QUEEN_SIX_FOUR,
        "timid": value >= ranking.three_card_value("KC 9D 2H"),
        "wild": pl.lit(True),
        "superstitious": pl.col("p1").cast(pl.String).str.ends_with("H"),
        "of two minds": (value >= QUEEN_SIX_FOUR) ^ (coin < 0.3),
    }.items():
        choice = pl.when(plays).then(pl.lit("play")).otherwise(pl.lit("fold"))
        yield hands.with_columns(player=pl.lit(name), choice=choice)


def choices_of_an_honest_floor(draw: np.random.Generator) -> Period:
    decided = pl.concat(public_strategies(draw, three_cards(draw, 600)))
    rows = of_three_cards(decided).group_by(*CHOICES).agg(rounds=pl.len())
    return of_frames({"choices": rows})


HONEST: dict[str, Callable[[np.random.Generator], Period]] = {
    "STAT01": errors_of_an_honest_floor,
    "STAT02": favours_of_an_honest_floor,
    "STAT03": favours_of_an_honest_floor,
    "STAT04": voids_of_an_honest_floor,
    "STAT05": shuffles_of_an_honest_floor,
    "STAT06": choices_of_an_honest_floor,
}


@pytest.mark.parametrize("code", STATISTIC_BY_CODE)
def test_honest_periods_alarm_no_more_often_than_stated(code: str) -> None:
    periods = (HONEST[code](np.random.default_rng(seed)) for seed in range(PERIODS))
    told = [verdict(code, period, ASKED) for period in periods]
    assert min(each.comparisons for each in told) > 5  # something was asked
    assert sum(not each.alarms.is_empty() for each in told) <= MOST


# Real events


def gathered(events: pl.DataFrame, cuts: int = 1) -> Period:
    """As the command gathers them: in pieces that ascend in every table."""
    gathering = Gathering()
    size = -(-events.height // cuts)
    for derivation in derivations(events.slice(start, size) for start in range(0, events.height, size)):
        gathering.add(derivation)
    return gathering.period()


def dealt(tables: int, rounds: int, seed: int, faults: float = 0.0, game: str | None = None) -> pl.DataFrame:
    shifts = floor.simulate(tables, rounds, seed, faults, game=game)
    return frame.from_contents([line for shift in shifts for line in shift.lines])


@pytest.fixture(scope="module")
def honest() -> pl.DataFrame:
    return dealt(4, 350, seed=5, game="three-card-poker")


@pytest.fixture(scope="module")
def honest_period(honest: pl.DataFrame) -> Period:
    return gathered(honest)


@pytest.mark.parametrize("code", STATISTIC_BY_CODE)
def test_an_honest_floor_gives_no_alarm(code: str, honest_period: Period) -> None:
    told = verdict(code, honest_period)
    assert told.alarms.to_dicts() == []
    if code not in ("STAT02", "STAT03"):  # of a floor where nobody is overpaid there is nothing to ask
        assert told.comparisons > 0


def test_errors_that_fall_on_everybody_are_nobody_s() -> None:
    period = gathered(dealt(8, 120, seed=21, faults=0.5))
    for code in ("STAT01", "STAT02", "STAT03"):
        told = verdict(code, period)
        assert told.comparisons > 20
        assert told.alarms.to_dicts() == []


def test_a_period_cut_anywhere_has_the_same_figures() -> None:
    events = dealt(4, 25, seed=8, faults=0.3)
    whole = counted(derive(facts.none(), events, final=True))
    whole, cut = added([whole]), gathered(events, cuts=18)
    for name in Period.__slots__:
        one, other = getattr(whole, name), getattr(cut, name)
        same = one.equals(other) if isinstance(one, pl.DataFrame) else one == other
        assert same, name


def test_the_audit_tells_no_statistic(honest: pl.DataFrame) -> None:
    lying = favouring(honest, *busiest_pair(honest))
    codes = set(audit(facts.none(), lying, final=True).findings["code"])
    assert codes == {"PAY01"}


def busiest_pair(events: pl.DataFrame, most: int = 60) -> tuple[str, str]:
    """A dealer and a player with some rounds together, but not all of the dealer's."""
    shared = gathered(events).shared.group_by("dealer", "player").agg(pl.col("rounds").sum())
    pair = shared.filter(pl.col("rounds") <= most).sort("rounds", "dealer", "player").row(-1)
    return pair[0], pair[1]


def favouring(events: pl.DataFrame, dealer: str, player: str, extra: int = 2_500) -> pl.DataFrame:
    """The dealer pays this player `extra` too much on every second Ante that he wins."""
    # Forward filled over a table in the order of seq: who deals, and who sits at the seat.
    told = events.sort("table", "seq").with_columns(
        now=pl.col("dealer").forward_fill().over("table"),
        sits=pl.when(pl.col("type") == "player_seated")
        .then(pl.col("player"))
        .when(pl.col("type") == "player_left")
        .then(pl.lit(""))
        .forward_fill()
        .over("table", "seat"),
    )
    paid_ante = (pl.col("type") == "wager_settled") & (pl.col("wager") == "ante") & (pl.col("result") == "paid")
    his = paid_ante & (pl.col("now") == dealer) & (pl.coalesce("player", "sits") == player)
    every_second = his.fill_null(False) & (his.fill_null(False).cum_sum() % 2 == 0)
    amount = pl.col("amount") + pl.when(every_second).then(extra).otherwise(0)
    return told.with_columns(amount=amount).drop("now", "sits")


def test_a_dealer_who_pays_one_player_too_much_is_found(honest: pl.DataFrame) -> None:
    dealer, player = busiest_pair(honest)
    # Others err as well, now and then, at all tables alike.
    period = added([gathered(favouring(honest, dealer, player)), gathered(dealt(8, 120, seed=21, faults=0.3))])
    found = verdict("STAT02", period).alarms
    assert found.select("dealer", "player").rows() == [(dealer, player)]
    assert found["amount"][0] == 2_500 * found["seen"][0] > 0
    assert f"Dealer {dealer} erred in favour of player {player}" in found["message"][0]


def test_a_dealer_who_errs_more_than_the_floor_is_found(honest: pl.DataFrame) -> None:
    dealer = gathered(honest).rounds.group_by("dealer").agg(pl.col("rounds").sum()).sort("rounds", "dealer").row(-1)[0]
    lying = honest
    players = gathered(honest).shared.filter(pl.col("dealer") == dealer)["player"].unique().sort()
    for player in players:
        lying = favouring(lying, dealer, player, extra=500)
    found = verdict("STAT01", gathered(lying)).alarms
    assert set(found["dealer"]) == {dealer}
    assert found["amount"][0] > 0
    # It is his way with everybody, not with one.
    assert verdict("STAT02", gathered(lying)).alarms.is_empty()


def test_a_sum_that_is_overpaid_again_and_again_is_found() -> None:
    period = favours_of_an_honest_floor(np.random.default_rng(4))
    # One who has sat with several dealers: alone with one there would be nothing to compare.
    pair = period.shared.sort(pl.len().over("player"), "rounds", "dealer").row(-1, named=True)
    arranged = pl.DataFrame(
        {"dealer": [pair["dealer"]], "player": [pair["player"]], "amount": [10_000], "rounds": [12]}
    )
    found = verdict("STAT03", added([period, of_frames({"overpaid": arranged})])).alarms
    assert found.select("dealer", "player", "amount", "seen").rows() == [(pair["dealer"], pair["player"], 120_000, 12)]
    assert "by exactly $100.00 in 12 of" in found["message"][0]


def test_equal_sums_of_who_always_bets_the_same_are_no_alarm_with_a_careless_dealer() -> None:
    # A flat bettor, overpaid his one stake by four dealers alike; one of them errs with everybody.
    shared = [(f"d{each}", "flat", "three-card-poker", 2, 300, 6, 0) for each in range(4)]
    shared += [("d0", f"p{each}", "three-card-poker", 2, 300, 6, 0) for each in range(10)]
    overpaid = [(f"d{each}", "flat", 2_500, 6) for each in range(4)]
    overpaid += [("d0", f"p{each}", 500 + each, 6) for each in range(10)]
    both = ["dealer", "player"]
    period = of_frames(
        {
            "shared": pl.DataFrame(shared, [*both, "game", "wagers", "rounds", "favoured", "gain"], orient="row"),
            "overpaid": pl.DataFrame(overpaid, [*both, "amount", "rounds"], orient="row"),
        }
    )
    assert verdict("STAT03", period).alarms.is_empty()


def test_a_supervisor_who_voids_too_many_rounds_is_found() -> None:
    events = dealt(8, 150, seed=31, game="three-card-poker")
    # At one table every fifth round is void instead of shown down, by one supervisor.
    shown = (pl.col("type") == "dealer_revealed") & (pl.col("table") == "T003") & (pl.col("round") % 5 == 0)
    voiding = events.with_columns(
        type=pl.when(shown).then(pl.lit("round_voided")).otherwise(pl.col("type")).cast(events.schema["type"]),
        by=pl.when(shown).then(pl.lit("s-quick")).otherwise(pl.col("by")),
        reason=pl.when(shown).then(pl.lit("misdeal")).otherwise(pl.col("reason")),
    )
    found = verdict("STAT04", gathered(voiding)).alarms
    assert len(found) == 1
    assert "Supervisor s-quick declared" in found["message"][0]
    assert verdict("STAT04", gathered(events)).alarms.is_empty()


def test_a_deck_without_a_card_is_found(honest: pl.DataFrame) -> None:
    held_out = pl.when((pl.col("table") == "T002") & (pl.col("card") == "QS")).then(pl.lit("2C")).otherwise("card")
    found = verdict("STAT05", gathered(honest.with_columns(card=held_out.cast(cards.CARD)))).alarms
    told = found["message"].to_list()
    assert all(message.startswith(("At table T002 the QS came", "At table T002 the 2C came")) for message in told)
    assert any("the QS came from deck T002-" in message and "in 0 of" in message for message in told)


def test_a_shuffler_that_brings_a_card_to_the_same_place_is_found(honest: pl.DataFrame) -> None:
    # Wherever the ace of spades was to be dealt at this table, it comes first, and the first card in its place.
    mine = (pl.col("type") == "card_dealt") & (pl.col("table") == "T001")
    ordered = honest.sort("table", "seq")
    first = pl.when(mine).then(pl.col("card")).first(ignore_nulls=True).over("table", "round")
    place = pl.when(mine).then(pl.col("seq")).min().over("table", "round")
    has_ace = (mine & (pl.col("card") == "AS")).any().over("table", "round")
    stacked = ordered.with_columns(
        card=pl.when(has_ace & mine & (pl.col("seq") == place))
        .then(pl.lit("AS", cards.CARD))
        .when(has_ace & mine & (pl.col("card") == "AS"))
        .then(first)
        .otherwise(pl.col("card"))
    )
    found = verdict("STAT05", gathered(stacked)).alarms
    assert "At table T001 the AS came as card 1 of the deal" in found["message"][0]
    assert all("from deck" not in message for message in found["message"])


def seeing_the_first_card(round: Round, bet: Bet, choice: str, rng: Random) -> None:
    """Three Card Poker by who sees the dealer's first card: against a jack or less he plays anything."""
    ante = next(each.stake for each in round.bets if (each.seat, each.wager) == (bet.seat, "ante"))
    if cards.RANKS.index(round.dealer[0][0]) <= cards.RANKS.index("J"):
        decided(round, Bet(bet.seat, "play", ante), "play", rng)
    else:
        decided(round, bet, choice, rng)


def test_a_hole_carder_of_three_card_poker_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest_ones = dealt(2, 250, seed=41, game="three-card-poker")
    monkeypatch.setattr(three_card_poker.wagering, "decided", seeing_the_first_card)
    watching = dealt(1, 400, seed=42, game="three-card-poker").with_columns(table=pl.lit("T009"))
    crooks = set(watching["player"].drop_nulls())
    found = verdict("STAT06", gathered(pl.concat([honest_ones, watching]))).alarms
    assert len(found) > 3
    assert set(found["player"]) <= crooks
    assert all("the dealer's card 1, which he could not see" in message for message in found["message"])


def test_a_hole_carder_of_heads_up_hold_em_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest_ones = dealt(2, 150, seed=51, game="heads-up-holdem")
    public = heads_up_holdem.STRENGTH

    def decide(round: Round, seat: int, street: object, ante: int, rng: Random) -> None:
        """After the river he stays in unless the dealer's second card pairs the board, or his own cards are good."""
        his = round.dealer[1][0]
        paired = his in {card[0] for card in round.community}
        knows = {**public, "river": lambda *hand: public["river"](*hand) or not paired}
        monkeypatch.setattr(heads_up_holdem, "STRENGTH", knows)
        was(round, seat, street, ante, rng)
        monkeypatch.setattr(heads_up_holdem, "STRENGTH", public)

    was = heads_up_holdem._decide
    monkeypatch.setattr(heads_up_holdem, "_decide", decide)
    watching = dealt(1, 500, seed=52, game="heads-up-holdem").with_columns(table=pl.lit("T009"))
    crooks = set(watching["player"].drop_nulls())
    found = verdict("STAT06", gathered(pl.concat([honest_ones, watching]))).alarms
    assert not found.is_empty()
    assert set(found["player"]) <= crooks
    assert all("(river)" in message and "the dealer's card 2" in message for message in found["message"])


def test_what_a_player_may_see_tells_how_many_cards_say_stay() -> None:
    """Every card that the dealer could hold beside a hand, counted one by one."""
    draw = np.random.default_rng(1)
    hands = three_cards(draw, 300).with_columns(player=pl.lit("p"), choice=pl.lit("fold"))
    told = of_three_cards(hands).filter(pl.col("card") == 1)
    for hand, stay_cards in zip(hands.iter_rows(named=True), told["stay_cards"], strict=True):
        rest = [card for card in cards.DECK if card not in (hand["p1"], hand["p2"], hand["p3"])]
        beside = pl.concat([pl.DataFrame([hand], hands.schema)] * len(rest)).with_columns(
            d1=pl.Series(rest, dtype=cards.CARD)
        )
        assert of_three_cards(beside).filter(pl.col("card") == 1)["told_to"].sum() == stay_cards


def test_what_lies_on_the_board_tells_how_many_cards_pair_it() -> None:
    hand = {"p1": "9H", "p2": "4C", "c1": "9S", "c2": "KD", "c3": "KC", "c4": "2S", "c5": "7H", "d1": "AS", "d2": "KS"}
    flags = dict.fromkeys(("community_unread", "community_joker", "board_wrong"), False)
    for place, (choice, seen) in enumerate((("check", 2), ("check", 5), ("fold", 7))):
        held = [name for name in hand if not name.startswith("c") or int(name[1]) <= seen - 2]
        rest = [card for card in cards.DECK if card not in {hand[name] for name in held if not name.startswith("d")}]
        rows = (
            pl.DataFrame([{**hand, **flags, "player": "p", "choice": choice, "place": place}] * len(rest))
            .with_columns(pl.col(*hand).cast(cards.CARD))
            .with_columns(d1=pl.Series(rest, dtype=cards.CARD))
        )
        told = of_hold_em(rows).filter(pl.col("card") == 1)
        assert told["told_to"].sum() == told["stay_cards"][0]
        assert told["stay_cards"].n_unique() == 1


# As findings


def test_alarms_are_findings_of_the_contract_s_schema() -> None:
    period = favours_of_an_honest_floor(np.random.default_rng(4))
    pair = period.shared.sort("rounds").row(-1, named=True)
    given = pl.DataFrame(
        [(pair["dealer"], pair["player"], pair["game"], 3, 40, 40, 80_000)],
        [*period.shared.columns],
        orient="row",
    )
    lying = added([period, of_frames({"shared": given})])
    told = {each.code: each.findings(each.says(lying, ALPHA), lying) for each in STATISTICS}
    found = told["STAT02"]
    assert all(rows.schema == SCHEMA for rows in told.values())
    row = found.row(0, named=True)
    assert (row["dealer"], row["player"], row["severity"]) == (pair["dealer"], pair["player"], "advisory")
    assert row["seqs"] == []
    assert row["round"] is None
    again = STATISTIC_BY_CODE["STAT02"].findings(verdict("STAT02", lying), lying)
    assert again.to_dicts() == found.to_dicts()
