"""Sheets and listings as PDF, made in Python alone: no system fonts, no outside program.

The fonts every PDF reader has know Latin text and the four suits. What a table sent beyond that is written as its code point,
so that nothing is lost and nothing breaks.
"""

from collections.abc import Sequence
from typing import Final

from fpdf import FPDF
from fpdf.enums import TableBordersLayout, XPos, YPos
from fpdf.fonts import FontFace

from dashboards.sheet import EVENT_COLUMNS, WAGER_COLUMNS, Hand, Row, Sheet
from rules import cards

INK: Final = (20, 20, 20)
FAINT: Final = (105, 105, 105)
RED: Final = (176, 22, 29)
# Where the suits stand in the dingbats font.
_SUITS: Final = {"C": "\xa8", "D": "\xa9", "H": "\xaa", "S": "\xab"}
_CARD: Final = (9.0, 6.0)
_LINE: Final = 4.6


def _latin(words: str) -> str:
    typed = words.replace("–", "-").replace("…", "...").replace("−", "-").replace("’", "'")
    return typed.encode("latin-1", "backslashreplace").decode("latin-1")


class _Paper(FPDF):
    def __init__(self, footer: str, landscape: bool = False) -> None:
        super().__init__("landscape" if landscape else "portrait", "mm", "A4")
        self._footer = _latin(footer)
        self.set_auto_page_break(True, 18)
        self.set_margins(14, 14)
        self.set_creator("Catwalk")
        self.add_page()

    def footer(self) -> None:
        self.set_y(-13)
        self.set_font("helvetica", size=7)
        self.set_text_color(*FAINT)
        self.cell(0, 4, f"{self._footer}   page {self.page_no()}")

    def say(self, words: str, size: float = 9.5, style: str = "", colour: tuple[int, int, int] = INK) -> None:
        self.set_font("helvetica", style, size)
        self.set_text_color(*colour)
        self.multi_cell(0, size * 0.5, _latin(words), new_x=XPos.LMARGIN, new_y=YPos.NEXT)

    def heading(self, words: str) -> None:
        self.ln(3)
        self.say(words, 11, "B")
        self.ln(1)

    def rows(self, columns: Sequence[str], rows: Sequence[Sequence[str]], widths: Sequence[int]) -> None:
        self.set_font("helvetica", size=8)
        self.set_text_color(*INK)
        self.set_draw_color(205, 205, 205)
        with self.table(
            borders_layout=TableBordersLayout.HORIZONTAL_LINES,
            col_widths=tuple(widths),
            line_height=_LINE,
            text_align="LEFT",
            headings_style=FontFace(emphasis="BOLD", color=FAINT),
        ) as table:
            for each in (columns, *rows):
                line = table.row()
                for cell in each:
                    line.cell(_latin(cell))

    def hand(self, hand: Hand) -> None:
        if self.will_page_break(_CARD[1] + 3):
            self.add_page()
        self.set_font("helvetica", size=9)
        self.set_text_color(*INK)
        self.cell(32, _CARD[1], _latin(hand.whose))
        for card in hand.cards:
            self._card(card)
        said = f"  {hand.makes}" + (f"; {hand.decision}" if hand.decision else "")
        self.set_font("helvetica", size=9)
        self.set_text_color(*INK)
        self.cell(0, _CARD[1], _latin(said), new_x=XPos.LMARGIN, new_y=YPos.NEXT)
        self.ln(1.4)

    def _card(self, card: str) -> None:
        x, y = self.get_x(), self.get_y()
        width, height = _CARD
        known = card in cards.DECK
        self.set_draw_color(*(FAINT if known else RED))
        self.rect(x, y, width, height, round_corners=True, corner_radius=1)
        self.set_text_color(*(RED if known and card[1] in "DH" else INK))
        self.set_font("helvetica", "B", 9)
        if not known:
            self.cell(width, height, "?" if card == cards.UNREAD else "Jk", align="C")
        else:
            self.cell(width * 0.55, height, "10" if card[0] == "T" else card[0], align="R")
            self.set_font("zapfdingbats", size=8)
            self.cell(width * 0.45, height, _SUITS[card[1]], align="L")
        self.set_xy(x + width + 1.2, y)

    def bytes_of(self) -> bytes:
        return bytes(self.output())


def ruling(sheet: Sheet) -> bytes:
    paper = _Paper(sheet.footer)
    paper.set_title(_latin(f"{sheet.kind}: {sheet.title}"))
    paper.say(sheet.kind.upper(), 9, colour=FAINT)
    paper.say(sheet.title, 18, "B")
    paper.ln(1)
    for name, words in sheet.facts:
        paper.say(f"{name}: {words}")
    if sheet.findings:
        paper.heading("What was found")
        for code, severity, clause, owed, paid, amount, message in sheet.findings:
            paper.say(f"{code} ({severity}), {clause}", 10, "B", RED)
            paper.say(message)
            paper.say(f"owed {owed}, paid {paid}, amount {amount}", colour=FAINT)
    if sheet.cases:
        paper.heading("What was done about it")
        for each in sheet.cases:
            paper.say(each)
    paper.heading("What the law owed")
    paper.rows(WAGER_COLUMNS, sheet.wagers, (7, 17, 14, 12, 13, 14, 22, 34))
    paper.heading("Who held what")
    for hand in sheet.hands:
        paper.hand(hand)
    if sheet.checked:
        paper.heading("Checked and found right")
        paper.say(", ".join(sheet.checked), 8)
    paper.heading("What happened")
    paper.rows(EVENT_COLUMNS, sheet.events, (8, 10, 82))
    paper.ln(12)
    paper.say("Surveillance ______________________    Floor supervisor ______________________    Date ____________", 9)
    return paper.bytes_of()


def listing(title: str, notes: Sequence[str], columns: Sequence[str], rows: Sequence[Row], footer: str) -> bytes:
    """A table as it is shown, with what it is of."""
    paper = _Paper(footer, landscape=True)
    paper.set_title(_latin(title))
    paper.say(title, 16, "B")
    for note in notes:
        paper.say(note, colour=FAINT)
    paper.ln(2)
    paper.rows(columns, rows, [max(6, *(len(each) for each in column)) for column in zip(columns, *rows, strict=True)])
    return paper.bytes_of()
