"""The detectors' manual as Markdown, one page a code and an index, written from the catalogue: `python -m detectors.manual`."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from detectors.catalogue import CATALOGUE, STATISTICS, Detector, Statistic
from detectors.statistics.verdict import ALPHA

_ROOT: Final = Path(__file__).resolve().parent.parent
FOLDER: Final = _ROOT / "docs" / "detectors"
INCIDENTS: Final = _ROOT / "tests" / "detectors" / "incidents"

FAMILIES: Final = {
    "PAY": "what was paid, taken or left lying",
    "BET": "chips that should not lie where they lie",
    "DEAL": "how the cards came out",
    "VOID": "rounds that the law takes back",
    "DECK": "the cards themselves, and the counting of them",
    "PROC": "the dealer's procedure",
    "FEED": "what the audit did not see, or saw twice",
    "STAT": "what shows only over many rounds",
}
SEVERITIES: Final = {
    "critical": "look now: the round, the deck or a player's trust is in doubt",
    "major": "money or evidence is wrong and has to be put right",
    "minor": "the law was not kept and nothing is lost yet",
    "advisory": "worth knowing; no clause was broken, or nobody can say",
}

# Each line is a test in tests/detectors/test_silence.py.
SILENCES: Final = (
    (
        "A void that is missing explains the payouts after it",
        "Once the law voids a round, every stake is owed its return. If the table plays on instead, each payout would look "
        "wrong. They are not told: DEAL01 (a misdeal), DEAL04 (a dealer's card dealt up), DEAL05 (one exposed) or VOID01 (what "
        "else there is) is, once, and its `amount` is all that moved. Where two irregularities meet in one round, the earlier "
        "one is named. What was decided in such a round is not judged either.",
    ),
    (
        "A void that was declared explains the misdeal before it",
        "A misdeal, an exposure, turned cards, a jam or a wrong count that ended in a void with the stakes back is the law kept. "
        "There is no finding; the round is listed with its incident. Only money that moved in it is told, as PAY09.",
    ),
    (
        "A gap in the feed explains what seems absent",
        "FEED01 is told of the gap. The round it falls into is not derived, so a wager that looks unsettled, an announcement "
        'that looks forgotten ("No more bets") or a hand that looks short is not told of it. Rounds before and after the gap are '
        "judged as ever, and the five rounds to a count begin anew behind it.",
    ),
    (
        "Two contents for one seq leave the round open",
        "FEED02 is told; neither content is believed, and no wager of that round is judged.",
    ),
    (
        "A round that was not seen to its end is not judged",
        "FEED04 is told, and its wagers are neither unsettled nor wrong. If a gap cut it short, FEED01 tells it instead.",
    ),
    (
        "An unread card leaves open what turned on it, and nothing else",
        "FEED06 is told of the card. Wagers that are decided whatever it was are judged as ever.",
    ),
    (
        "A duplicate card does not change what is owed",
        "DECK01 is told of the second copy. The hands are paid as they lie, and a payout that is wrong by them is told as well. "
        "A joker (DECK02) makes no hand: what turned on it stays open.",
    ),
    (
        "A late, wrong-size or lonely wager is settled as it lies",
        "BET01, BET03 or BET04 is told of the chips, and the payout follows the felt: paid on what lies there it is right, and "
        "otherwise a second finding.",
    ),
    (
        "A Play may follow the Ante as it was or as it is",
        "An Ante raised or pulled after the announcement is one wrong. A Play that equals it before or after is no second one.",
    ),
    (
        "A pulled wager is owed as it lay at the announcement",
        "BET02 is told of the chips that went. The dealer who settles all of it is right; the one who settles only what was "
        "left, or finds nothing there to settle, does no second wrong.",
    ),
    (
        "Cards dealt before the announcement make no wager late",
        "DEAL03 is told of the deal. Until the announcement is heard the betting is open.",
    ),
    (
        "A misdealt hand is not also out of turn",
        "A card too many or too few shifts every card after it; DEAL01 is told and DEAL02 is not.",
    ),
    (
        "A wager settled twice is not also overpaid",
        "PAY08 is told of the second settlement; PAY01 to PAY05 are of a wager settled once.",
    ),
    (
        "Late chips that break a size or a limit are late only",
        "BET01 or BET02 is told. A wager that was right at the announcement is not also of the wrong size (BET03) or outside the "
        "limits (BET05) for what was added or pulled.",
    ),
    (
        "A wager that is not offered has no time, size or companion",
        "BET08 is told, and it is owed its return; collected or paid it is PAY05 as well. So are chips on a bonus that is paid "
        "without a stake.",
    ),
    (
        "A stranger is told once",
        "BET06 is told of who put the chips down. An Ante and a Play on one poker seat are each other's companions, whoever "
        "they belong to.",
    ),
    (
        "A turned card that was dealt is one card",
        "DEAL06 is told. It is no duplicate (DECK01), with the stub it counts once (DECK03), and before a player it may lie face "
        "up as it was found (DEAL04).",
    ),
    (
        "A dealer's card dealt face up is one finding",
        "DEAL04 is told, with the void in its clause where the game voids for it, whether or not it was reported as exposed as "
        "well (DEAL05). Declared void it is the law kept.",
    ),
    (
        "A wrong decision is not also out of turn",
        "DEAL07 is told once a hand. The order of the others is judged without it.",
    ),
    (
        "A card drawn to a hand that stands counts for nobody",
        "DEAL08 is told, and the hands are settled by what the dealer had before it. Where he stood and had to draw, what hung "
        "on the card is left open.",
    ),
    (
        "A missed card dealt after the others is the remedy",
        "In Spanish 21 a box or a dealer who was missed is served last: no DEAL02. A box without any card is out of the round.",
    ),
    (
        "A wrong count ignored is told at the count, and when the deck is used again",
        "DECK03 is of the count; DECK07 of the first round that is dealt from the deck afterwards. They are two wrongs.",
    ),
    (
        "A recount takes the place of the count before it",
        "A wrong count that is followed by another before anybody acted on it is no finding of its own: the last count in the "
        "round stands, and of those after its end the last before the next round. Hands that were settled on a wrong count are "
        "DECK03 all the same; a right count after that only clears the deck (no DECK07). A void after a right recount has no "
        "cause (VOID02); one that came before it had.",
    ),
    (
        "A deck that was not shuffled is not also uncut",
        "PROC01 is told; a cut (PROC02) is due after a shuffle.",
    ),
    (
        "What has no place in the game is told once",
        "FEED05 is told of a card for a board that is not there, of a settlement after the end, or of a discard that the player "
        "never held; it is nobody's turn, face or second payment, no duplicate, and out of no deck or shoe.",
    ),
)


def page(detector: Detector | Statistic, incidents: Mapping[str, str]) -> str:
    """A detector's page. `incidents` are the names of the case files and their titles; a statistic has its hypothesis instead."""
    manual = detector.manual
    clauses = (
        ", ".join(f"`{clause}`" for clause in detector.clauses) or "None: it is about the feed, not about the game."
    )
    return "\n".join(
        [
            f"# {detector.code} {detector.name}",
            "",
            f"Severity: **{detector.severity}** ({SEVERITIES[detector.severity]})",
            "",
            "## What it flags",
            "",
            _sentence(manual.flags.removeprefix("Flags ")),
            "",
            "## Why it matters",
            "",
            _sentence(manual.why),
            "",
            "## What it is blind to",
            "",
            _sentence(manual.blind_to),
            "",
            "## Clauses",
            "",
            clauses,
            "",
            *(_hypothesis(detector) if isinstance(detector, Statistic) else _cases(detector, incidents)),
            "",
        ]
    )


