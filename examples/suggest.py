"""Ask for a move for what a seat sees."""

from pythia.clients import Client

with Client.local() as client:  # or Client("127.0.0.1:50051"), a server
    made = client.create_match("delphi", [None, "greedy"], seed=7, reproducible=True)
    seen = client.observe(made.id, 0, made.seat_tokens[0]).observation
    answer = client.suggest(seen, "ismcts:level=5")
    print(answer.move, "wins", f"{answer.moves[0].win_probability:.0%}", "; ".join(answer.reasons))
