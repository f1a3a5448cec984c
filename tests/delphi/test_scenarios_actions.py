"""What a die does on the board: sailing, fights, islands, cargo, rewards (R7, R15 to R22, R35)."""

import pytest

from tests.delphi.scenario import (
    COLORS,
    GOD_COLORS,
    GODS,
    Scene,
    actions,
    after,
    beside,
    board,
    far_from,
    legal,
    neighbours,
    odds,
    pending,
    phase,
    place,
    places,
    play,
    player,
    quiet_spot,
    sails,
    text,
    two_away,
    waiting,
    zeus,
)

FREE = ("draw", "favor", "advance")


def plain(source):
    """The actions open to any die with all gods below the top row and no injuries."""
    return {f"{source} {action}" for action in FREE}


# -- sailing (R15)


def test_r15_the_exact_spaces_from_zeus():
    """By hand on the board: three spaces over water, no island, no shallow, not back to Zeus."""
    state = Scene().dice("green").state()
    assert legal(state, "die:green sail") == {"die:green sail -2,4", "die:green sail -2,6"}
    state = Scene().dice("red").state()
    expected = {"die:red sail 0,2", "die:red sail -3,4", "die:red sail 1,4", "die:red sail 1,0"}
    assert legal(state, "die:red sail") == expected


@pytest.mark.parametrize("favor", [0, 1, 2, 5])
@pytest.mark.parametrize("color", COLORS)
def test_r15_one_favor_for_each_space_more(color, favor):
    state = Scene().dice(color).favor(favor).state()
    for spaces in range(1, 4 + favor):
        source = f"die:{color}"
        for move in sails(source, zeus(), spaces, color) - sails(source, zeus(), spaces - 1, color):
            assert player(after(state, move))["favor"] == favor - max(0, spaces - 3)
    assert legal(state, f"die:{color} sail") == sails(f"die:{color}", zeus(), 3 + favor, color)


def test_r15_recoloring_and_range_share_the_favor():
    state = Scene().dice("red").favor(3).state()
    for steps, color in enumerate(("black", "pink", "blue"), start=1):
        source = f"die:red>{color}"
        assert legal(state, f"{source} sail") == sails(source, zeus(), 6 - steps, color)
    assert legal(state, "die:red>yellow") == set()


def test_r15_never_to_where_it_began():
    start = place("water", color="blue")
    state = Scene().ship(start).dice("blue").favor(20).state()
    destinations = legal(state, "die:blue sail")
    assert len(destinations) == 11
    assert f"die:blue sail {text(start)}" not in destinations


def test_r15_r16_no_sail_to_zeus_with_tasks_left():
    state = Scene().ship(beside(zeus())).dice("red").favor(5).state()
    assert not any(move.endswith(f"sail {text(zeus())}") for move in legal(state))


def test_ships_may_share_a_space():
    there = beside(zeus(), color="red")
    state = Scene().ship(there, seat=1).dice("red").state()
    play(state, f"die:red sail {text(there)}")
    assert player(state)["ship"] == player(state, 1)["ship"]


# -- reach (R17)


def test_r17_adjacent_is_a_shared_edge():
    island = Scene().island("monsters", "red")
    near = Scene().ship(beside(island)).dice("red").state()
    assert f"die:red fight {text(island)}" in legal(near)
    for hex in places("water"):
        if island not in neighbours(hex):
            assert f"die:red fight {text(island)}" not in legal(Scene().ship(hex).dice("red").state())


# -- fights (R18)


def fight(color="red", **edits):
    scene = Scene()
    island = scene.island("monsters", color)
    scene.ship(beside(island)).dice(color)
    for name, value in edits.items():
        getattr(scene, name)(value)
    return scene, f"die:{color} fight {text(island)}"


