"""Every question the pages and the command ask of what was published, each by its name."""

from dashboards.queries.casework import SEVERITIES, found_since, severities
from dashboards.queries.coverage import (
    MONEY,
    Coverage,
    Freshness,
    Snapshot,
    coverage,
    freshness,
    in_dollars,
    reasons_not_derived,
    snapshot,
)

__all__ = [
    "MONEY",
    "SEVERITIES",
    "Coverage",
    "Freshness",
    "Snapshot",
    "coverage",
    "found_since",
    "freshness",
    "in_dollars",
    "reasons_not_derived",
    "severities",
    "snapshot",
]
