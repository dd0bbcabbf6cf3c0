"""What a game is to the rest of the system: its editions, wagers, deal, remedies, and what the house may elect."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal

import polars as pl

from rules.decision import Wager


class Refused(ValueError):
    """Terms that the law does not offer. Names the clause that says so."""

    def __init__(self, message: str, clause: str) -> None:
        super().__init__(f"{message} ({clause})")
        self.clause = clause


@dataclass(frozen=True, slots=True)
class Edition:
    """One vintage of the text and the first day it may be dealt under."""

    name: str
    first_day: date
    clause: str
    elective: bool = False  # in force beside the edition of the day, where the house elects it


class Irregularity(StrEnum):
    ONE_CARD_FACE_UP = "one card found face up"
    MORE_CARDS_FACE_UP = "more than one card found face up"
    WRONG_CARD_COUNT = "a hand with the wrong number of cards"
    DEALER_CARD_EXPOSED = "a dealer's card exposed before its time"
    SHUFFLER_FAILED = "the shuffler failed"
    SHOE_FAILED = "the automated shoe failed"
    WRONG_STUB_COUNT = "the stub's count does not make the deck"
    WRONG_SHUFFLER_COUNT = "the counting shuffler shows a wrong number"
    # a shoe of many packs and rounds has some of its own
    ONE_TEN = "one 10 found in the shoe"
    MORE_TENS = "more than one 10 found in the shoe"
    DRAWN_UNSEEN = "a card drawn in error, its face not exposed"
    DRAWN_EXPOSED = "a card drawn in error and exposed after the initial deal"
    EXPOSED_AND_REFUSED = "an exposed card that the players refused and the dealer cannot use"
    DEALER_DREW_ON = "the dealer drew to 17 or more"
    DEALER_MISSED = "the dealer missed a card of his own first two"
    SHOE_RAN_OUT = "too few cards in the shoe to complete the round"
    NO_CARDS = "no card dealt to a hand"
    ONE_CARD = "only one card dealt to a hand"
    HIT_MISSED = "a card that a player asked for was not dealt"
    SHUFFLED_OTHERWISE = "another method of shuffling while the shuffler is at the table"
    READ_AND_SHOWN = "hole card put in the reader under another up card than A, K, Q, J, and its value could be seen"
    READ_UNSEEN = "hole card put in the reader under another up card than A, K, Q, J, and nobody could see its value"
    READER_FAILED = "the card reader malfunctioned"


class Remedy(StrEnum):
    RACK_THE_CARD = "the card goes to the discard rack and play goes on"
    VOID = "every hand is void and the cards are reshuffled"
    VOID_AND_REMOVE = "every hand is void and the deck is removed"
    RESHUFFLE = "the cards are reshuffled"
    REMOVE_DECK = "the deck is removed"
    SUPERVISOR_DECIDES = "the text names no remedy and a supervisor decides"
    DESTROY_THE_TEN = "the 10 is taken from the shoe and destroyed by a floorperson"
    NEXT_CARD = "the card is used as the next card from the shoe"
    OFFER_THE_CARD = "the card is the next card; who refuses it is dealt no more in the round"
    BURN_THE_CARD = "the card is burned"
    DEAL_OWN_LAST = "the players' first two cards are dealt out, then the dealer's own"
    SHUFFLE_THE_RACK = "the discard rack is shuffled and cut, one card burned, the round completed"
    DEAD_HAND = "the hand is dead, its wager returned, the player in the next deal"
    SECOND_CARD_LAST = "at the player's option the second card comes after all others have theirs"
    HIT_LATE_OR_DEAD = (
        "at the player's option: dealt before the hole card is shown, or dead and the original wager returned"
    )
    REMOVE_DEVICE = "the shuffler leaves the table first"
    ALL_DEAD = "all hands are dead and every wager is returned"
    PLAY_ON = "play goes on"
    NO_READER = "the game goes on as one without a card reader"


@dataclass(frozen=True, slots=True)
class Remedied:
    remedy: Remedy
    clause: str

    @property
    def voids(self) -> bool:
        return self.remedy in (Remedy.VOID, Remedy.VOID_AND_REMOVE, Remedy.ALL_DEAD)


@dataclass(frozen=True, slots=True)
class Deal:
    """How one dealing method hands out cards. Rotation: one card each in turn; packets: a whole hand at a time.

    `community`: whether the cards that all share come before the hands or as each street needs them, the usual way first.
    """

    order: Literal["rotation", "packets"]
    order_clause: str
    bets_closed_clause: str
    count_clause: str
    dealer_last: bool = False  # the dealer's whole hand after the players', in rotation as well
    count_advisory: bool = False  # the method's own section has no count; the clause is that of another method
    community: tuple[Literal["before_hands", "by_street"], ...] = ()
    community_clause: str | None = None


@dataclass(frozen=True, slots=True)
class Street:
    """A point of the round at which every player who has not raised yet decides, once; `raises`: multiples of the Ante."""

    name: str
    community_cards: int  # shown by then
    choices: tuple[str, ...]
    raises: tuple[int, ...]
    clause: str


@dataclass(frozen=True, slots=True)
class CardLife:
    """How long cards may stay in play; `advised` is the shorter time of sibling games, where the text names this one in none."""

    hours: int
    clause: str
    advised: int | None = None
    advised_clause: str | None = None


@dataclass(frozen=True, slots=True)
class Procedure:
    """Which clause demands what of the table beside the hands; None where the text demands no such thing."""

    seated: str | None = None  # only who sits at the seat may wager
    shuffled: str | None = None  # a deck is shuffled before it is dealt from
    shuffled_every_round: bool = True
    cut: str | None = None  # and cut, unless a device shuffled it
    second_deck: str | None = None  # only beside a shuffler, of another colour, and the two take turns
    hand_dealt: str | None = None  # only beside a shuffler
    device_removed: str | None = None  # before another method is used


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that the texts leave to the house, with its default and the clause it hangs on."""

    name: str
    values: tuple[str, ...]
    default: str
    clause: str
    words: str


