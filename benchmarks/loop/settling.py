"""What each wager of a round is owed, game by game, as the rules of the game are told to a dealer."""

import tomllib
from collections.abc import Callable
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any, Final

from benchmarks.loop.rankers import Ranker
from benchmarks.loop.rounds import Round, Spot

RULES: Final = Path(__file__).parents[2] / "rules"
FACES: Final = "KQJ"

Owed = dict[Spot, int]


@cache
def _odds(game: str, wager: str, column: str) -> dict[str, str]:
    tables = tomllib.loads((RULES / f"{game.replace('-', '_')}.toml").read_text("utf-8"))
    pays: dict[str, str] = tables[wager][column]["pays"]
    return pays


def _prize(round: Round, wager: str, hand: str, stake: int, column: str | None = None) -> int:
    """What a hand wins by the posted table; 0 where it does not stand there."""
    printed = _odds(round.terms.game, wager, column or round.terms.columns.get(wager, "1")).get(hand)
    if printed is None:
        return 0
    if printed.startswith("$"):
        return int(printed[1:].replace(",", "")) * 100
    win, to = printed.split(" to ")
    return stake * int(win.replace(",", "")) // int(to)


def _against(mine: Any, his: Any, stake: int) -> int:
    return stake * (int(mine > his) - int(mine < his))


def three_card_poker(round: Round, ranker: Ranker) -> Owed:
    owed: Owed = {}
    dealer, _ = ranker.three(round.dealer)
    plays = dealer >= ranker.three(("QC", "3D", "2H"))[0]
    for (seat, _), hand in round.hands.items():
        value, name = ranker.three(hand)
        stakes = {wager: chips for (where, _, wager), chips in round.stakes.items() if where == seat}
        stays = "play" in stakes
        for wager, stake in stakes.items():
            spot = (seat, 1, wager)
            if wager == "ante":
                owed[spot] = (_against(value, dealer, stake) if plays else stake) if stays else -stake
                if stays and (bonus := _prize(round, "ante_bonus", name, stake)):
                    owed[seat, 1, "ante_bonus"] = bonus
            elif wager == "play":
                owed[spot] = _against(value, dealer, stake) if plays else 0
            elif wager == "pair_plus":
                lost = "ante" in stakes and not stays
                owed[spot] = -stake if lost else _prize(round, "pair_plus", name, stake) or -stake
            elif wager == "six_card_bonus":
                six = [*hand, *round.dealer]
                owed[spot] = _prize(round, "six_card_bonus", _six(six, ranker), stake) or -stake
    return owed


def _six(six: list[str], ranker: Ranker) -> str:
    suits = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}
    if {card[0] for card in six} == set("AKQJT9") and len({card[1] for card in six}) == 1:
        return f"six_card_royal_{suits[six[0][1]]}"
    return ranker.best_five(six)[1]


def three_card_draw_poker(round: Round, ranker: Ranker) -> Owed:
    owed: Owed = {}
    dealer = max(ranker.three(three)[0] for three in combinations(round.dealer, 3))
    for (seat, _), cards in round.hands.items():
        (choice,) = round.choices[seat, 1]
        dealt = cards[:3]
        kept = [card for card in dealt if card != round.discards.get(seat)]
        final = [*kept, cards[3]] if choice == "draw" else dealt
        value, name = ranker.three(final)
        for (where, _, wager), stake in round.stakes.items():
            if where != seat:
                continue
            if wager == "first_3_bonus":
                first = _named(dealt, ranker)
                if choice == "draw":
                    first = "pair" if kept[0][0] == kept[1][0] else ""
                owed[seat, 1, wager] = _prize(round, wager, first, stake) or -stake
            else:
                owed[seat, 1, wager] = -stake if choice == "fold" else _against(value, dealer, stake)
            if wager in ("in_to_win", "draw") and name:
                bonus = _prize(round, "in_to_win_bonus", _named(final, ranker), stake)
                if bonus:
                    owed[seat, 1, "in_to_win_bonus"] = bonus
    return owed


def _named(hand: list[str], ranker: Ranker) -> str:
    name = ranker.three(hand)[1]
    royal = name == "straight_flush" and {card[0] for card in hand} == set("AKQ")
    return "mini_royal" if royal else name


