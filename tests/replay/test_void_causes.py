"""A void cites the irregularity that brought it about."""

import polars as pl

from detectors.audit import audit
from replay import facts


def test_a_deal_broken_off_is_void_for_what_broke_it_off(events_of):
    events = events_of(tables=8, rounds=300, seed=17, game="three-card-poker")
    audited = audit(facts.none(), events, final=True)
    turned = (
        events.filter(pl.col("type") == "card_found_face_up").group_by("table", "round").len().filter(pl.col("len") > 1)
    )
    exposed = events.filter((pl.col("type") == "card_exposed") & (pl.col("to") == "dealer"))
    for rounds, clause in ((turned, "19:47-20.12(a)"), (exposed, "19:47-20.12(d)")):
        cited = audited.settlements.join(rounds, on=["table", "round"], how="semi")["clause"]
        assert cited.len() > 0
        assert set(cited) == {clause}