@pytest.mark.parametrize("shield", range(6))
def test_r18_strength_is_nine_less_the_shield(shield):
    scene, move = fight(shield=shield)
    state = play(scene.state(), move)
    assert pending(state)["strength"] == 9 - shield
    assert odds(state) == pytest.approx({f"battle {n}": 0.1 for n in range(10)})
    assert phase(after(state, f"battle {9 - shield}")) == "equip"
    assert phase(after(state, f"battle {8 - shield}")) == "act"  # no favor: given up


def test_r18_each_round_costs_a_favor_and_lowers_the_strength():
    scene, move = fight(favor=2, shield=1)
    state = play(scene.state(), move, "battle 7")
    assert legal(state) == {"fight on", "give up"}
    assert pending(state)["strength"] == 8
    play(state, "fight on")
    assert (phase(state), pending(state)["strength"], player(state)["favor"]) == ("battle", 7, 1)
    play(state, "battle 6", "fight on")
    assert (pending(state)["strength"], player(state)["favor"]) == (6, 0)
    play(state, "battle 5")
    assert phase(state) == "act"  # nothing left to pay with


def test_r18_giving_up_costs_nothing_and_the_next_fight_starts_anew():
    scene, move = fight(favor=4)
    scene.dice("red", "red")
    state = play(scene.state(), move, "battle 1", "fight on", "battle 2", "give up")
    assert player(state)["favor"] == 3
    assert player(state)["injuries"] == []
    play(state, move)
    assert pending(state)["strength"] == 9


def test_r18_a_lost_round_with_a_zero_costs_an_injury_before_going_on():
    scene, move = fight(favor=1)
    state = play(scene.state(), move, "battle 0")
    assert waiting(state) == ["injury 0", "fight 0"]
    play(state, "injury blue")
    assert player(state)["injuries"] == ["blue"]
    assert legal(state) == {"fight on", "give up"}


def test_r18_a_zero_without_favor_hurts_and_ends_the_fight():
    scene, move = fight()
    state = play(scene.state(), move, "battle 0", "injury green")
    assert (phase(state), player(state)["injuries"]) == ("act", ["green"])


def test_r18_at_strength_zero_even_a_zero_wins():
    scene, move = fight(favor=4, shield=5)
    state = play(scene.state(), move)
    for strength in (4, 3, 2, 1):
        assert pending(state)["strength"] == strength
        play(state, "battle 0", f"injury {COLORS[strength]}", "fight on")
    assert pending(state)["strength"] == 0
    play(state, "battle 0")
    assert phase(state) == "equip"
    assert len(player(state)["injuries"]) == 4


def test_r18_any_needed_monster_of_the_island_but_no_other():
    scene = Scene(players=4)
    island = next(h for h in places("monster_island") if len(scene.colors_on("monsters", h)) == 3)
    colors = scene.colors_on("monsters", island)
    state = scene.ship(beside(island)).dice("green").favor(5).state()
    fights = {
        move.split(" ")[0].rpartition(">")[2].rpartition(":")[2]
        for move in legal(state)
        if text(island) in move
    }
    assert fights == set(colors)  # the white task takes every color


def test_r18_r7_only_monsters_that_complete_a_task():
    scene = Scene().defeated("pink")  # the white task is done
    for color in COLORS:
        island = next((h for h in places("monster_island") if color in scene.colors_on("monsters", h)), None)
        state = scene.ship(beside(island)).dice(color).state()
        assert bool(legal(state, f"die:{color} fight")) == (color in ("red", "black"))


def test_r7_a_color_that_a_colored_tile_shows_counts_for_that_tile():
    """The colored task is used up first, so the white one never repeats its color."""
    scene, move = fight("red")
    state = play(scene.state(), move, "battle 9")
    assert player(state)["tasks"]["monster"] == ["any", "black"]
    assert player(state)["done"]["monster"] == ["red"]
    scene, move = fight("blue")
    state = play(scene.state(), move, "battle 9")
    assert player(state)["tasks"]["monster"] == ["red", "black"]