def _cases(detector: Detector, incidents: Mapping[str, str]) -> list[str]:
    mine = {name: title for name, title in incidents.items() if name.startswith(f"{detector.code}-")}
    links = (f"- [{title}](../../tests/detectors/incidents/{name}.md)" for name, title in mine.items())
    return ["## Incidents", "", *links]


def _hypothesis(statistic: Statistic) -> list[str]:
    return [
        "## On an honest floor",
        "",
        statistic.hypothesis,
        "",
        "## How it is asked",
        "",
        _sentence(statistic.test),
        "",
        "## False alarms",
        "",
        f"At most one honest period in {1 / ALPHA:,.0f} has any, of all questions together (Holm's correction; `--alpha`).",
    ]


def index(detectors: Iterable[Detector | Statistic]) -> str:
    """The folder's README: every code, and how causes silence their consequences."""
    every = list(detectors)
    lines = [
        "# The detectors",
        "",
        "What a table did is laid beside what the law owed; a detector names one kind of difference. Every finding carries its",
        "code, the events that show it, the clause, and an amount: what the house lost (+) or kept wrongly (-).",
        "These pages are written from the code by `python -m detectors.manual`; `catwalk explain CODE` prints the same.",
        "",
        "| severity | means |",
        "|---|---|",
        *(f"| {severity} | {meaning} |" for severity, meaning in SEVERITIES.items()),
        "",
    ]
    for family, title in FAMILIES.items():
        mine = [detector for detector in every if detector.code.startswith(family)]
        if mine:
            lines += [
                f"## {family}: {title[:1].lower()}{title[1:]}",
                "",
                "| code | name | severity | flags |",
                "|---|---|---|---|",
            ]
            lines += [
                f"| [{each.code}]({each.code}.md) | {each.name} | {each.severity} "
                f"| {each.manual.flags.removeprefix('Flags ')} |"
                for each in mine
            ]
            lines.append("")
    lines += _statistics()
    lines += [
        "## One wrong, one finding",
        "",
        "A wrong has consequences, and a consequence is not a second wrong. What explains it is told, once, at the place where",
        "it happened; two wrongs that have nothing to do with each other are told both, in the same round too.",
        "",
    ]
    for cause, words in SILENCES:
        lines += [f"**{cause}.** {words}", ""]
    return "\n".join(lines)


