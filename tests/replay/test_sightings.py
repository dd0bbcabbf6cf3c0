"""Cards that have not been seen for too long: what a round weighs, when it is too long, and that no cut changes it."""

import random
from collections import defaultdict
from decimal import Decimal, getcontext
from math import log

import polars as pl
import pytest

from detectors.audit import audits
from replay import facts, sightings
from replay.derivation import derive
from rules import cards

GONE = "QS"


def test_a_round_never_weighs_more_than_it_should():
    getcontext().prec = 60
    for k in range(52):
        exact = -(Decimal(52 - k) / 52).ln() * 1_000_000
        assert exact - 1 < int(sightings._WEIGHTS[k]) <= exact
    assert sightings._WEIGHTS[52] == sightings._WEIGHTS[51]
    assert Decimal(sightings.TOO_LONG) >= Decimal(sightings.ONE_IN).ln() * 1_000_000


def without(events, card, seed):
    """The same events from decks that hold everything but this card: wherever it was dealt, another that was not is."""
    chance = random.Random(seed)
    dealt = defaultdict(set)
    shows = events.filter(pl.col("card").is_not_null()).sort("table", "seq")
    for table, number, name in shows.select("table", "round", "card").iter_rows():
        dealt[table, number].add(name)
    swaps = [
        (table, number, chance.choice([each for each in cards.DECK if each not in names]))
        for (table, number), names in sorted(dealt.items())
        if card in names
    ]
    other = pl.DataFrame(swaps, {"table": pl.String, "round": pl.Int64, "other": cards.CARD}, orient="row")
    return (
        events.join(other, on=["table", "round"], how="left", maintain_order="left")
        .with_columns(card=pl.when(pl.col("card") == card).then("other").otherwise("card"))
        .drop("other")
    )


def told(events, cut=None):
    pieces = [events] if cut is None else [events.slice(at, cut) for at in range(0, events.height, cut)]
    found = pl.concat(audited.findings for audited in audits(pieces)).filter(code="DECK08")
    return found.sort("table", "round").drop("at").to_dicts()


def read_by_hand(events):
    """Table and round in which an absence grew too long, read event by event: a second reading, in logarithms of floats."""
    away, last, open_rounds, found = {}, {}, {}, []
    for row in events.sort("table", "seq").iter_rows(named=True):
        table, deck = row["table"], row["deck"]
        if row["type"] in ("deck_received", "deck_removed"):
            away[table, deck] = dict.fromkeys(cards.DECK, 0.0)
            last[table, deck] = None
        elif row["type"] == "deck_shuffled":
            last[table, deck] = "shuffled"
        elif row["type"] == "round_started":
            open_rounds[table] = (deck, set(), set())
        elif row["type"] in ("card_dealt", "card_found_face_up"):
            open_rounds[table][1].add(row["card"])
            if row["type"] == "card_dealt" and row["card"] != cards.UNREAD:
                open_rounds[table][2].add(row["card"])
        elif row["type"] == "round_ended":
            deck, seen, read = open_rounds.pop(table)
            weight = -log(1 - len(read) / 52) if last[table, deck] == "shuffled" else 0
            absent = away[table, deck]
            for card in cards.DECK:
                before = absent[card]
                absent[card] = 0.0 if card in seen else before + weight
                if before < log(sightings.ONE_IN) <= absent[card]:
                    found.append((table, row["round"]))
            if seen and last[table, deck] == "shuffled":
                # The shuffle for the next round may come while this one is played from the other deck, never before its own.
                last[table, deck] = None
    return found


@pytest.fixture(scope="module")
def honest(events_of):
    return events_of(tables=4, rounds=330, seed=6, game="three-card-poker")


@pytest.fixture(scope="module")
def short(honest):
    """Decks of which nobody has the queen of spades."""
    return without(honest, GONE, 1)


def test_a_card_that_is_gone_is_told_once_a_deck_at_the_round_that_decides_it(short):
    found = told(short)
    assert [(each["table"], each["round"]) for each in found] == sorted(read_by_hand(short))
    assert len(found) >= 4
    assert all(each["message"].startswith(f"{GONE} has not come out of deck {each['table']}-") for each in found)
    assert all(each["clause"] == "19:47-20.2(a)" and each["dealer"] for each in found)


def test_an_honest_floor_keeps_no_card_back(honest):
    assert told(honest) == []
    assert read_by_hand(honest) == []


@pytest.mark.parametrize(("tables", "cut"), [(["T001"], 701), (["T001", "T002", "T003", "T004"], 5_003)])
def test_a_stream_cut_anywhere_tells_the_same(short, tables, cut):
    some = short.filter(pl.col("table").is_in(tables))
    whole = told(some)
    assert whole
    assert told(some, cut) == whole


def test_what_is_noted_on_a_deck_s_last_round_does_not_depend_on_the_cuts(short):
    one = short.filter(table="T003")
    whole = derive(facts.none(), one.head(4_000), final=False).carry
    carry = facts.none()
    for at in range(0, 4_000, 333):
        carry = derive(carry, one.slice(at, min(333, 4_000 - at)), final=False).carry
    noted = pl.col("absences").is_not_null()
    last = whole.filter(noted).group_by("deck").agg(pl.col("seq").max(), pl.col("absences").last())
    again = carry.filter(noted).group_by("deck").agg(pl.col("seq").max(), pl.col("absences").last())
    assert last.height >= 1
    assert last.sort("deck").to_dicts() == again.sort("deck").to_dicts()


def test_a_gap_begins_anew(short):
    first = told(short.filter(table="T001"))[0]
    started = short.filter((pl.col("table") == "T001") & (pl.col("round") == first["round"] - 20))["seq"].min()
    # A player who left, say: one event between two rounds is lost.
    lost = short.filter(table="T001").filter(pl.col("seq") != started - 1)
    assert first["round"] not in [each["round"] for each in told(lost)]


def test_cards_that_nobody_could_read_weigh_nothing(short):
    one = short.filter(table="T001")
    first = told(one)[0]
    blurred = (pl.col("type") == "card_dealt") & (pl.col("round") == first["round"] - 10)
    unread = one.with_columns(card=pl.when(blurred).then(pl.lit(cards.UNREAD, cards.CARD)).otherwise(pl.col("card")))
    assert told(unread)[0]["round"] > first["round"]


def test_rounds_of_a_deck_that_was_not_shuffled_weigh_nothing(short):
    one = short.filter(table="T001")
    first = told(one)[0]
    dealt_last = one.filter((pl.col("type") == "round_started") & (pl.col("round") == first["round"]))["seq"][0]
    shuffles = one.filter((pl.col("type") == "deck_shuffled") & (pl.col("seq") < dealt_last))["seq"].tail(3)
    # Told as cuts of the deck, so that no seq is missing.
    lazy = pl.col("seq").is_in(shuffles.implode())
    unshuffled = one.with_columns(
        type=pl.when(lazy).then(pl.lit("deck_cut")).otherwise(pl.col("type")).cast(one.schema["type"]),
        cards=pl.when(lazy).then(20).otherwise(pl.col("cards")),
    )
    assert told(unshuffled)[0]["round"] > first["round"]


def test_a_shoe_of_many_packs_is_not_asked(events_of):
    events = events_of(tables=1, rounds=200, seed=2, game="spanish-21")
    derived = derive(facts.none(), events, final=True)
    noted = derived.carry["absences"].drop_nulls().to_list()
    assert derived.absent.is_empty()
    assert all(not any(each) for each in noted)