def test_r7_a_color_done_is_not_done_again():
    scene = Scene().defeated("red")
    state = scene.ship(beside(scene.island("monsters", "red"))).dice("red").state()
    assert legal(state, "die:red fight") == set()


def test_r35_a_returned_colored_tile_no_longer_blocks_any():
    scene = Scene().ship_tile("eleven_tasks")
    tasks = scene.players[0]["tasks"]
    tasks["shrine"] = 3
    tasks["monster"] = ["any", "black"]  # red went back
    island = scene.island("monsters", "red")
    state = play(scene.ship(beside(island)).dice("red").state(), f"die:red fight {text(island)}", "battle 9")
    assert player(state)["tasks"]["monster"] == ["black"]
    assert player(state)["done"]["monster"] == ["red"]


def test_r35_a_returned_white_tile_leaves_the_colored_ones():
    scene = Scene().ship_tile("eleven_tasks")
    scene.players[0]["tasks"].update(shrine=3, offering=["blue", "yellow"])
    for color in COLORS:
        state = scene.ship(beside(scene.island("offerings", color))).dice(color).state()
        assert bool(legal(state, f"die:{color} load offering")) == (color in ("blue", "yellow"))


def test_r21_a_monster_brings_a_card_of_the_display_which_is_refilled_at_once():
    scene, move = fight("red")
    state = play(scene.display("range_plus_1").state(), move, "battle 9")
    display = state.to_json()["equipment_display"]
    assert legal(state) == {f"equip {card}" for card in display}
    assert len(display) == 6
    play(state, "equip range_plus_1")
    assert (phase(state), len(state.to_json()["equipment_display"])) == ("equipment", 5)
    pile = state.to_json()["equipment_pile"]
    assert odds(state) == pytest.approx({f"equipment {card}": 1 / len(pile) for card in pile})
    play(state, f"equipment {pile[0]}")
    assert pile[0] in state.to_json()["equipment_display"]
    assert "range_plus_1" in player(state)["equipment"]
    assert phase(state) == "act"


# -- islands (R19)

TILE, SPOT = quiet_spot("island_tile")
TILE_COLOR = board()[TILE]["color"]
EXPLORE = f"die:{TILE_COLOR} explore {text(TILE)}"


def island(color, letter, **edits):
    return Scene(**edits).tile(TILE, color, letter).ship(SPOT).dice(TILE_COLOR)


def test_r19_the_die_matches_the_hexagon_of_the_space():
    state = island("red", "phi").dice(*[c for c in COLORS if c != TILE_COLOR][:3]).state()
    assert not [move for move in legal(state) if " explore " in move]
    assert legal(island("red", "phi").state(), f"die:{TILE_COLOR} explore") == {EXPLORE}


@pytest.mark.parametrize("letter", ["phi", "psi", "omega"])
def test_r19_own_color_builds_a_shrine_whatever_the_letter(letter):
    scene = island("red", letter).injuries("blue").knows(TILE).knows(TILE, seat=1)
    state = play(scene.state(), EXPLORE)
    assert waiting(state) == ["step 0"]
    assert legal(state) == {f"step {god}" for god in GODS}
    play(state, "step ares")
    now = player(state)
    assert (now["tasks"]["shrine"], now["done"]["shrine"], now["gods"]["ares"]) == (2, 1, 3)
    assert (now["favor"], now["shield"], now["injuries"], now["oracle_cards"]) == (0, 0, ["blue"], [])
    tile = next(t for t in state.to_json()["island_tiles"] if (t["q"], t["r"]) == TILE)
    assert (tile["face_up"], tile["shrine"]) == (True, True)
    assert player(state)["knows"] == player(state, 1)["knows"] == []


def test_r19_letter_psi_gives_4_favor():
    state = play(island("green", "psi").state(), EXPLORE)
    assert (player(state)["favor"], phase(state)) == (4, "act")


