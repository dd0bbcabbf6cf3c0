"""Sums, ages and moments as people read them."""

from datetime import UTC, datetime
from typing import Final

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 86_400


def dollars(cents: int | None, signed: bool = False) -> str:
    """`1,234,50` cents as `$1,234.50`; nothing known as a dash."""
    if cents is None:
        return "–"
    sign = "-" if cents < 0 else "+" if signed and cents > 0 else ""
    return f"{sign}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def short_dollars(cents: int) -> str:
    """`$12.3 M`, where the cents of a year's handle would only hide how much it is."""
    whole = abs(cents) // 100
    for size, name in ((10**9, "B"), (10**6, "M"), (10**4, "k")):
        if whole >= size:
            scale = 1000 if name == "k" else size
            return f"{'-' if cents < 0 else ''}${whole / scale:,.1f} {name}"
    return dollars(cents)


def age(seconds: float) -> str:
    """`4 s`, `12 min`, `3 h`, `9 days`."""
    whole = max(0, int(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min"
    return f"{whole // HOUR} h" if whole < 2 * DAY else f"{whole // DAY:,} days"


def since(moment: datetime | None, now: datetime) -> str:
    return "never" if moment is None else age((now - moment).total_seconds())


def stamp(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def plain(words: str) -> str:
    """`in_to_win` as people say it."""
    return words.replace("_", " ")


def counted(count: int, thing: str) -> str:
    """`1 round`, `2,000 rounds`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def whose_loss(cents: int | None) -> str:
    """What an amount of a finding is: the house's loss, or what it kept."""
    if not cents:
        return "Amount"
    return "House lost" if cents > 0 else "House kept wrongly"
