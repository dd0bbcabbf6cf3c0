"""Spanish 21 as it is played: six or eight packs in a shoe, one to three people on a box, hands that are split and doubled."""

from typing import Final

from ingest.floor.felt import Play
from ingest.floor.settling import far_right_first
from ingest.floor.spanish_21 import dealing, faults, irregular, owing, settling
from ingest.floor.spanish_21.opening import opening
from rules.spanish_21 import GAME

PLAY: Final = Play(
    GAME,
    opening,
    dealing.plan,
    owing.owed,
    succession=lambda bets, _: far_right_first(bets),
    ranked=lambda _: (),
    ways=faults.WAYS,
    weights=faults.WEIGHTS,
    voided=irregular.voided,
    misread=owing.misread,
    at_once=settling.at_once,
)
