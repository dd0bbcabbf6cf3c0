"""The two things that Streamlit cannot draw itself: the felt of a round, and the tiles of the floor.

Inline components without a build step. What they show comes as data and is put in as text; no markup is made of it.
"""

from collections.abc import Callable, Mapping
from importlib.resources import files

import streamlit as st

Picked = Mapping[str, str] | None


def _part(name: str) -> str:
    return (files("dashboards") / name).read_text("utf-8")


def _registered(name: str, root: str) -> Callable[..., object]:
    """Each run of a page declares what it mounts, as Streamlit asks; the same declaration again changes nothing."""
    return st.components.v2.component(
        f"catwalk_{name}", html=f'<div class="{root}"></div>', css=_part(f"{name}.css"), js=_part(f"{name}.js")
    )


def felt(data: Mapping[str, object], key: str) -> None:
    _registered("felt", "felt-root")(key=key, data=data)


def tiles(data: Mapping[str, object]) -> Picked:
    """What was clicked, if something was: a table or a finding."""
    shown = _registered("tiles", "floor")(key="tiles", data=data, on_picked_change=lambda: None)
    picked: Picked = getattr(shown, "picked", None)
    return picked
