"""A table through its day: opened and closed, decks changed, shuffled, cut and counted, people coming and going."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np

from ingest.floor import faults, irregular, lapses, short_deck
from ingest.floor.felt import Fact, Opening, Play, Round, Stretch, Wrong
from ingest.floor.people import HOUR, MINUTE, PIT, Pit, Player, Regulars
from rules.game import Irregularity

SECOND: Final = 1_000_000
COLOURS: Final = ("red", "blue", "green", "black")
# Where the game's own text says nothing, cards are changed after eight hours in a shoe, four in the hand (13:69E-1.18(g)2, 3).
CARD_HOURS: Final = {"manual_shoe": 8, "automated_shoe": 8, "hand": 4}
ROUNDS_TO_A_COUNT: Final = 5
IRREGULAR: Final = 0.02
BLURRED: Final = 0.006
# How many rounds a table stays open; on a floor with wrongs it opens more often, so that more can go wrong with it.
OPEN: Final = (60, 420)
OPEN_SHORT: Final = (25, 160)
# A second opening in a row shares neither edition nor method with the first: 11 has no factor with 3 or 14.
NEXT_OPENING: Final = 11


@dataclass(slots=True)
class Deck:
    name: str
    back: str
    received_at: int
    change_at: int
    shuffled: bool = False
    came: int = 0  # before which round
    unseen: bool = False  # its coming may have been lost on the way
    wrong: str = ""  # the code that is told when it is used the next time


@dataclass(frozen=True, slots=True)
class Habits:
    """What differs from one gateway, pit and crew to the next and is wrong at none of them."""

    naming: float  # how often a fact names the player beside the seat
    counts: float  # how often the stub is counted before it must be
    precision: int  # of the clock, in microseconds
    sources: bool  # facts say which sensor saw them
    shuffles_in_round: bool  # with two decks: one is shuffled while the other is in play

    @classmethod
    def draw(cls, rng: Random) -> "Habits":
        return cls(
            naming=rng.choice((0.0, 0.0, 0.5, 1.0)),
            counts=rng.choice((0.0, 0.05, 0.2, 0.6)),
            precision=rng.choice((1, 1_000, SECOND)),
            sources=rng.random() < 0.3,
            shuffles_in_round=rng.random() < 0.5,
        )


class Table:
    def __init__(
        self,
        seed: int,
        index: int,
        play: Play,
        *,
        nth: int,
        rounds: int,
        start: int,
        wrongs: float,
        only: Collection[str] = (),
    ) -> None:
        self.name = f"T{index + 1:03d}"
        self.play = play
        self.rounds = rounds
        self.number = 0
        self.clock = start
        self.seq = 0
        self.settling = Random(f"{seed}/{self.name}/settling")
        self.ticks = np.random.default_rng(Random(f"{seed}/{self.name}/ticks").getrandbits(128))
        self._faults = Random(f"{seed}/{self.name}/faults")
        self._rng = rng = Random(f"{seed}/{self.name}")
        self.habits = Habits.draw(rng)
        self._wrongs = wrongs
        self._only = only  # of the wrongs; all where none is named
        self._pit = Pit(seed, index // PIT, start)
        self._place = index % PIT
        self._regulars = Regulars(rng)
        self._players: dict[int, Player] = {}
        self._dealer = ""
        self._nth = nth  # of the openings of its game
        self._opening: Opening | None = None
        self._closes_after = 0
        self._since_opening = 0
        self._decks: list[Deck] = []
        self._decks_received = 0
        self._last: Deck | None = None
        self._last_out = 0
        self._last_bad = False
        self._uncounted = 0
        self._memory = faults.Memory()
        self._lapse = ""  # what is left undone before the round to come
        self._one_colour = False  # told of in this opening
        self._put_off: list[Fact] = []  # the shuffle that comes when the first card is out
        self._keeps_bad = False
        self._neglected = 0  # rounds to come in which nobody counts
        self._short: short_deck.ShortDeck | None = None  # the deck that a card never comes from
        self._deals_short = False  # the next deck that comes is one
        self._counts_after: list[Fact] = []  # of the stub, when the round was over
        self._last_voided = False
        self.clock += rng.randrange(10 * MINUTE)

    def until(self, horizon: int) -> Iterator[Round]:
        """Rounds planned up to `horizon`, not yet settled."""
        while self.number < self.rounds and self.clock < horizon:
            yield self._next()

    def _next(self) -> Round:
        rng = self._rng
        wrong = self._faults.random() < self._wrongs and not self._deals_short
        self._lapse = self._left_undone() if wrong else ""
        before = self._between()
        opening = self._opening
        assert opening is not None
        wrong = wrong and not self._deals_short
        self.number += 1
        self._since_opening += 1
        deck = self._next_deck()
        short = self._short if self._short is not None and self._short.deck == deck.name else None
        starts = self.clock
        self.clock += int(rng.uniform(34, 48) * SECOND)
        round = Round(
            play=self.play,
            opening=opening,
            number=self.number,
            deck=deck.name,
            supervisor=self._pit.supervisor(starts),
            players=dict(self._players),
            naming=self.habits.naming,
            before=before,
            starts=starts,
            ends=self.clock,
            followed=self.number < self.rounds and not self._in_round(),
            opens=self._since_opening == 1,
            missing=() if short is None else short.missing,
        )
        self.play.plan(round, rng)
        counts = opening.law.stub_is_counted and opening.shuffler != "counting"
        due = counts and self._uncounted >= ROUNDS_TO_A_COUNT - 1
        if self._shows(round, deck):
            pass
        elif wrong:
            faults.plan(round, self._faults, self._situation(due))
            round.kept_bad = bool(round.miscount) and self._faults.random() < 0.4
            self._lose_sight(round)
        elif rng.random() < IRREGULAR:
            irregular.happens(round, rng, due)
        elif rng.random() < BLURRED and not self._deals_short:
            round.blurred, round.luck = True, rng.getrandbits(64)
        if short is not None and short.shows(round):
            self._told_short(round, deck)
        if self._neglected:
            round.uncounted, self._neglected = True, self._neglected - 1
        self._neglected += round.neglected
        if round.stood_up:
            del self._players[round.stood_up]
        self._count(round, deck, due)
        self._shuffle_the_other(round, deck)
        deck.shuffled = False
        self._last, self._last_out = deck, round.out
        self._last_bad = bool(round.miscount)
        self._keeps_bad, self._last_voided = round.kept_bad, round.voided
        self._memory.note(round)
        if self.number == self.rounds:
            round.after = [self._close()]
        return round

    def _told_short(self, round: Round, deck: Deck) -> None:
        """Somebody looked at last: the deck goes, and if it is what is asked for, the next one is as short."""
        round.wrong = Wrong("DECK08")
        deck.change_at = 0
        self._short = None
        self._deals_short = bool(self._only)

    def _situation(self, due: bool) -> faults.Situation:
        return faults.Situation(
            memory=self._memory,
            opened=self.number - self._since_opening + 1,
            count_due=due,
            only=self._only,
            deck_in_doubt=any(deck.wrong for deck in self._decks),
            fifth_uncounted=due
            and self._uncounted == ROUNDS_TO_A_COUNT - 1
            and self._since_opening >= ROUNDS_TO_A_COUNT,
        )

    # What is left undone

    def _left_undone(self) -> str:
        """What is wrong before the round to come, where it is something between rounds: the way, or nothing."""
        rng = self._faults
        share = 1 if self._only else lapses.SHARE
        if rng.random() > share or self._opening is None or self._since_opening >= self._closes_after:
            return ""
        # What the feed lost since the deck was last used could have been what was left undone.
        if self.number - self._memory.last_feed_wrong < 3 or any(deck.wrong for deck in self._decks) or self._last_bad:
            return ""
        return self._one_of({way: lapses.WAYS[way] for way in lapses.WAYS if self._gives_the_chance(way)})

    def _one_of(self, chances: dict[str, str]) -> str:
        """A way, each code as likely as the others; nothing where none of those asked for has a chance."""
        codes = sorted({code for code in chances.values() if not self._only or code in self._only})
        if not codes:
            return ""
        code = self._faults.choice(codes)
        return self._faults.choice([way for way in chances if chances[way] == code])

    def _gives_the_chance(self, way: str) -> bool:
        opening = self._opening
        assert opening is not None
        two, counting = opening.in_rotation == 2, opening.shuffler == "counting"
        code = lapses.WAYS[way]
        return code in faults.codes(self.play) and {
            # Shuffled in the round before, nobody can say that it was not.
            "the shuffle is left out": not two and not self._put_off,
            "shuffled when the first card is out": not two and not self._put_off,
            "the same deck again": two and not self._last_voided,
            "replaced by a deck of the other's colour": two and not self._one_colour,
            "the shuffler's number passed over": counting and not two,
            "a new deck of a wrong number": counting,
            "void declared and the deck kept": not counting,
            "kept through a pause": self._is_in_time(self._next_deck()),
            "kept waiting": self._is_in_time(self._next_deck()),
        }.get(way, not counting or code != "PROC02")

    def _is_in_time(self, deck: Deck) -> bool:
        """Whether somebody saw it come, and it may be used for a while yet."""
        assert self._opening is not None
        hours = self._opening.law.card_life[self._opening.dealing].hours
        return not deck.unseen and self.clock < deck.received_at + hours * HOUR

    def _lose_sight(self, round: Round) -> None:
        """A gap may hide that a deck came."""
        for deck in self._decks:
            deck.unseen |= round.planned == "FEED01" and deck.came == round.number

    def _shows(self, round: Round, deck: Deck) -> bool:
        """Whether what was left undone shows in this round."""
        way, self._lapse = self._lapse, ""
        if deck.wrong:
            round.wrong, deck.wrong = Wrong(deck.wrong), ""
            deck.change_at = 0  # it has been seen by now
            return True
        if way == "void declared and the deck kept":
            irregular.remedied(round, Irregularity.WRONG_STUB_COUNT, self._faults)
            round.kept_bad = True
            return True
        if not way:
            self._put_off = []
            return False
        code = (lapses.WAYS | lapses.AT_THE_OPENING)[way]
        round.wrong = Wrong(code, of_no_round=way in lapses.OF_NO_ROUND)
        if way == "shuffled when the first card is out":
            hands = (at for at, fact in enumerate(round.dealing) if fact.get("to") in ("player", "dealer"))
            at = 1 + next(hands)
            round.dealing[at:at] = self._put_off
        else:
            self._put_off = []
        if code == "DECK06":
            deck.change_at = 0
        return True

    def _undone(self, facts: list[Fact]) -> list[Fact]:
        """What is done between rounds, less what is left undone or done wrongly."""
        way, rng = self._lapse, self._faults
        if not way or self._opening is None:
            return facts
        deck = self._next_deck()
        if way in lapses.CUTS:
            if not any(fact["type"] == "deck_cut" and fact["deck"] == deck.name for fact in facts):
                facts = [*facts, *self._brought_shuffled(deck)]
            return lapses.wrongly_cut(facts, self._next_deck().name, way, rng)
        if way == "the shuffle is left out":
            return lapses.unshuffled(facts, deck.name)
        if way == "shuffled when the first card is out":
            rest = lapses.unshuffled(facts, deck.name)
            self._put_off = [fact for fact in facts if not any(fact is each for each in rest)]
            return rest
        if way == "a new deck is not shuffled":
            facts = [*facts, *self._replaced(deck, "card change")]
            return lapses.unshuffled(facts, self._next_deck().name)
        return self._wrong_deck(facts, deck)

    def _brought_shuffled(self, deck: Deck) -> list[Fact]:
        """Another deck in this one's place, shuffled when it came and cut."""
        facts = lapses.unshuffled(self._replaced(deck, "card change"), self._next_deck().name)
        name = self._next_deck().name
        return [
            *facts,
            {"type": "deck_shuffled", "deck": name, "method": "preshuffled"},
            {"type": "deck_cut", "deck": name, "cards": self._faults.randint(10, 42)},
        ]

    def _wrong_deck(self, facts: list[Fact], deck: Deck) -> list[Fact]:
        way, rng = self._lapse, self._faults
        if way == "the same deck again":
            last = self._last
            excuses = ("deck_removed", "deck_received", "device_failed", "device_removed")
            if last is None or any(fact["type"] in excuses for fact in facts):
                self._lapse = ""
                return facts
            self._last = deck
            return facts if last.shuffled else [*facts, *self._shuffled(last, fresh=False, jams=False)]
        if way == "replaced by a deck of the other's colour":
            self._one_colour = True
            other = next(each for each in self._decks if each is not deck)
            deck.back = other.back
            return [*facts, *self._replaced(deck, "card change")]
        if way in ("the shuffler's number passed over", "a new deck of a wrong number"):
            if way == "a new deck of a wrong number":
                facts = [*facts, *self._replaced(deck, "card change")]
            shown = [
                fact for fact in facts if fact["type"] == "deck_shuffled" and fact["deck"] == self._next_deck().name
            ]
            shown[-1]["counted"] = self._law_size() + rng.choice((-2, -1, -1, 1))
            self._next_deck().change_at = 0
        return facts

    def _kept_too_long(self, deck: Deck) -> None:
        """Time goes by until the deck is past its hours."""
        assert self._opening is not None
        hours = self._opening.law.card_life[self._opening.dealing].hours
        past = deck.received_at + hours * HOUR + self._faults.choice((6, 30, 200)) * MINUTE
        self.clock = max(self.clock, past)
        deck.change_at = self.clock + 24 * HOUR

    # The cards

    def _count(self, round: Round, deck: Deck, due: bool) -> None:
        rng = self._rng
        if not round.opening.law.stub_is_counted:
            return
        counting = round.opening.shuffler == "counting"
        willing = rng.random() < (0.01 if counting else self.habits.counts)
        if not round.counts and not round.voided and not round.uncounted and (due or willing):
            round.counts = [0]
        left = round.opening.law.deck_size - round.out
        round.counting = [_counted(deck, left + off) for off in round.counts]
        self._counts_after = [_counted(deck, left + off) for off in round.counts_after]
        if round.counts:
            round.count_named = rng.random() < 0.85
        if round.counts or round.counts_after:
            self._uncounted = 0
        elif not counting:
            self._uncounted += 1

    def _next_deck(self) -> Deck:
        if len(self._decks) == 1:
            return self._decks[0]
        return next(deck for deck in self._decks if deck is not self._last)

    def _in_round(self) -> bool:
        return self.habits.shuffles_in_round and len(self._decks) == 2

    def _shuffle_the_other(self, round: Round, deck: Deck) -> None:
        for other in self._decks:
            if other is not deck and not other.shuffled:
                facts = self._shuffled(other, fresh=False, jams=False)
                at = self._rng.randrange(len(round.wagering) + 1)
                round.wagering[at:at] = facts

    def _received(self, back: str) -> list[Fact]:
        assert self._opening is not None
        self._decks_received += 1
        life = self._opening.law.card_life.get(self._opening.dealing)
        hours = (life.hours if life else CARD_HOURS[self._opening.dealing]) * self._rng.uniform(0.5, 0.95)
        ends = self.clock + int(hours * HOUR)
        deck = Deck(f"{self.name}-{self._decks_received}", back, self.clock, ends, came=self.number + 1)
        self._decks.append(deck)
        if self._deals_short and self._short is None:
            self._short = short_deck.drawn(deck.name, self._faults)
        received: Fact = {"type": "deck_received", "deck": deck.name, "back": back}
        return [received, *self._shuffled(deck, fresh=True, jams=True)]

    def _replaced(self, deck: Deck, reason: str) -> list[Fact]:
        removed: Fact = {"type": "deck_removed", "deck": deck.name, "reason": reason}
        self._lose_short(deck)
        place = self._decks.index(deck)
        facts = [removed, *self._received(deck.back)]
        new = self._decks.pop()
        self._decks[place] = new
        if self._last is deck:
            self._last = new
        return facts

    def _lose_short(self, deck: Deck) -> None:
        if self._short is not None and self._short.deck == deck.name:
            self._short = None

    def _shuffled(self, deck: Deck, fresh: bool, jams: bool) -> list[Fact]:
        """Shuffled after every round; cut only when shuffled by hand or pre-shuffled, ten cards or more."""
        assert self._opening is not None
        rng = self._rng
        deck.shuffled = True
        kind = self._opening.shuffler
        facts: list[Fact] = []
        method = "manual" if kind == "none" else "automated"
        if fresh and kind != "counting" and rng.random() < 0.3:
            method = "preshuffled"
        elif jams and kind != "none" and rng.random() < 0.006:
            facts.append({"type": "device_failed", "device": "shuffler", "fault": rng.choice(irregular.FAILURES)})
            if kind == "automated" and rng.random() < 0.5:
                method = "manual"
        shuffled: Fact = {"type": "deck_shuffled", "deck": deck.name, "method": method}
        if kind == "counting":
            shuffled["counted"] = self._opening.law.deck_size
        facts.append(shuffled)
        if method != "automated":
            facts.append({"type": "deck_cut", "deck": deck.name, "cards": rng.randint(10, 42)})
        return facts

    # Between rounds

    def _between(self) -> list[Stretch]:
        if self._opening is None:
            return self._opened_anew()
        if self._since_opening >= self._closes_after:
            closing = self._close()
            self.clock += self._rng.randint(15, 240) * MINUTE
            return [closing, *self._opened_anew()]
        if self._lapse == "kept through a pause":
            self._kept_too_long(self._next_deck())
        facts = [*self._undone(self._tend_cards()), *self._relief(), *self._come_and_go()]
        stretch = self._stretch(facts, self._rng.uniform(9, 13) + 2 * len(facts))
        if self._lapse == "kept waiting":
            self._kept_too_long(self._next_deck())
        return [stretch]

    def _stretch(self, facts: list[Fact], seconds: float) -> Stretch:
        starts = self.clock
        self.clock += int(seconds * SECOND)
        return Stretch(starts, self.clock, facts)

    def _tend_cards(self) -> list[Fact]:
        rng, last = self._rng, self._last
        assert last is not None
        facts = [*self._counts_after]
        if self._last_bad and self._keeps_bad:
            last.wrong = "DECK07"
        elif self._last_bad:
            reason = rng.choice(("wrong count", f"the deck does not count to {self._law_size()}"))
            return [*facts, *self._replaced(last, reason)]
        if 0 < self._uncounted < ROUNDS_TO_A_COUNT and rng.random() < self.habits.counts / 2:
            size = self._law_size()
            facts.append({"type": "stub_counted", "deck": last.name, "cards": size - self._last_out})
            self._uncounted = 0
        worn = [deck for deck in self._decks if self.clock >= deck.change_at]
        for deck in worn:
            facts += self._replaced(deck, rng.choice(("card change", "end of its hours")))
        if last in self._decks and not self._in_round():
            if self._shows_a_wrong_number():
                wrong = self._law_size() + rng.choice((-1, -1, 1))
                facts.append({"type": "deck_shuffled", "deck": last.name, "method": "automated", "counted": wrong})
                facts += self._replaced(last, "the shuffler shows a wrong number")
            else:
                facts += self._shuffled(last, fresh=False, jams=True)
        return facts

    def _shows_a_wrong_number(self) -> bool:
        assert self._opening is not None
        return self._opening.shuffler == "counting" and self._rng.random() < 0.002

    def _law_size(self) -> int:
        assert self._opening is not None
        return self._opening.law.deck_size

    def _relief(self) -> list[Fact]:
        dealer = self._pit.dealer(self._place, self.clock)
        if dealer == self._dealer:
            return []
        self._dealer = dealer
        return [{"type": "dealer_assigned", "dealer": dealer}]

    def _come_and_go(self) -> list[Fact]:
        rng = self._rng
        facts: list[Fact] = []
        for seat in sorted(self._players):
            player = self._players[seat]
            player.stays -= 1
            if player.stays <= 0:
                facts.append(self._leaves(seat))
        if not self._players or rng.random() < 0.06:
            facts += self._arrives()
        return facts

    def _leaves(self, seat: int) -> Fact:
        del self._players[seat]
        return {"type": "player_left", "seat": seat}

    def _arrives(self) -> list[Fact]:
        assert self._opening is not None
        free = [seat for seat in range(1, self._opening.seats + 1) if seat not in self._players]
        if not free:
            return []
        seat = self._rng.choice(free)
        player = self._regulars.arrival({player.name for player in self._players.values()})
        self._players[seat] = player
        return [{"type": "player_seated", "seat": seat, "player": player.name}]

    def _opened_anew(self) -> list[Stretch]:
        """The table as it opens; on a floor with wrongs now and then as it must not."""
        opening = self.play.opening(self._rng, self._nth)
        self._nth += NEXT_OPENING
        self._closes_after = self._rng.randint(*(OPEN_SHORT if self._wrongs else OPEN))
        self._one_colour = False
        rng = self._faults
        fitting = {way: code for way, code in lapses.AT_THE_OPENING.items() if lapses.fits_opening(opening, way)}
        self._lapse = way = self._one_of(fitting) if rng.random() < 2 * self._wrongs else ""
        self._deals_short = not way and self._is_to_deal_short(opening)
        if self._deals_short:
            self._closes_after = max(self._closes_after, self.rounds if self._only else 2 * short_deck.ROUNDS)
        stretches: list[Stretch] = []
        if lapses.AT_THE_OPENING.get(way) == "PROC04":
            *before, opening = lapses.openings(opening, way, rng)
            for each in before:
                stretches += [self._open(each), self._close()]
                self.clock += rng.randint(1, 60) * MINUTE
        stretches.append(self._open(opening))
        [first, *_] = self._decks
        facts = stretches[-1].facts
        if way == "opened with a deck not shuffled":
            stretches[-1].facts = lapses.unshuffled(facts, first.name)
        elif way == "opened with a deck not cut":
            stretches[-1].facts = self._opened_uncut(facts, first.name)
        elif way == "opened long before the first round":
            self._kept_too_long(first)
        return stretches

    def _is_to_deal_short(self, opening: Opening) -> bool:
        code = short_deck.CODES[0]
        asked = not self._only or code in self._only
        share = 1 if self._only else short_deck.SHARE * self._wrongs
        fits = self._wrongs > 0 and asked and short_deck.fits(opening, self.rounds - self.number)
        return fits and self._faults.random() < share

    def _opened_uncut(self, facts: list[Fact], deck: str) -> list[Fact]:
        """The first deck came shuffled and was cut wrongly, or not at all."""
        shuffled = next(fact for fact in facts if fact["type"] == "deck_shuffled" and fact["deck"] == deck)
        if shuffled["method"] == "automated":
            shuffled["method"] = "preshuffled"
            cut: Fact = {"type": "deck_cut", "deck": deck, "cards": self._faults.randint(10, 42)}
            facts.insert(facts.index(shuffled) + 1, cut)
        return lapses.wrongly_cut(facts, deck, self._faults.choice(lapses.CUTS), self._faults)

    def _open(self, opening: Opening) -> Stretch:
        rng, was = self._rng, self._opening
        self._opening = opening
        self._since_opening = 0
        if opening.shuffler == "counting":
            self._uncounted = 0
        changed = _devices_changed(was, opening)
        if (
            self._lapse == "the old devices still there"
            and opening.shuffler == "none"
            and opening.dealing == "manual_shoe"
        ):
            changed = []
        facts: list[Fact] = [*changed, opening.fact]
        self._dealer = ""
        facts += self._relief()
        self._last = None
        self._last_bad = False
        backs = rng.sample(COLOURS, opening.in_rotation)
        if self._lapse == "opened with two decks of one colour":
            backs, self._one_colour = [backs[0]] * 2, True
        for back in backs:
            facts += self._received(back)
        for _ in range(rng.randint(1, opening.seats)):
            facts += self._arrives()
        return self._stretch(facts, 30 + 6 * len(facts))

    def _close(self) -> Stretch:
        facts = [*self._counts_after, *(self._leaves(seat) for seat in sorted(self._players))]
        self._counts_after = []
        for deck in self._decks:
            self._lose_short(deck)
            bad = self._last_bad and deck is self._last
            facts.append(
                {"type": "deck_removed", "deck": deck.name, "reason": "wrong count" if bad else "table closed"}
            )
        self._decks = []
        facts.append({"type": "table_closed"})
        return self._stretch(facts, 60 + 4 * len(facts))


def _counted(deck: Deck, cards: int) -> Fact:
    return {"type": "stub_counted", "deck": deck.name, "cards": cards}


def _devices_changed(was: Opening | None, now: Opening) -> list[Fact]:
    """A device leaves the table before another method is used (19:47-20.12(g))."""
    if was is None:
        return []
    facts: list[Fact] = []
    if was.dealing == "automated_shoe" != now.dealing:
        facts.append({"type": "device_removed", "device": "shoe"})
    if was.shuffler not in ("none", now.shuffler):
        facts.append({"type": "device_removed", "device": "shuffler"})
    if now.dealing == "automated_shoe" != was.dealing:
        facts.append({"type": "device_installed", "device": "shoe"})
    if now.shuffler not in ("none", was.shuffler):
        facts.append({"type": "device_installed", "device": "shuffler"})
    return facts
