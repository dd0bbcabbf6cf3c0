"""The Streamlit pages and every question they ask of the store."""