@dataclass(frozen=True, slots=True)
class Terms:
    """What a table plays under, as its opening said and the law allows."""

    game: str
    edition: str
    columns: Mapping[str, str]
    options: Mapping[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    name: str
    title: str
    editions: tuple[Edition, ...]
    wagers: tuple[Wager, ...]
    options: tuple[Option, ...]
    choices: tuple[str, ...]
    staked: Mapping[str, str]  # the choices that put chips down, and the wager they go on
    deck_size: int
    player_cards: int
    dealer_cards: int
    dealt_in: tuple[str, ...]  # a stake on any of these is dealt a hand
    deal: Mapping[str, Deal]
    remedies: Mapping[Irregularity, Remedied]
    count_exempt_clause: str
    deck_clause: str
    late_clause: str
    settle_clause: str
    not_offered_clause: str
    void_clause: str
    max_seats: int
    hand_facts: Callable[[pl.DataFrame], pl.DataFrame]
    elect: Callable[[str, Mapping[str, str], Mapping[str, str]], Terms]
    packs: tuple[int, ...] = (1,)  # how many decks of `deck_size` may lie in the shoe together
    foreign: frozenset[str] = frozenset()  # cards of the standard deck that this game is played without
    stub_is_counted: bool = True
    bettors_on_a_box: int = 1
    record_clause: str | None = None  # that every hand can be laid out again when it is disputed
    community_cards: int = 0
    streets: tuple[Street, ...] = ()
    card_life: Mapping[str, CardLife] = field(default_factory=dict)  # by dealing method
    procedure: Procedure = Procedure()
    settle_order_binds: bool = True  # false where no clause sets the order of settling: then it is only advised

    def edition(self, name: str) -> Edition | None:
        return next((edition for edition in self.editions if edition.name == name), None)

    def wagers_of(self, edition: str) -> tuple[Wager, ...]:
        return tuple(wager for wager in self.wagers if edition in wager.editions)


def edition_in_force(game: Game, day: date) -> Edition:
    """The edition of the day where the house elected nothing else."""
    begun = [edition for edition in game.editions if edition.first_day <= day and not edition.elective]
    if not begun:
        first = game.editions[0]
        raise Refused(
            f"{game.title}: no text encoded for {day}; the first is in force from {first.first_day}", first.clause
        )
    return max(begun, key=lambda edition: edition.first_day)


def elected_options(game: Game, said: Mapping[str, str]) -> dict[str, str]:
    """The table's options with the defaults of those it does not name. A value that the law leaves no choice of is refused."""
    elected = {option.name: option.default for option in game.options} | dict(said)
    for option in game.options:
        if elected[option.name] not in option.values:
            values = " or ".join(option.values)
            raise Refused(f"{option.name} is {values}, not {elected[option.name]!r}", option.clause)
    return elected
