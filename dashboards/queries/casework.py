"""The queue of findings with what people did about each, and the doing of it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec
import polars as pl

from dashboards.queries.coverage import Period, among
from detectors import finding as findings_
from detectors.published import Reader
from ingest import cases, sealing
from ingest.cases import Act, CaseFact, Disposition
from ingest.log import Log

SEVERITIES: Final = ("critical", "major", "minor", "advisory")
OPEN: Final = ("new", "acknowledged", "assigned")
STATUSES: Final = (*OPEN, "closed")
# Which status an act leaves a case in; a note leaves it as it was.
_STATUS_AFTER: Final = {
    "finding_acknowledged": "acknowledged",
    "finding_assigned": "assigned",
    "finding_closed": "closed",
    "finding_reopened": "new",
}
# What a person may be permitted: to settle whether a finding is closed, and everything else that is done about it.
_CLOSING: Final = ("finding_closed", "finding_reopened")
EVERYTHING: Final = frozenset({"act", "close"})
_FINDING: Final = tuple(findings_.SCHEMA)
ROW: Final = {
    **findings_.SCHEMA,
    "status": pl.String(),
    "assignee": pl.String(),
    "disposition": pl.String(),
    "acts": pl.Int64(),
    "withdrawn": pl.Boolean(),
}


class Refused(Exception):
    """An act on a finding that is not open to this person; the message says why."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which findings of the queue are asked for; an empty part asks for all."""

    period: Period = field(default_factory=Period)
    codes: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    tables: tuple[str, ...] = ()
    dealers: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()

    @property
    def columns(self) -> dict[str, tuple[str, ...]]:
        return {
            "code": self.codes,
            "severity": self.severities,
            "table": self.tables,
            "dealer": self.dealers,
            "status": self.statuses,
        }


def _cases() -> str:
    """One row a finding that somebody acted on: the status it is in, and who has it."""
    after = " ".join(f"when '{act}' then '{status}'" for act, status in _STATUS_AFTER.items())
    return f"""
        select
            finding,
            coalesce(arg_max(case act {after} end, case_position) filter (act <> 'finding_noted'), 'new') as status,
            arg_max(assignee, case_position) filter (act = 'finding_assigned') as assignee,
            arg_max(disposition, case_position) filter (act = 'finding_closed') as disposition,
            count(*) as acts
        from store.cases group by finding
    """


def _queue(source: str) -> str:
    return f"""
        select found.*, coalesce(cases.status, 'new') as status, cases.assignee, cases.disposition,
            coalesce(cases.acts, 0) as acts, false as withdrawn
        from {source} as found left join ({_cases()}) as cases on cases.finding = found.id
    """


def queue(reader: Reader, asked: Filter, recent: bool = False) -> pl.DataFrame:
    """The findings asked for, the latest first, each with its case.

    A finding that people acted on stays, also when a late event changed the derivation and it no longer holds. `recent`: what
    holds in the last two gaming days alone, for those who look every other second.
    """
    condition, values = among(asked.columns)
    columns = ", ".join(f'"{name}"' for name in ROW)
    found = reader.sql(
        f"""
        select {columns} from ({_queue("recent_findings" if recent else asked.period.of(reader, "findings"))})
        where {asked.period.holds} and {condition}
        """,
        values,
    )
    if not recent:
        found = pl.concat([found, withdrawn(reader).filter(_holds(asked))])
    return found.sort("at", "table", "code", "id", descending=[True, False, False, False])


def _holds(asked: Filter) -> pl.Expr:
    day = sealing.gaming_day(pl.col("at"))
    bounds = [day >= asked.period.first] if asked.period.first else []
    bounds += [day <= asked.period.last] if asked.period.last else []
    named = [pl.col(column).is_in(list(values)) for column, values in asked.columns.items() if values]
    return pl.all_horizontal(pl.lit(True), *bounds, *named)


def withdrawn(reader: Reader) -> pl.DataFrame:
    """Findings that people acted on and that the events no longer give, as they were shown when somebody first acted."""
    if reader.sql("select count(*) from store.cases").item() == 0:
        return pl.DataFrame(schema=ROW)
    lost = reader.sql(
        f"""
        select shown, status, assignee, disposition, acts
        from (select finding, arg_min(shown, case_position) as shown from store.cases group by finding) as first
        join ({_cases()}) as cases using (finding)
        where not exists (from current_findings where id = finding)
        """
    )
    rows = [
        {**_told(shown), "status": status, "assignee": assignee, "disposition": disposition, "acts": acts}
        for shown, status, assignee, disposition, acts in lost.iter_rows()
    ]
    return pl.DataFrame(
        [{**{name: row.get(name) for name in ROW}, "withdrawn": True} for row in rows], schema=ROW, orient="row"
    )


def _told(shown: str) -> dict[str, object]:
    row: dict[str, object] = msgspec.json.decode(shown)
    return {**row, "at": msgspec.convert(row["at"], datetime, strict=False)}


def finding(reader: Reader, id: str) -> dict[str, object] | None:
    """One finding with its case; also one that no longer holds, if people acted on it."""
    columns = ", ".join(f'"{name}"' for name in ROW)
    # Asked of the few recent ones first: the one picked is mostly of today.
    for source in ("recent_findings", "current_findings"):
        found = reader.sql(f"select {columns} from ({_queue(source)}) where id = ?", [id])
        if found.height:
            return found.row(0, named=True)
    gone = withdrawn(reader).filter(pl.col("id") == id)
    return gone.row(0, named=True) if gone.height else None


