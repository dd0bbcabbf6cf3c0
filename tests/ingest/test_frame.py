import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest import events, frame, wire
from ingest.events import AnyEvent
from tests.ingest.facts import ANY_EVENT

GOLDEN = (Path(__file__).parent / "golden" / "events.jsonl").read_bytes().splitlines()
EXTRAS = st.sampled_from([None, '{"x":1.50}', '{"firmware":"a\\"b","zz":[null,{"k":"\\ud800"}]}'])


def test_every_field_of_the_contract_has_a_column_and_no_other_has() -> None:
    assert set().union(*events.FIELDS.values()) == set(frame.SCHEMA) - {"extra"}


@given(st.lists(st.tuples(ANY_EVENT, EXTRAS), max_size=6))
def test_a_frame_holds_every_event_exactly(facts: list[tuple[AnyEvent, str | None]]) -> None:
    contents = [wire.write(event, extra) for event, extra in facts]
    extras = [extra for _, extra in facts]
    built = frame.from_contents(contents, extras)
    assert built.schema == frame.SCHEMA
    assert frame.to_contents(built) == contents
    assert built["extra"].to_list() == extras
    conformed, dead = frame.conform(built)
    assert dead == []
    assert conformed.equals(built)


def test_an_empty_frame_has_no_contents() -> None:
    assert frame.from_contents([]).equals(frame.empty())
    assert frame.to_contents(frame.empty()) == []
    assert frame.conform(frame.empty())[0].equals(frame.empty())


def test_a_hand_is_the_first_unless_it_says_otherwise() -> None:
    built = frame.from_contents(GOLDEN)
    has_hand = [name for name, fields in events.FIELDS.items() if "hand" in fields]
    assert built.filter(pl.col("type").is_in(has_hand))["hand"].null_count() == 0
    assert built.filter(~pl.col("type").is_in(has_hand))["hand"].drop_nulls().is_empty()


def test_a_frame_of_events_is_the_frame_of_their_contents() -> None:
    facts = [outcome.event for outcome in map(wire.read, GOLDEN) if isinstance(outcome, wire.Accepted)]
    assert frame.from_events(facts).equals(frame.from_contents(GOLDEN))


# Frames from outside

OURS = frame.from_contents(GOLDEN)


def _maps_as(form: str) -> pl.DataFrame:
    maps = {name: [json.loads(text) if text else None for text in OURS[name]] for name in frame.MAPS}
    if form == "struct":
        wagers = {wager for each in maps["pay_tables"] if each for wager in each}
        return OURS.with_columns(
            pl.Series("pay_tables", maps["pay_tables"], dtype=pl.Struct(dict.fromkeys(sorted(wagers), pl.String))),
            pl.Series("limits", maps["limits"]),
        )
    pairs = [
        None if each is None else [{"key": key, "value": value} for key, value in each.items()]
        for each in maps["pay_tables"]
    ]
    return OURS.with_columns(pl.Series("pay_tables", pairs))


@pytest.mark.parametrize(
    "foreign",
    [
        OURS.with_columns(pl.col(pl.Enum).cast(pl.String)),
        OURS.with_columns(pl.col(pl.Enum).cast(pl.String).cast(pl.Categorical)),
        OURS.with_columns(pl.col(pl.Int16, pl.Int32).cast(pl.Int64), pl.col("seq").cast(pl.UInt8)),
        OURS.with_columns(pl.col("seat", "hand", "amount").cast(pl.Float64).fill_null(float("nan"))),
        OURS.with_columns(pl.col("at").dt.replace_time_zone(None)),
        OURS.with_columns(pl.col("at").dt.cast_time_unit("ns").dt.convert_time_zone("America/New_York")),
        OURS.with_columns(pl.col("at").dt.strftime("%Y-%m-%dT%H:%M:%S%.6fZ")),
        OURS.with_columns(pl.col("at").dt.strftime("%Y-%m-%d %H:%M:%S%.3f")),
        OURS.with_columns(pl.col("hand").replace(1, None), pl.col("packs").replace(1, None)),
        OURS.select(sorted(frame.SCHEMA, reverse=True)),
        OURS.drop("extra", "source").with_columns(source=OURS["source"]),
        OURS.with_row_index("position")
        .with_columns(pl.col("position").cast(pl.Int64))
        .select("position", pl.all().exclude("position")),
        OURS.with_columns(unheard=pl.lit(None, pl.String)),
        _maps_as("struct"),
        _maps_as("pairs"),
    ],
)
def test_the_same_events_in_other_types_conform(foreign: pl.DataFrame) -> None:
    conformed, dead = frame.conform(foreign)
    assert dead == []
    assert conformed.equals(OURS)


def test_a_column_nobody_named_is_kept_as_unknown_fields() -> None:
    site = pl.int_range(pl.len()).cast(pl.String)
    conformed, dead = frame.conform(OURS.with_columns(site=pl.when(pl.int_range(pl.len()) % 2 == 0).then(site)))
    assert dead == []
    assert conformed.drop("extra").equals(OURS.drop("extra"))
    assert conformed["extra"].to_list()[:3] == ['{"site":"0"}', None, '{"site":"2"}']


