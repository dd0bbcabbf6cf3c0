"""`python -m benchmarks.dealing EVENTS [GAME]`: deals the floor if it is not in the cache, and says where it lies."""

import sys
import time

from benchmarks.dealing.floor import WRONGS, dealt


def main() -> None:
    events, *rest = sys.argv[1:]
    game = rest[0] if rest and rest[0] != "all" else None
    wrongs = float(rest[1]) if len(rest) > 1 else WRONGS
    began = time.perf_counter()
    floor = dealt(int(events), game, wrongs)
    took = time.perf_counter() - began
    print(f"{floor.folder}: {floor.events:,} events, {floor.rounds:,} rounds, wrongs {floor.wrongs}, in {took:.1f} s")


main()