def heads_up_holdem(round: Round, ranker: Ranker) -> Owed:
    owed: Owed = {}
    dealer, dealers = ranker.best_five([*round.dealer, *round.board])
    for (seat, _), pocket in round.hands.items():
        value, name = ranker.best_five([*pocket, *round.board])
        folded = round.choices[seat, 1][-1] == "fold"
        straight = name in _odds(round.terms.game, "odds", "1")
        result = _against(value, dealer, 1)
        for (where, _, wager), stake in round.stakes.items():
            if where != seat:
                continue
            if wager == "ante":
                net = -stake if folded else 0 if dealers == "high_card" else result * stake
            elif wager == "odds":
                if folded or (result < 0 and not straight):
                    net = -stake
                elif result < 0:
                    net = _prize(round, "bad_beat", name, stake)
                else:
                    net = _prize(round, "odds", name, stake) if result > 0 else 0
            elif wager == "raise":
                net = result * stake
            elif wager == "trips_plus":
                net = _prize(round, "trips_plus", name, stake) or -stake
            else:
                net = _prize(round, "pocket_bonus", _pocket(pocket), stake) or -stake
            owed[seat, 1, wager] = net
    return owed


def _pocket(pocket: list[str]) -> str:
    (one, other), (suit, other_suit) = (card[0] for card in pocket), (card[1] for card in pocket)
    if one == other:
        return "pair_of_aces" if one == "A" else "pair"
    if "A" in (one, other) and (one in FACES or other in FACES):
        return "ace_face_suited" if suit == other_suit else "ace_face_unsuited"
    return ""


def spanish_21(round: Round, _: Ranker) -> Owed:
    owed: Owed = {}
    dealer, blackjack = _points(round.dealer), len(round.dealer) == 2 and _points(round.dealer) == 21
    super_bonus: set[int] = set()
    for (seat, number, wager), stake in round.stakes.items():
        hand, choices = round.hands[seat, number], round.choices[seat, number]
        split = (seat, 2) in round.hands
        if wager == "match_the_dealer":
            owed[seat, number, wager] = _prize(round, wager, _match(round, seat), stake) or -stake
            continue
        doubled = (seat, number, "double") in round.stakes
        points, net = _points(hand), 0
        if not split and len(hand) == 2 and points == 21:
            net = stake * 3 // 2
        elif blackjack:
            net = -stake
        elif "surrender" in choices:
            net = stake * -1 // 2
        elif points > 21:
            net = -stake
        elif points == 21:
            net = stake if doubled else _prize(round, "main", _bonus(hand), stake) or stake
        elif dealer > 21:
            net = stake
        else:
            net = _against(points, dealer, stake)
        owed[seat, number, wager] = net
        sevens = len(hand) == 3 and {card[0] for card in hand} == {"7"} and len({card[1] for card in hand}) == 1
        if sevens and round.dealer[0][0] == "7" and not split and not doubled and stake >= 500:
            super_bonus.add(seat)
            owed[seat, 1, "super_bonus"] = 500_000 if stake >= 2_500 else 100_000
    boxes = {seat for seat, _, wager in round.stakes if wager == "main"}
    owed.update({(seat, 1, "envy"): 5_000 for seat in boxes if super_bonus - {seat}})
    return owed


def _points(hand: list[str]) -> int:
    total = sum(1 if card[0] == "A" else 10 if card[0] in "TJQK" else int(card[0]) for card in hand)
    return total + 10 if total <= 11 and any(card[0] == "A" for card in hand) else total


def _bonus(hand: list[str]) -> str:
    if len(hand) >= 5:
        return {5: "five_cards", 6: "six_cards"}.get(len(hand), "seven_cards_or_more")
    ranks, suits = sorted(card[0] for card in hand), {card[1] for card in hand}
    kind = {"678": "six_seven_eight", "777": "three_sevens"}.get("".join(ranks))
    if kind is None:
        return ""
    return f"{kind}_{'mixed' if len(suits) > 1 else 'spades' if suits == {'S'} else 'suited'}"


def _match(round: Round, seat: int) -> str:
    up = round.dealer[0]
    suited = sum(card == up for card in round.first_two[seat])
    unsuited = sum(card[0] == up[0] for card in round.first_two[seat]) - suited
    return {
        (0, 1): "one_unsuited",
        (0, 2): "two_unsuited",
        (1, 0): "one_suited",
        (1, 1): "one_suited_one_unsuited",
        (2, 0): "two_suited",
    }.get((suited, unsuited), "")


SETTLED: Final[dict[str, Callable[[Round, Ranker], Owed]]] = {
    "three-card-poker": three_card_poker,
    "three-card-draw-poker": three_card_draw_poker,
    "heads-up-holdem": heads_up_holdem,
    "spanish-21": spanish_21,
}


def wrongs(round: Round, ranker: Ranker) -> list[tuple[str, int, int, int, str, int]]:
    """Where the chips moved otherwise than they were owed: table, round, seat, hand, wager, what it cost the house."""
    owed = SETTLED[round.terms.game](round, ranker)
    return [
        (round.table, round.number, *spot, round.moved.get(spot, 0) - owed.get(spot, 0))
        for spot in owed.keys() | round.moved.keys()
        if round.moved.get(spot, 0) != owed.get(spot, 0)
    ]
