"""A bot plays its turn in a game that you keep: you roll the dice, and say what they show."""

from pythia.clients import Client
from pythia.core_cy import CHANCE, Random, load_game

table, dice = load_game("delphi", players=2, seed=7).new_state(), Random(7)
while table.to_act == CHANCE:
    table.apply(table.sample_chance(dice))
seat, number = table.to_act, table.turn_number

with Client.local() as client, client.play_turn(table.observation(seat), "ismcts:level=3") as turn:
    for step in turn:
        print(step.move or "", "needs", step.need)
        if step.move:
            table.apply(step.move)
        if step.need == "outcome":
            table.apply(outcome := str(table.sample_chance(dice)))
            turn.report(outcome)
        elif step.need == "observation":
            while table.turn_number == number and table.to_act not in (seat, CHANCE):
                table.apply(table.random_move(dice))  # somebody else decides in between
            turn.show(table.observation(seat))
