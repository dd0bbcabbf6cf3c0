"""The frame of the pages: what they are and how they look. Streamlit runs this file; the pages are modules beside it."""

import streamlit as st
from PIL import Image, ImageDraw

from dashboards import findings


def _diamond() -> Image.Image:
    """The icon, drawn here: without one the browser would ask the internet for Streamlit's."""
    icon = Image.new("RGBA", (32, 32))
    ImageDraw.Draw(icon).polygon([(16, 1), (27, 16), (16, 31), (5, 16)], fill=(201, 162, 39, 255))
    return icon


st.set_page_config(page_title="Catwalk", page_icon=_diamond(), layout="wide")
st.navigation(
    [st.Page(findings.page, title="Findings", icon=":material/flag:", url_path="findings", default=True)]
).run()
