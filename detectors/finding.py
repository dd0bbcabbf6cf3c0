"""What a finding is: a frame of rows that all say the same kind of thing, and ids that are digests of what makes them."""

import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Final

import polars as pl

from replay.derivation import Derivation
from replay.frames import collected

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

# What a detector says itself, of a round by its number or of a table; the rest follows from the round and the catalogue.
SAID: Final[dict[str, pl.DataType]] = {
    "rid": pl.UInt32(),
    **{name: dtype for name, dtype in SCHEMA.items() if name not in ("id", "code", "name", "at")},
}


@cache
def none() -> pl.DataFrame:
    return pl.DataFrame(schema=SCHEMA)


def dollars(cents: pl.Expr) -> pl.Expr:
    """Cents as people read them, 125050 as `$1,250.50`; no float touches money."""
    size = cents.abs()
    whole = (size // 100).cast(pl.String).str.replace(r"(\d)(\d{3})$", "$1,$2")
    for _ in range(2):  # to thousands of millions, which is as much as an amount may be
        whole = whole.str.replace(r"(\d)(\d{3}),", "$1,$2,")
    return pl.concat_str(
        pl.when(cents < 0).then(pl.lit("-$")).otherwise(pl.lit("$")),
        whole,
        pl.lit("."),
        (size % 100).cast(pl.String).str.zfill(2),
    )


@dataclass(frozen=True, slots=True)
class Telling:
    """The rows that a detector has something to say of, as a query, and its words. They are put only on rows that there are."""

    rows: pl.LazyFrame
    words: tuple[pl.Expr, ...]

    @property
    def asked(self) -> pl.LazyFrame:
        """The query, down to the columns that the words are made of."""
        return self.rows.select(sorted({name for word in self.words for name in word.meta.root_names()}))

    def worded(self, rows: pl.DataFrame) -> pl.DataFrame:
        """`pl.format` panics in Polars 2.1 on columns that are chunked differently."""
        return rows.rechunk().select(self.words)


# What one detector says: mostly one telling, more where a wrong shows in different places.
Tellings = tuple[Telling, ...]


def tell(rows: pl.LazyFrame, /, *columns: str, **said: pl.Expr | str) -> Tellings:
    worded = (pl.col(word) if isinstance(word, str) else word for word in said.values())
    named = (word.alias(name) for name, word in zip(said, worded, strict=True))
    return (Telling(rows, (*(pl.col(column) for column in columns), *named)),)


def digest(*parts: object) -> str:
    """Sixteen bytes in hex over integers and strings only, so the same facts give the same id on every machine."""
    return hashlib.blake2b(
        "\x1f".join("" if part is None else str(part) for part in parts).encode(), digest_size=16
    ).hexdigest()


def complete(derivation: Derivation, said: pl.DataFrame) -> pl.DataFrame:
    """Findings from what detectors said, in the columns SAID, of rounds (`rid`) or of tables (`table`, `round`)."""
    of_round = derivation.all_rounds.select("rid", _table="table", _round="round", _of_round="dealer_now")
    rows = (
        said.join(of_round, on="rid", how="left", maintain_order="left")
        .with_columns(
            table=pl.coalesce("table", "_table"),
            round=pl.coalesce("round", "_round"),
            _seq=pl.col("seqs").list.last(),
        )
        .with_columns(amount=pl.col("amount").fill_null(0))
    )
    shown = rows.lazy().select("table", seq="_seq")
    times = collected(
        derivation.facts.lazy().select("table", "seq", "at").join(shown, on=["table", "seq"], how="semi")
    ).rename({"seq": "_seq"})
    rows = rows.join(times, on=["table", "_seq"], how="left", maintain_order="left").with_columns(
        dealer=pl.when(pl.col("rid").is_null()).then("dealer").otherwise(pl.coalesce("dealer", "_of_round"))
    )
    # Findings are few: one Python call each for the digest.
    keys = rows.select("code", "table", "round", "seat", "hand", "wager", "player", "seqs").iter_rows()
    ids = [digest(*key[:-1], *key[-1]) for key in keys]
    return rows.with_columns(pl.Series("id", ids, pl.String)).select(
        pl.col(column).cast(dtype) for column, dtype in SCHEMA.items()
    )
