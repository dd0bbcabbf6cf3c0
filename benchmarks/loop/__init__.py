"""What a user would write instead: a plain loop over rounds that settles every wager with a hand library and checks the payouts.

Nothing here comes from `rules` but the odds as printed. It checks payouts and nothing else, takes every round for whole and every
card for read, and believes every event.
"""
