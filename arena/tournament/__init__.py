"""Tournaments: many bots, many games on all cores, ratings with error bars, and results that outlive a crash.

`definition` is the file, `entrants` who plays, `schedule` who meets whom, `worker` one game in a process of its own,
`executors` many of them, `store` the results, `runner` all of it together, `summary` what came out.
"""
