"""Who is at the desk, and what that person may do: the signed-in user where an identity provider is configured, else the
name that was given.

Streamlit's sign-in keeps what the provider said in a cookie for 30 days, checks no expiry and knows no roles. Both are asked
here, every time somebody acts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from dashboards import wording
from dashboards.queries.casework import EVERYTHING

# What may name a person, the best first. The address counts where the provider does not say that it is unproven.
_NAMES: Final = ("email", "preferred_username", "name", "sub")
_GROUPS: Final = ("groups", "roles")


@dataclass(frozen=True, slots=True)
class Person:
    """A name, and whether an identity provider vouches for it now. `also`: what else the same person is called, in the tables'
    events above all. `because`: why nothing may be done."""

    name: str
    verified: bool
    also: frozenset[str] = frozenset()
    may: frozenset[str] = EVERYTHING
    because: str = ""


NOBODY: Final = Person("", False)


def named(name: str) -> Person:
    """Where no identity provider is configured: a name is what somebody typed, and is kept as that."""
    return Person(name, False)


def signed_in(claims: Mapping[str, object], desk: Mapping[str, object], now: datetime) -> Person:
    """The person of whom the provider said these claims; nobody once they have expired, and where they never do.

    `desk` is a table of the settings: `may`, who may do what, by name or group; `badges`, what the tables call whom.
    """
    if not claims.get("is_logged_in"):
        return NOBODY
    expires = claims.get("exp")
    if not isinstance(expires, int | float) or isinstance(expires, bool):
        return Person(
            "", False, because="The identity provider did not say how long its word holds, so it is not taken."
        )
    if expires <= now.timestamp():
        ended = wording.stamp(datetime.fromtimestamp(expires, UTC))
        return Person("", False, because=f"Your sign-in ended at {ended}. Sign in again to act.")
    names = [str(claims[name]) for name in _NAMES if claims.get(name) and (name != "email" or _proven(claims))]
    if not names:
        return Person("", False, because="The identity provider gave no name.")
    badges = _table(desk, "badges")
    also = {*names, *(str(badges[name]) for name in names if name in badges)}
    return Person(names[0], True, frozenset(also), _permitted(names, claims, desk))


def _proven(claims: Mapping[str, object]) -> bool:
    return claims.get("email_verified", True) in (True, "true")


def _permitted(names: Sequence[str], claims: Mapping[str, object], desk: Mapping[str, object]) -> frozenset[str]:
    """Without a table that says who may do what, everybody who is signed in may do all of it."""
    if "may" not in desk:
        return EVERYTHING
    granted = _table(desk, "may")
    # A name that the person chose himself grants nothing.
    own = {name for name in names if name != claims.get("name")}
    groups = {group for claim in _GROUPS for group in _words(claims.get(claim))}
    return frozenset(what for what in EVERYTHING if not (own | groups).isdisjoint(_words(granted.get(what))))


def _table(desk: Mapping[str, object], name: str) -> Mapping[str, object]:
    found = desk.get(name)
    return found if isinstance(found, Mapping) else {}


def _words(found: object) -> set[str]:
    if isinstance(found, str):
        return {found}
    return {str(each) for each in found} if isinstance(found, Sequence) else set()


def providers(auth: Mapping[str, object]) -> list[str | None]:
    """The identity providers that are configured: None is the one that has no name of its own."""
    others = [name for name, value in auth.items() if isinstance(value, Mapping) and "client_id" in value]
    return [*([None] if "client_id" in auth else []), *others]
