"""The worked examples of the rulebook."""

from tests.delphi.scenario import (
    Scene,
    actions,
    after,
    beside,
    board,
    distances,
    kind,
    legal,
    neighbours,
    pending,
    phase,
    place,
    places,
    play,
    player,
    text,
    zeus,
)


def test_example_green_to_black_costs_two():
    """The oracle: from green over red to black."""
    state = Scene().favor(2).dice("green").state()
    assert player(after(state, "die:green>red advance"))["favor"] == 1
    assert player(after(state, "die:green>black advance"))["favor"] == 0
    assert legal(state, "die:green>pink") == set()


def test_example_fight_with_shield_2():
    """A 5 loses against strength 7; one favor more, and a 7 beats the 6 that is needed then."""
    scene = Scene().shield(2).favor(1).dice("red")
    island = scene.island("monsters", "red")
    state = play(scene.ship(beside(island)).state(), f"die:red fight {text(island)}")
    assert pending(state)["strength"] == 7
    play(state, "battle 5", "fight on")
    assert (player(state)["favor"], pending(state)["strength"]) == (0, 6)
    play(state, "battle 7")
    assert phase(state) == "equip"
    assert player(state)["done"]["monster"] == ["red"]


def test_example_six_injuries_discard_any_three():
    state = Scene().at(2, phase="start").injuries("red", "red", "black", "pink", "pink", "green").state()
    play(state, "recover black pink green")
    assert player(state)["injuries"] == ["red", "red", "pink"]
    assert state.to_json()["turn"] == 1


def test_example_black_die_left_and_the_blue_card_must_wait():
    """Two dice and a green card are used: the black die is still to be used, the blue card is not."""
    state = Scene().dice("red", "red", "black").cards("blue", "green").state()
    play(state, "die:red favor", "die:red favor", "card:green favor")
    assert "end" not in legal(state)
    assert legal(state, "card:") == set()
    assert {move.split(" ")[0].split(">")[0] for move in legal(state)} == {"die:black"}


def test_example_poseidon_acts_in_addition_to_the_dice():
    state = Scene().top("poseidon").dice().cards("red").state()
    assert {move.split(" ")[0] for move in legal(state)} == {"god:poseidon", "card:red", "end"}


def test_example_follow_red_or_green_not_both():
    scene = Scene().dice().injuries("blue", seat=1).gods(seat=1, aphrodite=4, artemis=3)
    state = play(scene.state(), "end", "roll red red green")
    assert legal(state) == {"step aphrodite", "step artemis", "no step"}


def test_example_load_then_make_an_offering_from_the_same_space():
    """An offering island and a temple beside the same space: two actions of the temple's color, no sailing."""
    temple, island = next(
        (temple, island)
        for spot in places("water")
        for temple in neighbours(spot)
        for island in neighbours(spot)
        if kind(temple) == "temple_island" and kind(island) == "offering_island"
    )
    color = board()[temple]["color"]
    scene = Scene().put("offerings", island, color).ship(beside(temple, island)).dice(color, color)
    state = play(
        scene.state(), f"die:{color} load offering {text(island)}", f"die:{color} deliver {text(temple)}"
    )
    assert player(state)["done"]["offering"] == [color]
    assert player(state)["favor"] == 3
    assert player(state)["cargo"]["offerings"] == []


def test_example_load_sail_and_raise_a_statue():
    """A red statue from its city, a yellow space, and a red site beside it: three actions."""
    city = place("city", color="red")
    start = beside(city)
    sites = [hex for hex in places("statue_island") if "red" in board()[hex]["sites"]]
    site, stop = next((s, w) for s in sites for w in places("water", color="yellow") if s in neighbours(w))
    beyond = max(0, distances(start)[stop] - 3)
    state = Scene().ship(start).dice("red", "red", "yellow").favor(beyond).state()
    play(state, f"die:red load statue {text(city)}", f"die:yellow sail {text(stop)}")
    assert player(state)["favor"] == 0
    play(state, f"die:red raise {text(site)}", "companion creature")
    assert player(state)["done"]["statue"] == ["red"]


def test_example_of_a_first_turn():
    """Black, pink and green dice: three spaces to green, pink as blue for an offering, black for the black god."""
    island, tile = (-1, 6), (-2, 7)
    assert (kind(island), board()[tile]["kind"], board()[tile]["color"]) == (
        "offering_island",
        "island_tile",
        "red",
    )
    scene = Scene().put("offerings", island, "blue").dice("black", "pink", "green").favor(4)
    assert distances(zeus())[(-2, 6)] == 3
    state = play(scene.state(), "die:green sail -2,6")
    assert player(state)["favor"] == 4
    # From pink 1 to blue; 3 more to red would explore the island on the other side.
    explored = after(state, "die:pink>red explore -2,7")
    assert player(explored)["favor"] == 0
    play(state, "die:pink>blue load offering -1,6")
    assert (player(state)["favor"], player(state)["cargo"]["offerings"]) == (3, ["blue"])
    play(state, "die:black advance")
    assert player(state)["gods"]["ares"] == 3
    assert actions(state) == {"end"}
    play(state, "end", "roll red blue blue")
    assert player(state)["dice"] == ["red", "blue", "blue"]
    assert state.to_act == 1
