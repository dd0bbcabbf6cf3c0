"""A floor dealt in bulk: events by the hundred million, all four games, honest but for a known number of payouts.

`ingest.floor` deals event by event and uses every freedom that the law leaves; this one deals a gaming day at a time, in arrays,
as plainly as the law allows. What is owed comes from the same decision tables. The files are what sealing leaves behind: one a
gaming day, in it table after table, each in the order of its seq.
"""

from benchmarks.dealing.floor import Floor, dealt, honest_day

__all__ = ["Floor", "dealt", "honest_day"]