def test_r19_letter_phi_gives_2_oracle_cards():
    state = play(island("green", "phi").state(), EXPLORE)
    assert waiting(state) == ["oracle 0", "oracle 0"]
    play(state, "oracle red", "oracle green")
    assert player(state)["oracle_cards"] == ["red", "green"]


def test_r19_letter_sigma_gives_3_steps_freely_split():
    state = play(island("yellow", "sigma").gods(ares=5).state(), EXPLORE)
    assert pending(state)["n"] == 3
    play(state, "step ares")
    assert pending(state)["n"] == 2
    assert legal(state) == {f"step {god}" for god in GODS if god != "ares"}  # on top now
    play(state, "step hermes", "step hermes")
    assert (player(state)["gods"]["ares"], player(state)["gods"]["hermes"]) == (6, 4)
    assert phase(state) == "act"


def test_r19_r31_letter_omega_heals_one_color_then_the_shield():
    scene = island("yellow", "omega").injuries("red", "red", "blue").shield(4)
    state = play(scene.state(), EXPLORE)
    assert waiting(state) == ["heal 0", "shield 0"]
    assert legal(state) == {"heal red", "heal blue"}
    assert player(state)["shield"] == 4
    play(state, "heal red")
    assert (player(state)["injuries"], player(state)["shield"]) == (["blue"], 5)
    assert state.to_json()["injury_discard"] == ["red", "red"]


def test_r19_letter_omega_without_injuries_skips_the_choice():
    state = play(island("yellow", "omega").shield(5).state(), EXPLORE)
    assert (player(state)["shield"], phase(state)) == (5, "act")  # R24: never above 5


def test_r19_own_color_without_a_shrine_task_left_gives_the_letter():
    scene = island("red", "psi")
    others = [t for t in scene.json["island_tiles"] if t["color"] == "red" and t["letter"] != "psi"]
    for other in others:
        scene.tile((other["q"], other["r"]), face_up=True, shrine=True)
    scene.players[0]["tasks"]["shrine"] = 0
    scene.json["options"]["removed_tasks"] = 2
    for each in scene.players:
        each["tasks"]["statue"] = 2
    scene.players[1]["tasks"]["shrine"] = 2
    state = play(scene.state(), EXPLORE)
    assert (player(state)["favor"], player(state)["done"]["shrine"], phase(state)) == (4, 2, "act")


def test_r19_a_color_nobody_plays_gives_its_letter():
    assert player(play(island("blue", "omega").state(), EXPLORE))["shield"] == 1


def test_r19_build_on_a_face_up_tile_of_ones_own_color():
    scene = island("red", "omega").face_up(TILE)
    state = scene.state()
    build = f"die:{TILE_COLOR} build {text(TILE)}"
    assert actions(state) == plain(f"die:{TILE_COLOR}") | {build}
    play(state, build, "step apollon")
    assert (player(state)["done"]["shrine"], player(state)["gods"]["apollon"], phase(state)) == (1, 3, "act")


def test_r19_no_building_on_others_tiles_or_twice():
    other = island("yellow", "omega").face_up(TILE).state()
    assert actions(other) == plain(f"die:{TILE_COLOR}")
    built = island("red", "omega").tile(TILE, face_up=True, shrine=True).state()
    assert actions(built) == plain(f"die:{TILE_COLOR}")


# -- cargo (R20)


def test_r20_load_and_deliver_an_offering():
    scene = Scene()
    source, temple = scene.island("offerings", "blue"), place("temple_island", color="blue")
    state = scene.ship(beside(source)).dice("blue", "blue").state()
    play(state, f"die:blue load offering {text(source)}")
    assert player(state)["cargo"] == {"offerings": ["blue"], "statues": []}
    aboard = Scene().aboard(offerings=["blue"]).ship(beside(temple)).dice("blue").state()
    assert actions(aboard, "die:blue deliver") == {f"die:blue deliver {text(temple)}"}
    play(aboard, f"die:blue deliver {text(temple)}")
    now = player(aboard)
    assert (now["favor"], now["cargo"]["offerings"]) == (3, [])
    assert (now["tasks"]["offering"], now["done"]["offering"]) == (["any", "yellow"], ["blue"])


