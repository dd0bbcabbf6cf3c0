"""Wrongs of Spanish 21 with who may bet what, with faces and decisions, and with voids."""

from collections.abc import Callable, Mapping
from copy import copy
from itertools import pairwise
from random import Random
from typing import Final

from ingest.floor.felt import BURN, DEALER, Bet, Round, Wrong, place
from ingest.floor.misplayed import NO_CAUSE
from ingest.floor.people import Player
from ingest.floor.spanish_21.boxes import Box, ShoeRound, chips_of, early, somebody_waits
from ingest.floor.spanish_21.irregular import REASONS, declare_void, found, holds_more, until
from ingest.floor.unwelcome import NOT_OFFERED
from rules.spanish_21 import GAME

_Way = Callable[[ShoeRound, Random], Wrong | None]


# Wagers


def _limited(round: ShoeRound, rng: Random) -> Bet | None:
    """Of a box whose caller sits there, since elsewhere the highest wager decides who calls."""
    bets = [bet for bet in early(round) if bet.wager == "main" and round.seated(bet.seat)]
    return rng.choice(bets) if bets else None


def _least_and_most(round: ShoeRound) -> tuple[tuple[int, ...], tuple[int, ...]]:
    low, high = round.opening.min_wager, round.opening.max_wager
    return (low - 100, low // 2, low - 1), (high + 1, high + 500, high * 2)


def _outside_the_limits(round: ShoeRound, rng: Random) -> Wrong | None:
    bet = _limited(round, rng)
    if bet is None:
        return None
    below, above = _least_and_most(round)
    first, *others = chips_of(round, bet, round.wagering)
    gone = {id(fact) for fact in others}
    round.wagering = [fact for fact in round.wagering if id(fact) not in gone]
    first["amount"] = bet.stake = rng.choice((*below, *above))
    return Wrong("BET05", bet.seat, bet.wager, bet.stake)


def _changed_beyond_the_limits(round: ShoeRound, rng: Random) -> Wrong | None:
    bet = _limited(round, rng)
    if bet is None:
        return None
    below, above = _least_and_most(round)
    bet.stake = rng.choice((*below, *above))
    round.wagering.insert(len(round.wagering) - 1, round.changed(bet, bet.stake, rng))
    return Wrong("BET05", bet.seat, bet.wager, bet.stake)


def _added_beyond_the_limits(round: ShoeRound, rng: Random) -> Wrong | None:
    bet = _limited(round, rng)
    if bet is None:
        return None
    was, bet.stake = bet.stake, rng.choice(_least_and_most(round)[1])
    round.wagering.insert(len(round.wagering) - 1, round.placed(bet, bet.stake - was, rng))
    return Wrong("BET05", bet.seat, bet.wager, bet.stake)


def behind(round: ShoeRound, box: Box, person: Player, rng: Random) -> Bet:
    """One more on the box, whose chips have yet to be put down."""
    stake = box.stakes[person.name] = round.opening.min_wager * rng.choice((1, 1, 2))
    box.people.append(person)
    bet = round.bet_of(box.seat, "main", stake, person.name)
    round.bets.append(bet)
    return bet


def _put_down(round: ShoeRound, box: Box, person: Player, rng: Random) -> Bet:
    """A Spanish 21 wager after all others of the round."""
    bet = behind(round, box, person, rng)
    round.wagering.insert(len(round.wagering) - 1, round.placed(bet, bet.stake, rng))
    return bet


def somebody(rng: Random) -> Player:
    return Player(f"p-{rng.getrandbits(40):010x}", units=1, sense=1.0, side_bets=0.0, fidgets=0.0, stays=1)


def room_behind(round: ShoeRound) -> list[Box]:
    """Boxes behind which somebody can still bet whom nobody waited for."""
    if not somebody_waits(round):  # a dealer who drew for nobody would have drawn for him
        return []
    return [box for box in round.boxes.values() if round.seated(box.seat) and box.hands]


def _a_fourth_on_the_box(round: ShoeRound, rng: Random) -> Wrong | None:
    boxes = room_behind(round)
    return _fourth(round, rng.choice(boxes), somebody(rng), rng) if boxes else None


def _a_fourth_from_another_seat(round: ShoeRound, rng: Random) -> Wrong | None:
    """Who may bet on a box more, but not on this one."""
    on, permitted = _boxes_of(round), int(round.option("boxes_per_player"))
    chances = [
        (box, player)
        for box in room_behind(round)
        for player in round.players.values()
        if player not in box.people and len(on.get(player.name, ())) < permitted
    ]
    return _fourth(round, *rng.choice(chances), rng) if chances else None


def _fourth(round: ShoeRound, box: Box, person: Player, rng: Random) -> Wrong:
    while len(box.people) < GAME.bettors_on_a_box:
        _put_down(round, box, somebody(rng), rng)
    bet = _put_down(round, box, person, rng)
    return Wrong("BET07", bet.seat, bet.wager, bet.stake)


def _boxes_of(round: ShoeRound) -> dict[str, list[int]]:
    """The boxes that each bettor is on."""
    on: dict[str, list[int]] = {}
    for box in round.boxes.values():
        for person in box.people:
            on.setdefault(person.name, []).append(box.seat)
    return on


def _another_empty_box(round: ShoeRound, rng: Random) -> Wrong | None:
    """Where nobody sits, somebody plays who has all the boxes he may have."""
    on, permitted = _boxes_of(round), int(round.option("boxes_per_player"))
    chances = [
        (box, player)
        for box in round.boxes.values()
        for player in round.players.values()
        if round.seated(box.seat) is None and len(box.people) == 1 and box.caller.name != player.name
        if len(on.get(player.name, ())) == permitted
    ]
    if not chances or any(fact.get("choice") == "ride" for fact in round.acting):
        return None
    box, player = rng.choice(chances)
    was = box.caller.name
    for told in (*round.wagering, *round.dealing, *round.acting, *round.showing):
        if told.get("seat") == box.seat and told.get("player") == was:
            told["player"] = player.name
    for bet in round.bets:
        if bet.seat == box.seat and bet.player == was:
            bet.player = player.name
    for key in [key for key in round.decided if (key[0], key[3]) == (box.seat, was)]:
        round.decided[*key[:3], player.name] = round.decided.pop(key)
    box.people = [player]
    box.stakes = {player.name: box.stakes[was]}
    for hand in box.hands:
        hand.doubled = {player.name for _ in hand.doubled}
        hand.rescued = {player.name for _ in hand.rescued}
    mains = [bet for bet in round.bets if bet.wager == "main" and bet.hand == 1]
    own = {bet.seat: bet for bet in mains if round.bettor(bet.seat, bet.player) == player.name}
    # The last of his boxes that he put chips on is the one too many.
    first = {seat: chips_of(round, bet, round.wagering)[0] for seat, bet in own.items()}
    last = [seat for fact in round.wagering for seat in first if fact is first[seat]][-1]
    return Wrong("BET07", last, "main", own[last].stake)


def _one_box_too_many(round: ShoeRound, rng: Random) -> Wrong | None:
    on, permitted = _boxes_of(round), int(round.option("boxes_per_player"))
    chances = [
        (player, box)
        for player in round.players.values()
        for box in round.boxes.values()
        if len(on.get(player.name, ())) == permitted
        and player not in box.people
        and round.seated(box.seat)
        and box.hands
        and len(box.people) < GAME.bettors_on_a_box
    ]
    if not chances or not somebody_waits(round):
        return None
    player, box = rng.choice(chances)
    bet = _put_down(round, box, player, rng)
    return Wrong("BET07", bet.seat, bet.wager, bet.stake)


def _on(names: Callable[[Round], list[str]]) -> _Way:
    """Chips on one of these, which the table does not take."""

    def put_down(round: ShoeRound, rng: Random) -> Wrong | None:
        chances = names(round)
        if not chances:
            return None
        box = rng.choice(list(round.boxes.values()))
        bettor = rng.choice(box.people).name
        bet = round.bet_of(box.seat, rng.choice(chances), rng.choice((500, 1_000, 2_500)), bettor)
        bet.offered = False
        round.bets.append(bet)
        round.wagering.insert(rng.randrange(len(round.wagering)), round.placed(bet, bet.stake, rng))
        return Wrong("BET08", bet.seat, bet.wager, bet.stake)

    return put_down


# Faces


def _first_cards_down(round: ShoeRound, rng: Random) -> Wrong | None:
    """A box is shown face up from its first card."""
    box = rng.choice([box for box in round.boxes.values() if box.first])
    for fact in rng.sample(box.first, rng.choice((1, len(box.first)))):
        fact["face"] = "down"
    return Wrong("DEAL04", box.seat)


def _hole_card_up(round: ShoeRound, _: Random) -> Wrong | None:
    round.held[1]["face"] = "up"
    return Wrong("DEAL04")


def _up_card_down(round: ShoeRound, _: Random) -> Wrong | None:
    """Nobody sees the dealer's cards before the hole card is turned."""
    round.held[0]["face"] = "down"
    return Wrong("DEAL04")


# Decisions


def _said_again(round: ShoeRound, rng: Random) -> Wrong | None:
    """After the last word on a hand the same word again."""
    last = [at for at, fact in enumerate(round.acting) if fact.get("choice") in ("stand", "surrender")]
    if not last:
        return None
    at = rng.choice(last)
    again = copy(round.acting[at])
    round.acting.insert(at + 1, again)
    return Wrong("DEAL07", again["seat"])


def _out_of_turn(round: ShoeRound, rng: Random) -> Wrong | None:
    """Two boxes are played the other way round."""
    if round.late or round.offered or round.ran_out or round.mishap:
        return None
    spans = [span for box in round.boxes.values() if (span := _span(round, box.seat))]
    chances = [(one, other) for one, other in pairwise(spans) if one.stop == other.start]
    if not chances:
        return None
    one, other = rng.choice(chances)
    first = round.acting[other.start]["seat"]
    ahead, behind = round.acting[other.start : other.stop], round.acting[one.start : one.stop]
    round.acting[one.start : other.stop] = [*ahead, *behind]
    return Wrong("DEAL07", first)


def _span(round: ShoeRound, seat: int) -> range | None:
    """Where the box is played from its first decision on, and nothing else is."""
    own = [at for at, fact in enumerate(round.acting) if fact.get("seat") == seat and fact.get("wager") != "insurance"]
    if not own or own[-1] - own[0] + 1 != len(own) or round.acting[own[0]]["type"] != "decision_made":
        return None
    return range(own[0], own[-1] + 1)


def _after_the_hole_card(round: ShoeRound, rng: Random) -> Wrong | None:
    """He says that he stands once the dealer's cards lie there."""
    by = {id(fact) for fact in round.decided.values()}
    chances = [fact for fact in round.acting if fact.get("choice") == "stand" and id(fact) not in by]
    if not chances:
        return None
    late = rng.choice(chances)
    round.acting = [fact for fact in round.acting if fact is not late]
    round.showing.insert(1, late)
    return Wrong("DEAL07", late["seat"])


# Voids


def _void_for_nothing(round: ShoeRound, rng: Random) -> Wrong | None:
    if not _whole_deal(round):
        return None
    dealt = len(round.dealing)
    facts = until(round, rng)
    splits = [at for at, fact in enumerate(facts) if fact.get("choice") == "split"]
    facts = facts[: min([*splits, len(facts)])]  # nor a second card that a split hand had not got
    while facts[-1]["type"] != "card_dealt":  # a card that was asked for and had not come could be what it was for
        facts.pop()
    round.dealing = facts if len(facts) >= dealt else round.dealing
    declare_void(round, rng.choice(NO_CAUSE))
    return Wrong("VOID02")


def _void_for_one_card(round: ShoeRound, rng: Random) -> Wrong | None:
    """One card face up, or one 10, for which the law has the round played on."""
    if not _whole_deal(round) or not holds_more(round):
        return None
    many = rng.choice(list(REASONS))
    at = rng.randint(1, len(round.dealing))
    round.dealing.insert(at, found(round, many, rng))
    declare_void(round, rng.choice(REASONS[many]))
    return Wrong("VOID02")


def _void_after_the_show(round: ShoeRound, rng: Random) -> Wrong | None:
    """The dealer has drawn, and the chips that should move all go back."""
    if round.ran_out or not _whole_deal(round) or any(fact.get("choice") == "ride" for fact in round.acting):
        return None
    round.dealing = [*round.dealing, *round.acting, *round.showing]
    declare_void(round, rng.choice(NO_CAUSE))
    return Wrong("VOID02")


def _whole_deal(round: ShoeRound) -> bool:
    """Whether every box and the dealer have their two cards by the end of the deal, as no other cause for a void has it."""
    cards = [place(fact) for fact in round.dealing if fact["type"] == "card_dealt" and place(fact) != BURN]
    return all(cards.count(where) == 2 for where in (*round.boxes, DEALER))


WAYS: Final[Mapping[str, tuple[_Way, ...]]] = {
    "BET05": (_outside_the_limits, _changed_beyond_the_limits, _added_beyond_the_limits),
    "BET07": (_a_fourth_on_the_box, _a_fourth_from_another_seat, _one_box_too_many, _another_empty_box),
    "BET08": tuple(_on(names) for names in NOT_OFFERED),
    "DEAL04": (_first_cards_down, _hole_card_up, _up_card_down),
    "DEAL07": (_said_again, _out_of_turn, _after_the_hole_card),
    "VOID02": (_void_for_nothing, _void_for_one_card, _void_after_the_show),
}
