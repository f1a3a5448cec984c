"""Analyse a position and see what is found while it is found."""

from pythia.clients import Client
from pythia.search.limits import Limit

with Client.local() as client:  # or Client("127.0.0.1:50051"), a server
    made = client.create_match("delphi", [None, "greedy"], seed=7, reproducible=True)
    seen = client.observe(made.id, 0, made.seat_tokens[0]).observation
    for result in client.analyze(seen, limit=Limit(iterations=3000), interval=0.1):
        print(f"{result.iterations:6} {result.moves[0].win_probability:.1%} {result.move}")