def _statistics() -> list[str]:
    return [
        "### Statistics are asked for, not told",
        "",
        "An audit tells what happened and is silent on an honest shift, for ever. A statistic tells what is unlikely, and",
        "what is unlikely happens. So the STAT codes are no part of `catwalk audit`; they are asked of a period:",
        "",
        "```",
        "catwalk statistics 2026-01/*.parquet --findings suspects.csv",
        "```",
        "",
        "Each test starts from a hypothesis that holds on an honest floor, asks one question of every dealer, pair,",
        "supervisor, card or player, and raises an alarm where the answer is too rare to be chance. Its p-values are exact or",
        "upper bounds, and Holm's correction covers all its questions: on an honest floor at most one period in",
        f"{1 / ALPHA:,.0f} has any false alarm of a test (`--alpha`). `catwalk quality --periods N` measures the rate.",
        "Rounds are compared within strata, so that differences that are nobody's doing, such as a busier table or another",
        "game, stay out of it.",
        "",
        "| code | on an honest floor | how it is asked |",
        "|---|---|---|",
        *(f"| {each.code} | {each.hypothesis} | {_sentence(each.test)} |" for each in STATISTICS),
        "",
        "An alarm is a reason to look, never a proof: it says that chance is a poor explanation, not which other one is right.",
        "The simulated floor stacks one round in fifty so that rare hands are seen; a long run of it is told by STAT05, rightly.",
        "",
    ]


def _sentence(words: str) -> str:
    whole = words[:1].upper() + words[1:]
    return whole if whole.endswith((".", "?")) else whole + "."


def incidents() -> dict[str, str]:
    """The case files and their titles, in the order of their names."""
    return {
        case.stem: case.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        for case in sorted(INCIDENTS.glob("*.md"))
    }


def pages() -> dict[str, str]:
    """Every file of the folder, by its name."""
    cases = incidents()
    return {
        "README.md": index((*CATALOGUE, *STATISTICS)),
        **{f"{detector.code}.md": page(detector, cases) for detector in (*CATALOGUE, *STATISTICS)},
    }


def write() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (FOLDER / name).write_text(text, "utf-8")


if __name__ == "__main__":
    write()