def test_r20_only_the_temple_of_the_color():
    for color in COLORS:
        temple = place("temple_island", color=color)
        state = Scene().aboard(offerings=["blue"]).ship(beside(temple)).dice(color).state()
        assert bool(legal(state, f"die:{color} deliver")) == (color == "blue")


def loads(scene, color):
    island = scene.island("offerings", color)
    return bool(legal(scene.ship(beside(island)).dice(color).state(), f"die:{color} load offering"))


def test_r20_r7_an_offering_must_fit_with_those_aboard():
    assert all(loads(Scene(), color) for color in COLORS)
    # Red aboard fills the white task: only the colored ones are left.
    fits = {color for color in COLORS if loads(Scene().aboard(offerings=["red"]), color)}
    assert fits == {"blue", "yellow"}
    # Blue aboard fills the blue one.
    fits = {color for color in COLORS if loads(Scene().aboard(offerings=["blue"]), color)}
    assert fits == {"red", "black", "pink", "yellow", "green"}
    # The white task done as pink, the blue one done.
    fits = {color for color in COLORS if loads(Scene(players=3).delivered("pink", "blue"), color)}
    assert fits == {"yellow"}


def test_r20_storage_must_have_room():
    assert not loads(Scene().aboard(statues=["red", "pink"]), "blue")
    assert not loads(Scene().aboard(offerings=["yellow"], statues=["red"]), "blue")
    assert loads(Scene().aboard(statues=["red"]), "blue")


def statue_loads(scene):
    found = set()
    for color in COLORS:
        city = place("city", color=color)
        found |= {
            color for _ in legal(scene.ship(beside(city)).dice(color).state(), f"die:{color} load statue")
        }
    return found


def test_r20_a_statue_of_a_color_not_raised_and_not_aboard():
    assert statue_loads(Scene()) == set(COLORS)
    assert statue_loads(Scene().aboard(statues=["red"])) == set(COLORS) - {"red"}
    assert statue_loads(Scene().companion("hero", "blue")) == set(COLORS) - {"blue"}


def test_r20_no_more_statues_aboard_than_open_statue_tasks():
    two_raised = Scene().companion("hero", "blue").companion("hero", "red")
    assert statue_loads(two_raised) == {"black", "pink", "yellow", "green"}
    assert statue_loads(two_raised.aboard(statues=["pink"])) == set()


def test_r20_an_empty_city_has_none():
    scene = Scene(players=4).companion("hero", "red", seat=1).companion("demigod", "red", seat=2)
    scene.aboard(statues=["red"], seat=3)
    assert statue_loads(scene) == set(COLORS) - {"red"}


def test_r20_raise_on_a_free_site_of_the_color():
    sites = [hex for hex in places("statue_island") if "pink" in board()[hex]["sites"]]
    for hex in places("statue_island"):
        state = Scene().aboard(statues=["pink"]).ship(beside(hex)).dice("pink").state()
        expected = {f"die:pink raise {text(hex)}"} if hex in sites else set()
        assert legal(state, "die:pink raise") == expected
    taken = Scene().companion("hero", "pink", seat=1)  # stands on the last of them
    state = taken.aboard(statues=["pink"]).ship(beside(sites[-1])).dice("pink").state()
    assert legal(state, "die:pink raise") == set()


def test_r21_a_statue_brings_a_companion_of_its_color_still_there():
    scene = Scene(players=3).companion("hero", "pink", seat=1).companion("creature", "pink", seat=2)
    hex = next(hex for hex in places("statue_island") if "pink" in board()[hex]["sites"])
    state = play(
        scene.aboard(statues=["pink"]).ship(beside(hex)).dice("pink").state(), f"die:pink raise {text(hex)}"
    )
    assert (phase(state), pending(state)["color"]) == ("companion", "pink")
    assert legal(state) == {"companion demigod"}  # R39: the only one is still asked
    play(state, "companion demigod")
    assert player(state)["companions"] == [{"kind": "demigod", "color": "pink"}]
    assert (player(state)["tasks"]["statue"], player(state)["done"]["statue"]) == (2, ["pink"])
    assert phase(state) == "oracle"


