"""What holds for all tests."""

from pathlib import Path

import pytest

STREAM = Path(__file__).parent / "stream"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of one broker stay in one process and take the longest: they come first, so that no core waits for them."""
    items.sort(key=lambda item: STREAM not in item.path.parents)
