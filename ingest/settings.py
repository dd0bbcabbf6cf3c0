"""Settings of a floor on Kafka: from one TOML file and the environment, checked before anything is started.

An environment variable is `CATWALK_` and the setting's name in capitals, and stands above the file.
"""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta, Struct

FILE: Final = "catwalk.toml"
VARIABLE: Final = "CATWALK_SETTINGS"
PREFIX: Final = "CATWALK_"

Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{1,100}$")]
TopicPrefix = Annotated[str, Meta(pattern=r"^[A-Za-z0-9._-]{0,100}$")]
Count = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]
Protocol = Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


class Mistaken(Exception):
    """A setting that cannot be; the message names it, where it stands, and what it may be."""


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    servers: Annotated[str, Meta(pattern=r"^[^\s,/]+:\d+(,[^\s,/]+:\d+)*$")] = "localhost:9092"
    # Every topic's name begins with this, so that two floors can share a broker.
    topic_prefix: TopicPrefix = ""
    group: Name = "catwalk"
    partitions: Annotated[int, Meta(ge=1, le=1000)] = 12
    replication: Annotated[int, Meta(ge=1, le=100)] = 1
    # Of findings and dead letters; 0 is for ever. Events, settlements and states are what everything is rebuilt from.
    retention_days: Annotated[int, Meta(ge=0)] = 0

    security_protocol: Protocol = "PLAINTEXT"
    sasl_mechanism: Mechanism | None = None
    sasl_username: str | None = None
    sasl_password: str | None = None
    ssl_cafile: str | None = None
    ssl_certfile: str | None = None
    ssl_keyfile: str | None = None

    # A worker audits what came within this time, or as soon as it has this many events.
    batch_seconds: Seconds = 0.25
    batch_events: Annotated[int, Meta(ge=1, le=100_000)] = 10_000
    # How long events wait for missing ones before them.
    patience_seconds: Annotated[float, Meta(ge=0)] = 5.0
    # How much a worker that takes over has to read again, at most.
    state_seconds: Seconds = 3.0
    # How far back a table with late events is derived again from, at most: beyond it, from its first event.
    base_hours: Seconds = 24.0
    # After so long without a sign of life a worker's partitions go to the others; Kafka allows no less than six.
    session_seconds: Annotated[float, Meta(ge=6)] = 10.0
    # A worker whose lag stands still for so long, while events wait, ends itself to be started anew.
    stall_seconds: Annotated[float, Meta(ge=1)] = 60.0

    def __post_init__(self) -> None:
        if self.security_protocol.startswith("SASL"):
            for name in ("sasl_mechanism", "sasl_username", "sasl_password"):
                if getattr(self, name) is None:
                    raise ValueError(f"`{name}` is missing, and `security_protocol` is {self.security_protocol}")
        elif self.sasl_mechanism is not None:
            raise ValueError(f"`sasl_mechanism` is set, but `security_protocol` is {self.security_protocol}")
        if (self.ssl_certfile is None) != (self.ssl_keyfile is None):
            raise ValueError("`ssl_certfile` and `ssl_keyfile` go together")
        for name in ("ssl_cafile", "ssl_certfile", "ssl_keyfile"):
            file = getattr(self, name)
            if file is not None and not Path(file).is_file():
                raise ValueError(f"`{name}`: there is no file {file}")


def read(file: Path | None = None, environment: Mapping[str, str] = os.environ, servers: str | None = None) -> Settings:
    """The settings in force. A file that is named has to be there; `catwalk.toml` in the working folder may be.

    `servers`: named on the command line, above all else.
    """
    named = file or (Path(environment[VARIABLE]) if environment.get(VARIABLE) else None)
    written = _written(named) if named is not None or Path(FILE).exists() else {}
    place = str(named or FILE)
    stated = _checked(written, place, strict=True)
    for field in msgspec.structs.fields(Settings):
        variable = PREFIX + field.name.upper()
        if environment.get(variable):
            stated |= _checked({field.name: environment[variable]}, variable, strict=False)
    if servers is not None:
        stated |= _checked({"servers": servers}, "the address", strict=True)
    try:
        return Settings(**stated)  # type: ignore[arg-type]
    except ValueError as error:
        raise Mistaken(f"settings: {error}") from None


def _written(named: Path | None) -> dict[str, object]:
    file = named or Path(FILE)
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise Mistaken(f"{file}: cannot be read as settings ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Mistaken(f"{file}: is no TOML ({error})") from None


def _checked(stated: dict[str, object], place: str, *, strict: bool) -> dict[str, object]:
    """Each setting by itself, so that what is said names the one that is wrong."""
    kinds = {field.name: field.type for field in msgspec.structs.fields(Settings)}
    checked: dict[str, object] = {}
    for name, value in stated.items():
        if name not in kinds:
            raise Mistaken(f"{place}: there is no setting `{name}`; there are {', '.join(sorted(kinds))}")
        try:
            checked[name] = msgspec.convert(value, kinds[name], strict=strict)
        except msgspec.ValidationError as error:
            raise Mistaken(f"{place}: `{name}` cannot be {_shown(name, value)}: {error}") from None
    return checked


def _shown(name: str, value: object) -> str:
    return "what is written there" if "password" in name else repr(value)
