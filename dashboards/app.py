"""The frame of the pages: what they are and how they look. Streamlit runs this file; the pages are modules beside it."""

import streamlit as st
from PIL import Image, ImageDraw

from dashboards import audit, decks, desk, findings, floor, hand, health, rulebook


def _diamond() -> Image.Image:
    """The icon, drawn here: without one the browser would ask the internet for Streamlit's."""
    icon = Image.new("RGBA", (32, 32))
    ImageDraw.Draw(icon).polygon([(16, 1), (27, 16), (16, 31), (5, 16)], fill=(201, 162, 39, 255))
    return icon


st.set_page_config(page_title="Catwalk", page_icon=_diamond(), layout="wide")
# A wall has no room to give away: Streamlit's own margins are those of a letter. Where the window is a wall, all of it grows.
# What was chosen in a filter is no alarm, so it is as grey as the rest. What looks again every other second does not fade
# meanwhile: a wall that flickers is looked at for nothing.
st.html(
    "<style>.stMainBlockContainer { padding: 4.3rem 2.2rem 2rem; }"
    "[data-testid=stMainBlockContainer] h1 { font-size: 2rem; padding: 0.4rem 0 0.2rem; }"
    "[data-testid=stMainBlockContainer] h3 { font-size: 1.35rem; padding: 0.6rem 0 0.2rem; }"
    "[data-testid=stMetricValue] { font-size: 1.6rem; }"
    "[data-testid=stMultiSelectTagsContainer] [data-tag] { background-color: #34403a !important; color: #e8ebe6 !important; }"
    "[data-testid=stMainBlockContainer] [data-stale=true] { opacity: 1 !important; }"
    ".st-key-open-red [data-testid=stMetricValue] { color: #ff6b5e; }"
    ".st-key-open-orange [data-testid=stMetricValue] { color: #f0a63a; }"
    "@media (min-width: 2200px) { html:root { font-size: 20px; } [data-testid=stMetricValue] { font-size: 2rem; } }</style>"
)
desk.PAGES.update(
    floor=st.Page(floor.page, title="Floor", icon=":material/grid_view:", url_path="floor", default=True),
    findings=st.Page(findings.page, title="Findings", icon=":material/flag:", url_path="findings"),
    hand=st.Page(hand.page, title="Hand", icon=":material/playing_cards:", url_path="hand"),
    audit=st.Page(audit.page, title="Audit", icon=":material/query_stats:", url_path="audit"),
    decks=st.Page(decks.page, title="Decks", icon=":material/stacks:", url_path="decks"),
    rulebook=st.Page(rulebook.page, title="Rulebook", icon=":material/menu_book:", url_path="rulebook"),
    health=st.Page(health.page, title="Health", icon=":material/monitor_heart:", url_path="health"),
)
st.navigation(list(desk.PAGES.values()), position="top").run()
