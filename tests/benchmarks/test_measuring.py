"""What is measured is written where it belongs, and leaves the rest of the page alone."""

from pathlib import Path

import pytest

from benchmarks import measuring

PAGE = "# Page\nby hand\n<!-- one: begin -->\nold\n<!-- one: end -->\nmore\n<!-- two: begin -->\n<!-- two: end -->\n"


def test_a_table_replaces_what_stood_between_its_markers(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    for _ in range(2):
        measuring.write("one", measuring.markdown(("what", "rate"), [["ours", "3"]]), page)
    assert page.read_text() == PAGE.replace("old", "| what | rate |\n| --- | ---: |\n| ours | 3 |")


def test_a_page_without_the_markers_is_not_touched(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE)
    with pytest.raises(SystemExit, match="has no markers"):
        measuring.write("three", ["new"], page)
    assert page.read_text() == PAGE


@pytest.mark.parametrize("name", ["casino-year", "long-run", "live"])
def test_the_page_has_a_place_for_every_benchmark(name: str) -> None:
    text = measuring.PAGE.read_text()
    assert text.index(f"<!-- {name}: begin -->") < text.index(f"<!-- {name}: end -->")


def test_a_process_is_watched_to_its_end() -> None:
    run = measuring.watched(["benchmarks.contestant", "ranking-phevaluator", "1000"])
    assert 0 < run.figures["seconds"] < run.seconds
    assert run.peak > 10 * measuring.MIB
    assert run.processor > 0


def test_a_process_that_fails_is_no_result() -> None:
    with pytest.raises(SystemExit, match="ended with 1"):
        measuring.watched(["benchmarks.contestant", "scan", "no-such-file.parquet"])
