"""Rounds written by hand, of games that split boxes, share boards, and burn cards."""

HOLDEM = """
T7 #1 2026-01-31 12:00:00: table opened for heads-up-holdem, edition 13:69F-39, dealt by hand, shuffler automated, \
decks 1, seats 6, wagers 5.00 to 500.00, pay tables odds=1 trips_plus=1
dealer d-1 assigned
deck red-1 received, back red
seat 2 taken by p-2
seat 5 taken by p-5
deck red-1 shuffled automated
round 1 started with deck red-1
seat 2 bet 10.00 on ante
seat 2 bet 10.00 on odds
seat 5 bet 10.00 on ante
seat 5 bet 10.00 on odds
seat 5 bet 5.00 on trips_plus
no more bets
burn dealt 2C face down
seat 2 dealt AH face down
seat 5 dealt ?? face down
dealer dealt KD face down
seat 2 dealt AS face down
seat 5 dealt 7D face down
dealer dealt KC face down
community dealt 9C face down
community dealt 9D face down
community dealt 4S face down
community dealt JH face down
community dealt 3C face down
seat 2 chose raise
seat 2 bet 30.00 on raise
seat 5 chose check
flop revealed
seat 5 chose check
river revealed
seat 5 chose fold
dealer revealed
seat 5 ante taken 10.00
seat 2 raise paid 30.00
round 1 ended
"""

SPANISH = """
T9 #1 2026-01-31 12:00:00: table opened for spanish-21, edition 19:47-19, dealt by manual_shoe, shuffler none, \
decks 6, seats 7, wagers 10.00 to 500.00, pay tables match_the_dealer=6
dealer d-1 assigned
deck shoe-1 received, back blue, packs 6
seat 3 taken by p-3
deck shoe-1 shuffled manual
round 1 started with deck shoe-1
seat 3 bet 25.00 on main
seat 3 bet 10.00 on main for p-8
seat 3 bet 15.00 on main for p-9
no more bets
burn dealt 5C face down
seat 3 dealt 8H face up
dealer dealt 6D face up
seat 3 dealt 8S face up
dealer dealt QC face down
seat 3 chose split
seat 3 hand 2 bet 25.00 on main
seat 3 dealt 3H face up
seat 3 hand 2 dealt 8C face up
seat 3 hand 2 chose split
seat 3 hand 3 bet 25.00 on main
seat 3 hand 2 dealt KD face up
seat 3 hand 3 dealt 8D face up
seat 3 hand 3 chose split
seat 3 hand 4 bet 25.00 on main
seat 3 hand 3 dealt 2S face up
seat 3 hand 4 dealt AC face up
seat 3 chose double
seat 3 bet 25.00 on double
seat 3 dealt 9S face up
dealer revealed
seat 3 main paid 25.00
seat 3 main paid 10.00 for p-8
seat 3 main taken 15.00 for p-9
seat 3 double paid 25.00
seat 3 hand 2 main returned 25.00
round 1 ended
"""

DRAW = """
T4 #1 2026-01-31 12:00:00: table opened for three-card-draw-poker, edition 13:69F-42, dealt by hand, shuffler automated, \
decks 1, seats 6, wagers 5.00 to 500.00
round 1 started with deck d
seat 1 bet 5.00 on ante
no more bets
seat 1 dealt QH face down
seat 1 dealt 2H face down
seat 1 dealt 5S face down
8D found face up
seat 1 chose draw
seat 1 bet 5.00 on draw
seat 1 discarded 2H
seat 1 dealt QD face down
KD exposed at dealer
dealer dealt KD face down
KD exposed at dealer
XX found face up
round voided by s-1, reason "a joker in the deck"
round 1 ended
"""

_EVIL = r'<script>window.hacked=1</script>"); alert(1); //'
STYLE = "</style><img src=x onerror=window.hacked=1>"
MARKDOWN = "![x](http://evil.example/x.png) **bold** :red[x] $x$"
NAMES = (_EVIL, STYLE, MARKDOWN)


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# A round of Three Card Poker whose people have names that would do harm if anything read them as more than names.
HOSTILE = f"""
T1 #1 2026-01-31 12:00:00: table opened for three-card-poker, edition 2000, dealt by manual_shoe, shuffler none, \
decks 1, seats 7, wagers 5.00 to 500.00, pay tables pair_plus=1 ante_bonus=1
dealer {quoted(STYLE)} assigned
deck red-1 received, back red
seat 1 taken by {quoted(_EVIL)}
seat 2 taken by {quoted(MARKDOWN)}
deck red-1 shuffled manual
deck red-1 cut, cards 20
round 1 started with deck red-1
seat 1 bet 10.00 on ante
seat 2 bet 10.00 on ante
no more bets
seat 1 dealt AH face down
seat 2 dealt KD face down
dealer dealt 2C face down
seat 1 dealt AS face down
seat 2 dealt 9C face down
dealer dealt 5D face down
seat 1 dealt 7D face down
seat 2 dealt 8S face down
dealer dealt QC face down
seat 1 chose play
seat 1 bet 10.00 on play
seat 2 chose fold
dealer revealed
seat 2 ante taken 10.00
seat 1 ante paid 30.00 for {quoted(_EVIL)}
seat 1 play paid 10.00
round 1 ended
round 2 started with deck red-1
seat 1 bet 10.00 on ante
no more bets
seat 1 dealt AH face down
dealer dealt 2C face down
round voided by {quoted(_EVIL)}, reason {quoted(STYLE + MARKDOWN)}
seat 1 ante returned 10.00
round 2 ended
"""
