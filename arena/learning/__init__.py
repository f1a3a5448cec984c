"""Learning from self-play: games to positions on disk, positions to weights, and a gate before weights are used.

`samples` plays games and writes what was seen, `fit` finds weights, `gate` lets them play against those of before,
`run` goes from one to the next, generation after generation, and `page` shows it.
"""
