"""Any event of any type, drawn from what the structs themselves demand."""

from datetime import UTC, datetime

import msgspec
from hypothesis import strategies as st
from msgspec import inspect

from ingest import events
from ingest.events import AnyEvent

LETTERS = st.characters(exclude_categories=["Cs"])
PLAIN = st.sampled_from(
    ["ante", "p7", "a b", 'x"y', "back\\slash", "naïve", "12", "-3", "yes", "(1)", "seat", "😀", "a:b"]
)


def _values(described: inspect.Type) -> st.SearchStrategy[object]:  # noqa: PLR0911 - one line a kind of type
    match described:
        case inspect.UnionType(types=types):
            return st.one_of(*map(_values, types))
        case inspect.NoneType():
            return st.none()
        case inspect.BoolType():
            return st.booleans()
        case inspect.IntType(ge=low, le=high):
            return st.integers(low, high) | st.integers(max(low, -20), min(high, 20))
        case inspect.StrType(pattern=str()):
            return st.from_regex(r"[A-Za-z0-9_-]{1,32}", fullmatch=True)
        case inspect.StrType(min_length=low):
            return PLAIN | st.text(LETTERS, min_size=low or 0, max_size=20)
        case inspect.LiteralType(values=values):
            return st.sampled_from(values)
        case inspect.DateTimeType():
            return MOMENTS
        case inspect.DictType(key_type=key, value_type=value):
            return st.dictionaries(_values(key), _values(value), max_size=3)
        case inspect.TupleType(item_types=items):
            return st.tuples(*map(_values, items))
    raise NotImplementedError(described)


MOMENTS = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31, 23, 59, 59), timezones=st.just(UTC)) | st.datetimes(
    datetime(2026, 1, 1), datetime(2026, 1, 9), timezones=st.just(UTC)
).map(lambda at: at.replace(microsecond=0))


def _events(kind: type[events.Event]) -> st.SearchStrategy[AnyEvent]:
    described = inspect.type_info(kind)
    assert isinstance(described, inspect.StructType)
    needed = {field.name: _values(field.type) for field in described.fields if field.required}
    optional = {field.name: _values(field.type) for field in described.fields if not field.required}
    fields = st.fixed_dictionaries(needed, optional=optional)
    if kind is events.CardDealt:
        fields = fields.filter(lambda card: card["to"] != "player" or card.get("seat") is not None)
        fields = fields.filter(lambda card: card["to"] == "burn" or card.get("round") is not None)
    return fields.map(lambda values: kind(**values))


ANY_EVENT = st.sampled_from(list(events.CLASSES.values())).flatmap(_events)
# Numbers outside are kept as they were written, so a float that Python spells otherwise would only test Python.
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(LETTERS, max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(LETTERS, max_size=8), inner, max_size=3),
    max_leaves=6,
)


def members(event: AnyEvent) -> dict[str, object]:
    return msgspec.json.decode(msgspec.json.encode(event))
