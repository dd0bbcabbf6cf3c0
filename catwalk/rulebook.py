"""The law of a game as a page: cards and deals, wagers, pay tables, irregularities and options, every line with its clause."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from catwalk.terminal import listing
from rules import cards
from rules.decision import Column, PayTable, Wager, tables_of
from rules.game import Deal, Edition, Game

Page = dict[str, object]
Line = tuple[str, str]  # what the text says, and its clause

METHODS: Final = {"manual_shoe": "manual shoe", "hand": "from the hand", "automated_shoe": "automated shoe"}
# What is paid for, where its name alone does not say it.
HANDS: Final = {
    "ace_face_suited": "ace with K, Q or J of its suit",
    "ace_face_unsuited": "ace with K, Q or J of another suit",
    "five_cards": "21 with five cards",
    "six_cards": "21 with six cards",
    "seven_cards_or_more": "21 with seven cards or more",
    "six_seven_eight_mixed": "6-7-8 of mixed suits",
    "six_seven_eight_suited": "6-7-8 of one suit",
    "six_seven_eight_spades": "6-7-8 of spades",
    "three_sevens_mixed": "7-7-7 of mixed suits",
    "three_sevens_suited": "7-7-7 of one suit",
    "three_sevens_spades": "7-7-7 of spades",
    "from_5_dollars": "on a wager of $5 to below $25",
    "from_25_dollars": "on a wager of $25 or more",
    "envied": "a super bonus elsewhere",
    "one_unsuited": "one card of the rank",
    "two_unsuited": "two cards of the rank",
    "one_suited": "one of rank and suit",
    "one_suited_one_unsuited": "one of rank and suit, one of the rank",
    "two_suited": "two of rank and suit",
}


def in_words(name: str) -> str:
    """`six_card_royal_clubs` as people say it."""
    return HANDS.get(name, name.replace("_", " "))


def columns_of(table: PayTable, edition: Edition) -> tuple[Column, ...]:
    """Those that the house may elect under this text."""
    return tuple(column for column in table.columns if edition.name in column.editions)


def tell(law: Game, edition: Edition, console: Console) -> None:
    titles = {wager.name: wager.title for wager in law.wagers}
    console.print(Text(f"{law.title}, edition {edition.name}", "bold"))
    console.print(f"In force from {edition.first_day}, {edition.clause}{_elective(edition)}")
    for other in (each for each in law.editions if each is not edition):
        console.print(f"  also: {other.name}, from {other.first_day}, {other.clause}{_elective(other)}", style="dim")
    console.print()
    console.print(_game(law, titles))
    console.print()
    console.print(_dealing(law))
    if law.streets:
        console.print()
        console.print(_streets(law))
    for wager in law.wagers_of(edition.name):
        console.print()
        _tell_wager(wager, titles, console)
        _tell_columns(law, wager, edition, console)
    console.print()
    remedies = listing("irregularity", "remedy", "clause", title="Irregularities")
    for irregularity, remedied in law.remedies.items():
        remedies.add_row(irregularity.value, remedied.remedy.value, remedied.clause)
    console.print(remedies)
    if law.options:
        console.print()
        _tell_options(law, console)


def _elective(edition: Edition) -> str:
    return ", where the house elects it" if edition.elective else ""


# The game and its deals


def _game(law: Game, titles: Mapping[str, str]) -> Table:
    table = listing("", "what", "clause")
    table.show_header = False
    for name, (words, clause) in game_lines(law, titles):
        table.add_row(name, words, clause)
    return table


def game_lines(law: Game, titles: Mapping[str, str]) -> Iterator[tuple[str, Line]]:
    pack = f"{law.deck_size} cards" + (", without the 10s" if law.foreign == _TENS else "")
    packs = "one pack" if law.packs == (1,) else " or ".join(str(number) for number in law.packs) + " packs in the shoe"
    yield "cards", (f"{pack}; {packs}", law.deck_clause)
    held = f"{law.player_cards} to each player, {law.dealer_cards} to the dealer"
    yield "hands", (held + (f", {law.community_cards} that all share" if law.community_cards else ""), "")
    yield "dealt in", (f"whoever has chips on {' or '.join(titles[name] for name in law.dealt_in)}", "")
    bettors = f", up to {law.bettors_on_a_box} bettors at each" if law.bettors_on_a_box > 1 else ""
    yield "seats", (f"{law.max_seats} at the most{bettors}", "")
    yield "bets", ('none made, raised or withdrawn after "No more bets"', law.late_clause)
    order = "from the dealer's right" + ("" if law.settle_order_binds else ", as is advised: no clause sets an order")
    yield "settling", (order, law.settle_clause)
    yield "void", ("every wager of a void round is returned", law.void_clause)
    if law.record_clause is not None:
        yield "record", ("cards are picked up so that every hand can be laid out again", law.record_clause)


_TENS: Final = frozenset("T" + suit for suit in cards.SUITS)


def _dealing(law: Game) -> Table:
    table = listing("dealing", "how", "clause")
    for method, deal in law.deal.items():
        for place, (words, clause) in enumerate(deal_lines(law, method, deal)):
            table.add_row(METHODS[method] if place == 0 else "", words, clause)
    return table


def deal_lines(law: Game, method: str, deal: Deal) -> Iterator[Line]:
    one_by_one = "one card each in turn, from the dealer's left"
    whole = "each player's whole hand at once, from the dealer's left"
    last = "; the dealer's whole hand last" if deal.dealer_last else ""
    yield (one_by_one if deal.order == "rotation" else whole) + last, deal.order_clause
    if deal.community:
        ways = {"before_hands": "before the hands, face down", "by_street": "as each street needs them"}
        yield f"community cards {' or '.join(ways[way] for way in deal.community)}", deal.community_clause or ""
    yield '"No more bets" before the first card', deal.bets_closed_clause
    if law.stub_is_counted:
        advised = ", as is advised" if deal.count_advisory else ""
        yield f"the stub counted at least once in five rounds{advised}", deal.count_clause
        yield "no count with a shuffler that counts", law.count_exempt_clause
    if (life := law.card_life.get(method)) is not None:
        yield f"cards stay in play for {life.hours} hours", life.clause
        if life.advised is not None:
            yield f"{life.advised} hours are advised, as in sibling games", life.advised_clause or ""


def _streets(law: Game) -> Table:
    table = listing("street", "shown", "choices", "raise of", "clause", title="Decisions")
    for street in law.streets:
        table.add_row(
            in_words(street.name),
            f"{street.community_cards} community cards",
            " or ".join(street.choices),
            f"{', '.join(str(times) for times in street.raises)} times the Ante"
            if len(street.raises) > 1
            else "the Ante",
            street.clause,
        )
    return table


# A wager


def _tell_wager(wager: Wager, titles: Mapping[str, str], console: Console) -> None:
    console.print(Text.assemble((wager.title, "bold cyan"), f"  ({wager.name})"))
    for words, clause in leaning_lines(wager, titles):
        console.print(Padding(Text.assemble(words, (f"  {clause}", "dim")), (0, 0, 0, 2), expand=False))
    table = listing("", "when", "it", "clause")
    for number, ruling in enumerate(wager.rulings, 1):
        table.add_row(f"  {number}", ruling.condition.words, ruling.outcome.words, ruling.clause)
    console.print(table)


def _tell_columns(law: Game, wager: Wager, edition: Edition, console: Console) -> None:
    unsaid = law.elect(edition.name, {}, {}).columns
    for pay_table in tables_of(wager):
        columns = columns_of(pay_table, edition)
        if columns:
            name = "" if pay_table is wager.pay_table else f"{in_words(pay_table.wager)}: "
            _tell_pay_table(pay_table, columns, name, console)
            default = unsaid.get(pay_table.wager)
            which = (
                "offered where the house elects a column" if default is None else f"column {default} if none is said"
            )
            if default is None or len(columns) > 1:
                console.print(Text(f"  {which}: pay_tables.{pay_table.wager}", "dim"))


def leaning_lines(wager: Wager, titles: Mapping[str, str]) -> Iterator[Line]:
    """How a wager stands to the others of the same player."""
    if wager.bonus_on is not None:
        on = " or ".join(titles[each] for each in (wager.bonus_on, wager.bonus_or_on) if each is not None)
        yield f"paid on the {on} without a stake of its own", ""
    elif not wager.before_deal:
        yield "made after the deal", ""
    for need in wager.needs:
        where = "" if need.only_if is None else f" where {need.only_if[0]} is {need.only_if[1]}"
        yield f"needs the {titles[need.wager]} beside it{where}", need.clause
    if wager.equals is not None:
        yield f"is exactly as large as the {titles[wager.equals.wager]}", wager.equals.clause
    if wager.at_most is not None:
        part = {Fraction(1): "as large as", Fraction(1, 2): "half as large as"}.get(
            wager.at_most.part, f"{wager.at_most.part} of"
        )
        yield f"is at most {part} the {titles[wager.at_most.wager]}", wager.at_most.clause


def _tell_pay_table(table: PayTable, columns: Sequence[Column], name: str, console: Console) -> None:
    """The pay table, in as many parts as the width asks for: a cell that is folded is read as two."""
    hands = [hand for hand in reversed(table.hands) if any(hand in column.prizes for column in columns)]
    width = 2 + max(len(in_words(hand)) for hand in hands)
    cells = {column.name: [_cell(column, hand) for hand in hands] for column in columns}
    for part in _parts(columns, cells, console.width - width):
        pays = listing(f"  {name}column", *(column.name for column in part))
        for place, hand in enumerate(hands):
            pays.add_row(f"  {in_words(hand)}", *(cells[column.name][place] for column in part))
        console.print(pays)
    for clause in dict.fromkeys(column.clause for column in columns):
        cited = [column.name for column in columns if column.clause == clause]
        which = "" if len(cited) == len(columns) else f"column{'s' if len(cited) > 1 else ''} {', '.join(cited)}: "
        console.print(Text(f"  {which}{clause}", "dim"))
    if any(prize.fixed for column in columns for prize in column.prizes.values()):
        console.print(Text("  A sum in dollars is the same for any stake that earns it.", "dim"))


def _cell(column: Column, hand: str) -> str:
    return column.prizes[hand].words if hand in column.prizes else "–"


def _parts(columns: Sequence[Column], cells: Mapping[str, Sequence[str]], width: int) -> Iterator[Sequence[Column]]:
    part: list[Column] = []
    used = 0
    for column in columns:
        wide = 2 + max(len(column.name), *(len(cell) for cell in cells[column.name]))
        if part and used + wide > width:
            yield part
            part, used = [], 0
        part.append(column)
        used += wide
    yield part


def _tell_options(law: Game, console: Console) -> None:
    console.print(Text("What the house may elect", "bold"))
    for option in law.options:
        values = ", ".join(f"{value} (default)" if value == option.default else value for value in option.values)
        console.print(Text.assemble((option.name, "bold cyan"), f"  {values}", (f"  {option.clause}", "dim")))
        console.print(Padding(option.words, (0, 0, 0, 4), expand=False))


# For a program


def page(law: Game, edition: Edition) -> Page:
    return {
        "game": law.name,
        "title": law.title,
        "edition": edition.name,
        "editions": [
            {
                "name": each.name,
                "first_day": each.first_day.isoformat(),
                "clause": each.clause,
                "elective": each.elective,
            }
            for each in law.editions
        ],
        "cards": {
            "deck_size": law.deck_size,
            "packs": law.packs,
            "foreign": sorted(law.foreign),
            "player": law.player_cards,
            "dealer": law.dealer_cards,
            "community": law.community_cards,
            "clause": law.deck_clause,
        },
        "max_seats": law.max_seats,
        "bettors_on_a_box": law.bettors_on_a_box,
        "dealt_in": law.dealt_in,
        "clauses": {
            "late": law.late_clause,
            "settling": law.settle_clause,
            "settling_binds": law.settle_order_binds,
            "void": law.void_clause,
            "not_offered": law.not_offered_clause,
            "record": law.record_clause,
        },
        "dealing": [_deal_page(law, method, deal) for method, deal in law.deal.items()],
        "streets": [
            {
                "name": each.name,
                "community_cards": each.community_cards,
                "choices": each.choices,
                "raises": each.raises,
                "clause": each.clause,
            }
            for each in law.streets
        ],
        "wagers": [_wager_page(each, edition) for each in law.wagers_of(edition.name)],
        "remedies": [
            {"irregularity": irregularity.value, "remedy": remedied.remedy.value, "clause": remedied.clause}
            for irregularity, remedied in law.remedies.items()
        ],
        "options": [
            {
                "name": each.name,
                "values": each.values,
                "default": each.default,
                "words": each.words,
                "clause": each.clause,
            }
            for each in law.options
        ],
    }


def _deal_page(law: Game, method: str, deal: Deal) -> Page:
    life = law.card_life.get(method)
    return {
        "method": method,
        "order": deal.order,
        "order_clause": deal.order_clause,
        "dealer_last": deal.dealer_last,
        "community": deal.community,
        "community_clause": deal.community_clause,
        "bets_closed_clause": deal.bets_closed_clause,
        "stub_is_counted": law.stub_is_counted,
        "count_clause": deal.count_clause,
        "count_advisory": deal.count_advisory,
        "count_exempt_clause": law.count_exempt_clause,
        "card_life": None
        if life is None
        else {
            "hours": life.hours,
            "clause": life.clause,
            "advised": life.advised,
            "advised_clause": life.advised_clause,
        },
    }


def _wager_page(wager: Wager, edition: Edition) -> Page:
    own = () if wager.pay_table is None else columns_of(wager.pay_table, edition)
    at_most = wager.at_most
    return {
        "wager": wager.name,
        "title": wager.title,
        "bonus_on": wager.bonus_on,
        "bonus_or_on": wager.bonus_or_on,
        "before_deal": wager.before_deal,
        "equals": None if wager.equals is None else {"wager": wager.equals.wager, "clause": wager.equals.clause},
        "at_most": None
        if at_most is None
        else {"wager": at_most.wager, "part": str(at_most.part), "clause": at_most.clause},
        "needs": [{"wager": need.wager, "clause": need.clause, "only_if": need.only_if} for need in wager.needs],
        "rulings": [
            {"when": each.condition.words, "outcome": each.outcome.words, "clause": each.clause}
            for each in wager.rulings
        ],
        "columns": _columns_page(own),
        "other_tables": {table.wager: _columns_page(columns_of(table, edition)) for table in wager.other_tables},
    }


def _columns_page(columns: Sequence[Column]) -> list[Page]:
    return [
        {
            "name": column.name,
            "clause": column.clause,
            "source": column.source,
            "pays": {hand: prize.words for hand, prize in column.prizes.items()},
        }
        for column in columns
    ]
