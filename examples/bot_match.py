"""Bots play a match against each other."""

from pythia.clients import Client

with Client.local() as client:  # or Client("127.0.0.1:50051"), a server
    match = client.create_match("delphi", ["ismcts:level=1", "greedy"], seed=7, reproducible=True).match
    while not match.is_over:
        match = client.bot_turn(match.id).match
    print(match.result, "after", match.turn_number, "turns")
