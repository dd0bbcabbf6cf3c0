"""What people do about findings is in the log, and the store can be thrown away."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from detectors.pipeline import Pipeline
from detectors.published import Reader
from detectors.store import Store
from ingest import cases, floor, wire
from ingest.cases import CaseFact
from ingest.log import Log

ID = "ab" * 16
EVENING = datetime(2026, 1, 5, 9, 45, tzinfo=UTC)
NEXT_DAY = datetime(2026, 1, 5, 13, tzinfo=UTC)


def fact(act: str = "finding_acknowledged", **fields: object) -> CaseFact:
    said: dict[str, object] = {"finding": ID, "acted_at": NEXT_DAY, "who": "ana", "shown": {"code": "PAY01"}}
    return CaseFact(act=act, **(said | fields))  # type: ignore[arg-type]


def followed(folder: Path) -> list[tuple[object, ...]]:
    with Log.open(folder) as log, Store.open(folder, log) as store:
        Pipeline(log, store, patience=0.0).finish()
    with Reader.open(folder) as reader:
        return reader.sql("select act, who, verified, disposition, note from store.cases order by case_position").rows()


def test_a_case_is_read_back_in_the_order_people_acted(tmp_path):
    with Log.open(tmp_path) as log:
        assert cases.read(log).is_empty()
        assert cases.append(log, fact()) == 1
        assert cases.append(log, fact("finding_closed", disposition="no action", note="seen on camera 4")) == 2
        assert cases.read(log)["act"].to_list() == ["finding_acknowledged", "finding_closed"]
        assert cases.read(log, after=1)["note"].to_list() == ["seen on camera 4"]
        assert cases.count(log, through=1) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"who": ""},
        {"who": "x" * 65},
        {"finding": "no id"},
        {"act": "finding_burnt"},
        {"note": "x" * 4001},
        {"act": "finding_closed"},
        {"act": "finding_assigned"},
        {"act": "finding_noted", "note": "  "},
        {"act": "finding_closed", "disposition": "shrug"},
    ],
)
def test_what_is_no_fact_of_a_case_is_refused_and_not_stored(tmp_path, wrong):
    with Log.open(tmp_path) as log:
        with pytest.raises(ValueError, match=r".+"):
            cases.append(log, fact(**wrong))
        assert cases.read(log).is_empty()


def test_cases_are_folded_into_the_store_and_survive_its_deletion(tmp_path):
    with Log.open(tmp_path) as log:
        cases.append(log, fact())
    first = followed(tmp_path)
    with Log.open(tmp_path) as log:
        cases.append(log, fact("finding_noted", note="watch the rerun"))
    both = followed(tmp_path)
    assert (len(first), len(both)) == (1, 2)
    for file in (tmp_path / "store").glob("*.duckdb*"):
        file.unlink()
    assert followed(tmp_path) == both


def test_cases_outlive_the_sealing_of_their_day(tmp_path):
    shifts = floor.simulate(tables=1, rounds=12, seed=2, faults=0.3, start=EVENING)
    with Log.open(tmp_path) as log:
        log.append(wire.decode([line for shift in shifts for line in shift.lines]))
        cases.append(log, fact())
        with Store.open(tmp_path, log) as store:
            live = Pipeline(log, store, patience=0.0)
            live.finish()
            before = store.rows.sql("from current_tallies order by all")
            live.seal_finished_days(NEXT_DAY)
            assert store.rows.sql("from current_tallies order by all").equals(before)
            assert store.rows.sql("select sum(rounds)::bigint from current_tallies").item() == 12
            assert store.rows.sql("from store.rounds").is_empty()
    assert len(followed(tmp_path)) == 1


def test_a_case_the_store_lost_is_noticed_and_read_again(tmp_path):
    with Log.open(tmp_path) as log:
        for _ in range(3):
            cases.append(log, fact())
    followed(tmp_path)
    with Log.open(tmp_path) as log:
        with Store.open(tmp_path, log) as store:
            store.rows.sql("delete from store.cases where case_position = 2")
        with Store.open(tmp_path, log) as store:
            assert "2 of 3 facts of cases" in store.report.sentence
    assert len(followed(tmp_path)) == 3
