"""Wrongs with who may wager what: outside the limits, not by who sits there, not offered at the table."""

from collections.abc import Callable
from random import Random
from typing import Final

from ingest.floor.felt import Bet, Round, Way, Wrong, bonuses, is_offered, needed
from ingest.floor.misbet import before_the_deal, restake, wagers_at
from rules.decision import Wager
from rules.games import GAMES

LIMITED: Final = ("ante", "main")
UNHEARD_OF: Final = ("lucky_ladies", "dealer_bust", "progressive")


def _sizes_outside(round: Round) -> list[int]:
    low, high = round.opening.min_wager, round.opening.max_wager
    return [low - 100, low // 2, high + 500, high + 100, high * 2]


def _limited(round: Round, rng: Random) -> Bet | None:
    bets = [bet for bet in round.bets if bet.wager in LIMITED]
    return rng.choice(bets) if bets else None


def _resized(round: Round, bet: Bet, stake: int) -> None:
    """The bet is another size, and everything that goes by its size with it."""
    for other in round.bets:
        law = round.law(other.wager)
        leans = bet.wager in needed(round.opening, law) and not law.before_deal
        if other.seat == bet.seat and ((law.equals and law.equals.wager == bet.wager) or leans):
            restake(round, other, other.stake // bet.stake * stake)
    restake(round, bet, stake)


def _outside_the_limits(round: Round, rng: Random) -> Wrong | None:
    bet = _limited(round, rng)
    if bet is None:
        return None
    _resized(round, bet, rng.choice(_sizes_outside(round)))
    return Wrong("BET05", bet.seat, bet.wager, bet.stake)


def _changed_beyond_the_limits(round: Round, rng: Random) -> Wrong | None:
    """Right at first, and then so many before "No more bets"."""
    bet = _limited(round, rng)
    if bet is None:
        return None
    was = bet.stake
    _resized(round, bet, rng.choice(_sizes_outside(round)))
    stake = bet.stake
    restake(round, bet, was)
    bet.stake = stake
    round.wagering.insert(len(round.wagering) - 1, round.changed(bet, stake, rng))
    return Wrong("BET05", bet.seat, bet.wager, stake)


def _added_beyond_the_limits(round: Round, rng: Random) -> Wrong | None:
    """Right as they were put down, and more were put beside them than the table takes."""
    bet = _limited(round, rng)
    if bet is None:
        return None
    was = bet.stake
    _resized(round, bet, rng.choice([size for size in _sizes_outside(round) if size > round.opening.max_wager]))
    stake = bet.stake
    restake(round, bet, was)
    bet.stake = stake
    round.wagering.insert(len(round.wagering) - 1, round.placed(bet, stake - was, rng))
    return Wrong("BET05", bet.seat, bet.wager, stake)


# Not by who sits there


def _stranger(round: Round, seat: int, rng: Random) -> str:
    """Somebody from another seat, or from nowhere."""
    others = [player.name for place, player in sorted(round.players.items()) if place != seat]
    if others and rng.random() < 0.5:
        return rng.choice(others)
    return f"p-{rng.getrandbits(40):010x}"


def _first_placed(round: Round, seat: int) -> str:
    lying = wagers_at(round, seat)
    return next(fact["wager"] for fact in round.wagering if fact.get("seat") == seat and fact["wager"] in lying)


def _chips_in_question(round: Round, seat: int) -> int:
    return sum(bet.stake for bet in before_the_deal(round) if bet.seat == seat)


def _played_by_another(round: Round, rng: Random) -> Wrong | None:
    """All chips of a seat are those of somebody who does not sit there."""
    seat = rng.choice(round.seats)
    stranger = _stranger(round, seat, rng)
    for fact in (*round.wagering, *round.acting):
        if fact.get("seat") == seat and fact["type"] in ("wager_placed", "wager_changed"):
            fact["player"] = stranger
    for bet in round.bets:
        if bet.seat == seat:
            bet.player = stranger
    return Wrong("BET06", seat, _first_placed(round, seat), _chips_in_question(round, seat))


def _stood_up_and_played(round: Round, rng: Random) -> Wrong | None:
    """He left his seat before the round and plays on."""
    seat = rng.choice(round.seats)
    round.before[-1].facts.append({"type": "player_left", "seat": seat})
    round.stood_up = seat
    return Wrong("BET06", seat, _first_placed(round, seat), _chips_in_question(round, seat))


def _beside_the_player(round: Round, rng: Random) -> Wrong | None:
    """Chips of somebody else beside those of the seat, on a wager that needs no other."""
    free = [
        wager.name
        for wager in round.opening.law.wagers_of(round.opening.terms.edition)
        if wager.before_deal and wager.bonus_on is None and not wager.needs and wager.name not in LIMITED
    ]
    chances = [
        (seat, wager)
        for seat, choice in round.choices.items()
        for wager in free
        if choice != "fold" and wager not in wagers_at(round, seat)
    ]
    if not chances:
        return None
    seat, wager = rng.choice(chances)
    bet = Bet(seat, wager, rng.choice((500, 1_000)), player=_stranger(round, seat, rng))
    round.bets.append(bet)
    round.wagering.insert(rng.randrange(len(round.wagering)), round.placed(bet, bet.stake, rng))
    return Wrong("BET06", seat, wager, bet.stake)


# Not offered


def _own(round: Round) -> list[Wager]:
    return [wager for wager in round.opening.law.wagers if wager.bonus_on is None and wager.before_deal]


def _withheld(round: Round) -> list[str]:
    """Wagers of this game that the table was not opened with."""
    here = {wager.name for wager in round.opening.law.wagers_of(round.opening.terms.edition)}
    return [wager.name for wager in _own(round) if wager.name not in here or not is_offered(round.opening, wager)]


def _of_another_game(round: Round) -> list[str]:
    elsewhere = [wager for game in GAMES.values() for wager in game.wagers if wager.before_deal and not wager.bonus_on]
    return sorted({wager.name for wager in elsewhere} - {wager.name for wager in _own(round)})


def _of_no_game(_: Round) -> list[str]:
    return list(UNHEARD_OF)


def _paid_without_a_stake(round: Round) -> list[str]:
    return [wager.name for wager in bonuses(round.opening) if wager.name != "envy"]


NOT_OFFERED: Final = (_withheld, _of_another_game, _of_no_game, _paid_without_a_stake)


def _on(names: Callable[[Round], list[str]]) -> Way:
    """Chips on one of these."""

    def put_down(round: Round, rng: Random) -> Wrong | None:
        chances = names(round)
        if not chances:
            return None
        bet = Bet(rng.choice(round.seats), rng.choice(chances), rng.choice((500, 1_000, 2_500)), offered=False)
        round.bets.append(bet)
        round.wagering.insert(rng.randrange(len(round.wagering)), round.placed(bet, bet.stake, rng))
        return Wrong("BET08", bet.seat, bet.wager, bet.stake)

    return put_down


WAYS: Final[dict[str, tuple[Way, ...]]] = {
    "BET05": (_outside_the_limits, _changed_beyond_the_limits, _added_beyond_the_limits),
    "BET06": (_played_by_another, _stood_up_and_played, _beside_the_player),
    "BET08": tuple(_on(names) for names in NOT_OFFERED),
}
