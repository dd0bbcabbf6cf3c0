"""When the chips move: at the round's end from the dealer's far right, or as soon as nothing can change a wager any more."""

from random import Random

from ingest.floor.felt import Fact, Round
from ingest.floor.spanish_21.boxes import Key, ShoeRound


def at_once(round: Round, rng: Random) -> None:
    """What is decided is settled at some tables as it is decided, at others at the end."""
    assert isinstance(round, ShoeRound)
    if round.voided or (round.wrong is not None and round.wrong.code == "PROC03"):
        return
    eager = rng.choice((0.0, 0.5, 1.0))
    chosen: dict[Key, bool] = {}  # two settlements of one wager keep their order
    in_the_deal = {id(fact) for fact in round.dealing}
    first: list[Fact] = []
    after: dict[int, list[Fact]] = {}
    later: list[Fact] = []
    for fact in round.settling:
        by = _decided_by(round, fact)
        if by is None or not chosen.setdefault(round.key_of(fact), rng.random() < eager):
            later.append(fact)
        elif id(by) in in_the_deal:
            first.append(fact)
        else:
            after.setdefault(id(by), []).append(fact)
    round.settling = later
    round.acting = [*first, *(each for fact in round.acting for each in (fact, *after.get(id(fact), ())))]


def _decided_by(round: ShoeRound, fact: Fact) -> Fact | None:
    """The fact after which this settlement could come."""
    if fact["type"] != "wager_settled" or _is_in_question(round, fact):
        return None
    seat, hand, wager, bettor = round.key_of(fact)
    if wager == "match_the_dealer":
        return round.dealing[-1]
    if wager == "insurance":
        return round.read_after
    return round.decided.get((seat, hand, "main" if wager == "super_bonus" else wager, bettor))


def _is_in_question(round: ShoeRound, fact: Fact) -> bool:
    """Chips that were moved late are on the felt until the end."""
    wrong = round.wrong
    return wrong is not None and wrong.code.startswith("BET") and wrong.seat == fact["seat"]