def history(reader: Reader, data: Path, id: str) -> pl.DataFrame:
    """What people did about a finding, in the order they did it; also what the pipeline has not folded in yet."""
    folded = reader.sql("from store.cases where finding = ? order by case_position", [id])
    read_to = int(reader.sql("select coalesce(max(case_position), 0)::bigint from store.cases").item())
    with Log.open(data) as log:
        since = cases.read(log, read_to).filter(pl.col("finding") == id)
    return pl.concat([folded.select(since.columns), since])


def status(acts: pl.DataFrame) -> str:
    """The status that a history leaves a finding in."""
    last = acts.filter(pl.col("act").is_in(list(_STATUS_AFTER)))["act"]
    return _STATUS_AFTER[last.item(-1)] if len(last) else "new"


def in_words(acts: pl.DataFrame) -> list[tuple[datetime, str, str]]:
    """A history as lines: when, who did what, and the note."""
    return [
        (
            row["acted_at"],
            f"{row['who']}{'' if row['verified'] else ' (unverified)'} {_did(row)}",
            row["note"],
        )
        for row in acts.iter_rows(named=True)
    ]


def _did(row: dict[str, object]) -> str:
    match row["act"]:
        case "finding_assigned":
            return f"assigned it to {row['assignee']}"
        case "finding_closed":
            return f"closed it: {row['disposition']}"
        case said:
            return {"finding_acknowledged": "acknowledged it", "finding_noted": "noted"}.get(
                str(said), "opened it again"
            )


def of_round(reader: Reader, table: str, round: int) -> pl.DataFrame:
    """The findings of a round, with their cases, the gravest first."""
    columns = ", ".join(f'"{name}"' for name in ROW)
    query = f'select {columns} from ({_queue("current_findings")}) where "table" = ? and round = ?'
    gravest = pl.col("severity").cast(pl.Enum(SEVERITIES))
    return reader.sql(query, [table, round]).sort(gravest, "at", "code", "id")


def subjects(data: Path, found: Mapping[str, object]) -> set[str]:
    """Whom the finding is about: its dealer, its player, and the supervisor whom its events name."""
    named = {found["dealer"], found["player"]}
    seqs = found["seqs"]
    if isinstance(seqs, list) and seqs:
        with Log.open(data) as log:
            shown = log.table_events(str(found["table"]), min(seqs), max(seqs))
        named |= set(shown.filter(pl.col("seq").is_in(seqs))["by"])
    return {str(name) for name in named if name}


def act(
    data: Path,
    found: Mapping[str, object],
    act: Act,
    who: str,
    at: datetime,
    *,
    verified: bool = False,
    also: Collection[str] = (),
    may: Collection[str] = EVERYTHING,
    assignee: str | None = None,
    disposition: Disposition | None = None,
    note: str = "",
) -> int:
    """Writes what somebody did about a finding into the log; its position there. `also`: what else that person is called;
    `may`: what the person is permitted."""
    name = " ".join(who.split())
    if not name:
        raise Refused("Say who you are first: what is done about a finding is kept with a name.")
    if ("close" if act in _CLOSING else "act") not in may:
        raise Refused(f"{name} is not permitted that.")
    called = {" ".join(each.split()).casefold() for each in (name, *also)}
    if act == "finding_closed" and not called.isdisjoint(each.casefold() for each in subjects(data, found)):
        raise Refused(f"{name} is a subject of this finding, and nobody closes a finding about himself.")
    shown = {name: found[name] for name in _FINDING}
    try:
        fact = CaseFact(
            finding=str(found["id"]),
            acted_at=at,
            act=act,
            who=name,
            shown=shown,
            verified=verified,
            assignee=" ".join(assignee.split()) if assignee else None,
            disposition=disposition,
            note=note.strip(),
        )
        with Log.open(data) as log:
            return cases.append(log, fact)
    except (ValueError, msgspec.ValidationError) as error:
        raise Refused(f"That cannot be kept: {error}.") from None


@dataclass(frozen=True, slots=True)
class Money:
    """Cents of the findings shown: what the house lost, what it kept wrongly, and how many findings that is."""

    lost: int
    kept: int
    findings: int


def money(found: pl.DataFrame) -> Money:
    amount = pl.col("amount")
    lost, kept = found.select(lost=amount.clip(lower_bound=0).sum(), kept=amount.clip(upper_bound=0).sum()).row(0)
    return Money(int(lost), -int(kept), found.height)


def severities(reader: Reader, statuses: Sequence[str] = ()) -> dict[str, int]:
    """How many findings of each severity; a severity without any is there with 0."""
    condition, values = among({"status": statuses})
    query = f"select severity, count(*) from ({_queue('current_findings')}) where {condition} group by all"
    found = dict(reader.sql(query, values).iter_rows())
    return {severity: found.get(severity, 0) for severity in SEVERITIES}


def found_since(reader: Reader, position: int) -> pl.DataFrame:
    """The findings that were derived from what came into the log after a position, in the order they happened."""
    return reader.sql(
        """
        select id, code, name, severity, "table", round, message, clause, amount, "at"
        from current_findings where position > ? order by "at", "table", code, id
        """,
        [position],
    )