def test_unknown_columns_come_to_the_same_by_column_as_by_row() -> None:
    row = pl.int_range(pl.len())
    strange = OURS.with_columns(
        pl.when(row % 3 == 0).then(pl.lit('q"\\')).otherwise(row.cast(pl.String)).alias('na"me'),
        pl.when(row % 2 == 0).then(row - 20).alias("zone"),
        (row % 5 == 0).alias("Live"),
    )
    by_column, _ = frame.conform(strange)
    # A list is never spelled by its column, so every row takes the long way.
    by_row, _ = frame.conform(strange.with_columns(zz=pl.concat_list(pl.lit(1))))
    assert [json.loads(text) | {"zz": [1]} for text in by_column["extra"]] == [
        json.loads(text) for text in by_row["extra"]
    ]
    assert by_column["extra"].to_list() == [text.replace(',"zz":[1]', "") for text in by_row["extra"]]


BAD_ROWS = {
    "an unknown type": ("type", pl.lit("card_eaten"), 'unknown type "card_eaten"'),
    "no type": ("type", pl.lit(None), "`type` is missing"),
    "no seq": ("seq", pl.lit(None), "`seq` is missing"),
    "seq 0": ("seq", pl.lit(0), "`seq` is ill-typed"),
    "a seat of half": ("seat", pl.lit(1.5), "`seat` is ill-typed"),
    "a seat too far": ("seat", pl.lit(100.0), "`seat` is ill-typed"),
    "no seat": ("seat", pl.lit(None), "a card dealt to a player has no `seat`"),
    "no such card": ("card", pl.lit("1H"), "`card` is ill-typed"),
    "no face": ("face", pl.lit(None), "`face` is missing"),
    "a bad table": ("table", pl.lit("T 1"), "`table` is ill-typed"),
    "no time": ("at", pl.lit(None), "`at` is missing"),
    "nanoseconds": ("at", pl.col("at") + pl.duration(nanoseconds=1), "`at` is finer than microseconds"),
    "an empty source": ("source", pl.lit(""), "`source` is ill-typed"),
    "a long source": ("source", pl.lit("é" * 257), "`source` is ill-typed"),
    "broken extra": ("extra", pl.lit("{"), "broken JSON"),
}


@pytest.mark.parametrize(("name", "value", "said"), BAD_ROWS.values(), ids=BAD_ROWS)
def test_a_row_that_is_no_event_is_a_dead_letter_and_the_others_are_read(name: str, value: pl.Expr, said: str) -> None:
    ours = OURS.filter(pl.col("type") == "card_dealt", pl.col("to") == "player").head(1)
    foreign = pl.concat([ours] * 3).with_columns(
        pl.col(pl.Enum).cast(pl.String), pl.col("seat").cast(pl.Float64), pl.col("at").dt.cast_time_unit("ns")
    )
    foreign = foreign.with_columns(pl.when(pl.int_range(pl.len()) == 1).then(value).otherwise(name).alias(name))
    conformed, dead = frame.conform(foreign, first_row=101)
    assert conformed.equals(pl.concat([ours] * 2))
    assert [letter.line for letter in dead] == [102]
    assert dead[0].reason.startswith(said)


def test_a_field_of_another_type_in_a_row_is_unknown_there_as_on_the_wire() -> None:
    bets = OURS.filter(pl.col("type") == "no_more_bets").with_columns(seat=pl.lit(3, pl.Int16))
    conformed, dead = frame.conform(bets)
    assert dead == []
    assert conformed["seat"].to_list() == [None]
    assert conformed["extra"].to_list() == ['{"seat":3}']


def test_a_frame_with_none_of_the_columns_is_all_dead_letters() -> None:
    conformed, dead = frame.conform(pl.DataFrame({"x": [1, 2]}))
    assert conformed.equals(frame.empty())
    assert [letter.reason for letter in dead] == ["`type` is missing"] * 2


@given(st.lists(ANY_EVENT, min_size=1, max_size=3), st.data())
def test_a_damaged_row_conforms_exactly_when_its_line_is_an_event(facts: list[AnyEvent], data: st.DataObject) -> None:
    """The columns' limits and the structs' are one and the same."""
    name = data.draw(st.sampled_from([name for name in frame.SCHEMA if name not in (*frame.MAPS, "extra", "at")]))
    ours = frame.from_events(facts).with_columns(
        pl.col(pl.Enum).cast(pl.String), pl.col(pl.Int16, pl.Int32).cast(pl.Int64)
    )
    values = st.none() | (
        st.integers(-(2**62), 2**62) | st.integers(-1, 101)
        if ours.schema[name].is_integer()
        else st.sampled_from(["", "x", "T-1", "a b", "round_ended", "player", "x" * 257, "x" * 5000])
    )
    foreign = ours.with_columns(pl.lit(data.draw(values), ours.schema[name]).alias(name))
    conformed, dead = frame.conform(foreign)
    alone = wire.decode(
        json.dumps(
            {
                key: json.loads(value) if key in frame.MAPS else value.isoformat() if key == "at" else value
                for key, value in row.items()
                if value is not None
            }
        ).encode()
        for row in foreign.iter_rows(named=True)
    )
    assert frame.to_contents(conformed) == alone.contents
    assert [letter.reason for letter in dead] == [letter.reason for letter in alone.dead]
