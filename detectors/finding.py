"""What a finding is: a frame of rows that all say the same kind of thing, and ids that are digests of what makes them."""

import hashlib
from functools import cache
from typing import Final

import polars as pl

from replay.derivation import Derivation

SCHEMA: Final[dict[str, pl.DataType]] = {
    "id": pl.String(),
    "code": pl.String(),
    "name": pl.String(),
    "severity": pl.String(),
    "table": pl.String(),
    "round": pl.Int64(),
    "seat": pl.Int16(),
    "hand": pl.Int16(),
    "wager": pl.String(),
    "player": pl.String(),
    "dealer": pl.String(),
    "at": pl.Datetime("us", "UTC"),
    "seqs": pl.List(pl.Int64()),
    "owed": pl.Int64(),
    "paid": pl.Int64(),
    "amount": pl.Int64(),
    "clause": pl.String(),
    "message": pl.String(),
}

# What a detector says itself; the rest follows from the round and the catalogue.
SAID: Final = ("seat", "hand", "wager", "player", "seqs", "owed", "paid", "amount", "clause", "message")


@cache
def none() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


def dollars(cents: pl.Expr) -> pl.Expr:
    """Cents as people read them, `1,250` as `$12.50`; no float touches money."""
    size = cents.abs()
    return pl.concat_str(
        pl.when(cents < 0).then(pl.lit("-$")).otherwise(pl.lit("$")),
        (size // 100).cast(pl.String),
        pl.lit("."),
        (size % 100).cast(pl.String).str.zfill(2),
    )


def tell(rows: pl.DataFrame, /, *columns: str, **said: pl.Expr | str) -> pl.DataFrame:
    """The rows as a detector words them. `pl.format` panics in Polars 2.1 on columns that are chunked differently."""
    return rows.rechunk().select(*columns, **said)


def digest(*parts: object) -> str:
    """Sixteen bytes in hex over integers and strings only, so the same facts give the same id on every machine."""
    return hashlib.blake2b(
        "\x1f".join("" if part is None else str(part) for part in parts).encode(), digest_size=16
    ).hexdigest()


def complete(derivation: Derivation, said: pl.DataFrame, code: str, name: str, severity: str) -> pl.DataFrame:
    """Findings from what a detector said of rounds (`rid`) or of tables (`table`, `round`)."""
    if said.is_empty():
        return none()
    rows = said
    if "rid" in rows.columns:
        rounds = derivation.all_rounds.select("rid", "table", "round", dealer="dealer_now")
        rows = rows.join(rounds, on="rid", how="left", maintain_order="left", suffix="_of_round")
        said_too = [name for name in ("table", "round", "dealer") if f"{name}_of_round" in rows.columns]
        rows = rows.with_columns(pl.coalesce(name, f"{name}_of_round").alias(name) for name in said_too)
    missing = [column for column in SAID if column not in rows.columns]
    rows = rows.with_columns(pl.lit(None, SCHEMA[column]).alias(column) for column in missing)
    times = derivation.facts.select("table", "at", _seq="seq", _dealer="dealer_now")
    rows = rows.with_columns(_seq=pl.col("seqs").list.last()).join(times, on=["table", "_seq"], how="left")
    said_severity = pl.col("severity") if "severity" in rows.columns else pl.lit(None, pl.String)
    rows = rows.with_columns(severity=said_severity.fill_null(severity))
    rows = rows.with_columns(
        dealer=pl.col("dealer") if "dealer" in rows.columns else pl.col("_dealer"),
        code=pl.lit(code),
        name=pl.lit(name),
        amount=pl.col("amount").fill_null(0),
    )
    # Findings are few: one Python call each for the digest.
    keys = rows.select("table", "round", "seat", "hand", "wager", "player", "seqs").iter_rows()
    ids = [digest(code, *key[:-1], *key[-1]) for key in keys]
    return rows.with_columns(pl.Series("id", ids, pl.String)).select(
        pl.col(column).cast(dtype) for column, dtype in SCHEMA.items()
    )
