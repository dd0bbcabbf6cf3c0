"""A table with a shoe: many rounds to a shuffle, and people behind the seats."""

from typing import Final

from ingest.floor import faults
from ingest.floor import irregular as poker_irregular
from ingest.floor.felt import Fact, Round
from ingest.floor.people import HOUR, Player
from ingest.floor.spanish_21 import irregular
from ingest.floor.spanish_21.boxes import ShoeRound
from ingest.floor.spanish_21.shoe import Shoe
from ingest.floor.table import BLURRED, SECOND, Deck, Table

ON_THE_RAIL: Final = 3
BONUS_MISSED: Final = 0.03  # of the wrongs: a super bonus is too rare to wait for


class ShoeTable(Table):
    _shoe: Shoe
    _rail: tuple[Player, ...] = ()

    def _next(self) -> Round:
        rng = self._rng
        wrong = self._faults.random() < self._wrongs
        self._lapse = self._left_undone() if wrong else ""
        before = self._between()
        opening = self._opening
        assert opening is not None
        self.number += 1
        self._since_opening += 1
        starts = self.clock
        self.clock += int(rng.uniform(34, 48) * SECOND)
        wrong = wrong and not self._lapse
        round = ShoeRound(
            play=self.play,
            opening=opening,
            number=self.number,
            deck=self._decks[0].name,
            supervisor=self._pit.supervisor(starts),
            players=dict(self._players),
            naming=self.habits.naming,
            before=before,
            starts=starts,
            ends=self.clock,
            followed=False,
            opens=self._since_opening == 1,
            shoe=self._shoe,
            rail=self._behind(),
            mishap=irregular.mishap(rng) if not wrong and not self._lapse else "",
            super_sevens=wrong and self._faults.random() < self._sevens,
        )
        self.play.plan(round, rng)
        irregular.turned_up(round, rng)
        if self._shows(round, self._decks[0]):
            round.shoe.worn = True
        elif round.super_sevens:
            round.planned, round.luck = "PAY06", self._faults.getrandbits(64)
        elif wrong:
            faults.plan(round, self._faults, self._situation(due=False))
            self._lose_sight(round)
        elif rng.random() < BLURRED:
            round.blurred, round.luck = True, rng.getrandbits(64)
        self._note(round)
        if self.number == self.rounds:
            round.after = [self._close()]
        return round

    @property
    def _sevens(self) -> float:
        return BONUS_MISSED if not self._only else float("PAY06" in self._only) / 2

    def _note(self, round: ShoeRound) -> None:
        self._memory.note(round)
        shoe = round.shoe
        shoe.clear_the_felt()
        if round.blurred or (round.planned or "").startswith("FEED"):
            shoe.sure = False
        taken_for_others = {id(fact) for fact, _ in round.shown}
        shoe.told.update(
            fact["card"]
            for fact in (*round.dealing, *round.acting, *round.showing)
            if fact["type"] == "card_dealt" and fact["to"] in ("player", "dealer") and id(fact) not in taken_for_others
        )

    def _behind(self) -> list[Player]:
        """Those on the rail who have not found a seat since."""
        seated = {player.name for player in self._players.values()}
        self._rail = tuple(person for person in self._rail if person.name not in seated)
        if self._rng.random() < 0.05:
            there = seated | {person.name for person in self._rail}
            self._rail = (*self._rail[1 - ON_THE_RAIL :], self._regulars.arrival(there))
        return list(self._rail)

    # The cards

    def _received(self, back: str) -> list[Fact]:
        opening = self._opening
        assert opening is not None
        self._decks_received += 1
        hours = opening.law.card_life[opening.dealing].hours * self._rng.uniform(0.2, 0.95)
        ends = self.clock + int(hours * HOUR)
        deck = Deck(f"{self.name}-{self._decks_received}", back, self.clock, ends, came=self.number + 1)
        self._decks.append(deck)
        self._shoe = Shoe(opening.decks, self._rng)
        received: Fact = {"type": "deck_received", "deck": deck.name, "back": back, "packs": opening.decks}
        return [received, *self._shuffled(deck, fresh=True, jams=True)]

    def _tend_cards(self) -> list[Fact]:
        [deck] = self._decks
        if not self._shoe.is_due:
            return []
        if self.clock >= deck.change_at:
            return self._replaced(deck, self._rng.choice(("card change", "end of its hours")))
        return self._shuffled(deck, fresh=False, jams=True)

    def _gives_the_chance(self, way: str) -> bool:
        """A shoe is shuffled when it comes and when it runs low: only a new one can be left unshuffled."""
        if way in ("a new deck is not shuffled", "shuffled when the first card is out"):
            return True
        return way in ("kept through a pause", "kept waiting") and self._is_in_time(self._decks[0])

    def _undone(self, facts: list[Fact]) -> list[Fact]:
        if self._lapse == "shuffled when the first card is out":
            facts = [*facts, *self._replaced(self._decks[0], "card change")]
        return super()._undone(facts)

    def _shuffled(self, deck: Deck, fresh: bool, jams: bool) -> list[Fact]:
        """Shuffled when the cut card has come out, and cut. A shuffler that failed leaves the table before the cards are
        shuffled by hand (19:47-19.15(j), (k))."""
        assert self._opening is not None
        rng = self._rng
        self._shoe.shuffle()
        has_shuffler = self._opening.shuffler != "none"
        before: list[Fact] = []
        after: list[Fact] = []
        method = "automated" if has_shuffler else "manual"
        if fresh and rng.random() < 0.3:
            method = "preshuffled"
        elif jams and has_shuffler and rng.random() < 0.05:
            before.append(
                {"type": "device_failed", "device": "shuffler", "fault": rng.choice(poker_irregular.FAILURES)}
            )
            if rng.random() < 0.5:
                method = "manual"
                before.append({"type": "device_removed", "device": "shuffler"})
                after.append({"type": "device_installed", "device": "shuffler"})
        return [
            *before,
            {"type": "deck_shuffled", "deck": deck.name, "method": method},
            {"type": "deck_cut", "deck": deck.name, "cards": rng.randint(10, self._shoe.left - 10)},
            *after,
        ]