# -- injuries and gods


def test_heal_discards_all_injuries_of_the_color():
    state = Scene().ship(far_from("city")).injuries("red", "red", "blue").dice("red", "pink").state()
    assert actions(state) == plain("die:red") | plain("die:pink") | {"die:red heal"}
    play(state, "die:red heal")
    assert player(state)["injuries"] == ["blue"]
    assert state.to_json()["injury_discard"] == ["red", "red"]


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("god", GODS)
def test_r22_the_first_step_leads_to_the_player_count_row(players, god):
    color = GOD_COLORS[god]
    state = Scene(players).dice(color, color).state()
    play(state, f"die:{color} advance")
    assert player(state)["gods"] == {each: {2: 3, 3: 2, 4: 1}[players] * (each == god) for each in GODS}
    play(state, f"die:{color} advance")
    assert player(state)["gods"][god] == {2: 4, 3: 3, 4: 2}[players]


def test_r22_a_god_on_top_cannot_advance():
    state = Scene().top("ares").dice("black").state()
    assert legal(state, "die:black advance") == set()


def test_r22_a_step_with_every_god_on_top_is_lost():
    state = play(island("yellow", "sigma").top(*GODS).state(), EXPLORE)
    assert phase(state) == "act"
    state = play(island("yellow", "sigma").top(*GODS).gods(ares=5).state(), EXPLORE, "step ares")
    assert phase(state) == "act"  # two of three steps lost


# -- looking (R27)


def test_r27_looking_is_private_but_seen_by_all():
    first, second = places("island_tile")[:2]
    state = play(Scene().dice("red").state(), f"die:red look {text(first)} {text(second)}")
    known = player(state)["knows"]
    assert [(tile["q"], tile["r"]) for tile in known] == [first, second]
    other = state.observation(1)
    assert other["players"][0]["knows"] == [{"q": q, "r": r} for q, r in (first, second)]
    hidden = [tile for tile in other["island_tiles"] if "color" not in tile]
    assert len(hidden) == 12
    mine = [tile for tile in state.observation(0)["island_tiles"] if "color" in tile]
    assert [(tile["q"], tile["r"]) for tile in mine] == [first, second]


def test_r27_only_tiles_the_looker_does_not_know_in_pairs_or_the_last_one():
    tiles = places("island_tile")
    scene = Scene().dice("red").face_up(*tiles[:4])
    state = scene.knows(*tiles[4:9]).state()
    a, b, c = (text(hex) for hex in tiles[9:])
    assert legal(state, "die:red look") == {
        f"die:red look {a} {b}",
        f"die:red look {a} {c}",
        f"die:red look {b} {c}",
    }
    assert legal(scene.knows(*tiles[4:11]).state(), "die:red look") == {f"die:red look {c}"}
    assert legal(scene.knows(*tiles[4:]).state(), "die:red look") == set()
    # What the other seat knows does not matter.
    assert len(legal(scene.knows().knows(*tiles[4:], seat=1).state(), "die:red look")) == 28


def test_two_away_is_out_of_reach_without_a_card():
    """R17: the places that the reach cards of test_scenarios_cards.py open."""
    for kind in (
        "monster_island",
        "city",
        "offering_island",
        "statue_island",
        "temple_island",
        "island_tile",
    ):
        target = place(kind)
        start = two_away(target)
        assert target not in neighbours(start)
        state = Scene().ship(start).dice("red", "black", "pink").favor(5).state()
        assert not any(text(target) in move.split(" ") and " look " not in move for move in legal(state))
