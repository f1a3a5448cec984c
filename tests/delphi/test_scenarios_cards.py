"""Equipment, all 22 cards but the three of the roll and injury_tolerance, which test_scenarios_turn.py has
(R17, R21, R25 to R27, R31, R33, R34)."""

import pytest

from tests.delphi.scenario import (
    COLORS,
    GODS,
    Scene,
    after,
    beside,
    board,
    distances,
    kind,
    legal,
    neighbours,
    odds,
    pending,
    phase,
    place,
    places,
    play,
    player,
    sails,
    text,
    two_away,
    waiting,
    zeus,
)


def winner_of(card, scene=None):
    """A position in which seat 0 has just taken a card for a red monster, and the display is refilled."""
    scene = (scene or Scene()).display(card)
    hex = scene.island("monsters", "red")
    state = play(scene.ship(beside(hex)).dice("red").state(), f"die:red fight {text(hex)}", "battle 9")
    play(state, f"equip {card}")
    assert phase(state) == "equipment"  # R31: the refill comes before the effect
    return play(state, next(iter(odds(state))))


# -- one more action (R25)


def test_extra_action_is_any_action_for_three_favor_once_a_turn():
    state = Scene().own("extra_action").dice().favor(4).injuries("pink").state()
    expected = {f"extra:{color} advance" for color in COLORS} | {
        "extra:pink heal",
        "extra draw",
        "extra favor",
    }
    expected |= {move for color in COLORS for move in sails(f"extra:{color}", zeus(), 4, color)}
    tiles = [text(hex) for hex in places("island_tile")]
    expected |= {f"extra look {a} {b}" for i, a in enumerate(tiles) for b in tiles[i + 1 :]}
    assert legal(state) == expected | {"end"}
    play(state, "extra:blue advance")
    assert (player(state)["favor"], player(state)["extra_used"], player(state)["gods"]["poseidon"]) == (
        1,
        True,
        3,
    )
    assert legal(state) == {"end"}


def test_extra_action_acts_on_islands_like_a_die():
    city = place("city", color="red")
    state = Scene().own("extra_action").dice().favor(3).ship(beside(city)).state()
    play(state, f"extra:red load statue {text(city)}")
    assert (player(state)["favor"], player(state)["cargo"]["statues"]) == (0, ["red"])


def test_extra_action_needs_three_favor_and_is_back_next_turn():
    scene = Scene().own("extra_action").dice().favor(2)
    assert legal(scene.state(), "extra") == set()
    state = play(scene.favor(3).state(), "extra favor")
    assert player(state)["favor"] == 2
    play(state, "end")
    assert player(state)["extra_used"] is False


def test_r25_the_extra_action_is_no_die_so_no_creature_and_no_demigod():
    scene = Scene().own("extra_action").favor(3).companion("creature", "red").companion("demigod", "blue")
    state = scene.dice().state()
    assert legal(state, "extra:red sail") == sails("extra:red", zeus(), 3, "red")
    assert not [move for move in legal(state, "extra:") if ">" in move]


def test_extra_action_sails_with_the_favor_left():
    state = Scene().own("extra_action").favor(5).dice().state()
    assert legal(state, "extra:black sail") == sails("extra:black", zeus(), 5, "black")
    far = sails("extra:black", zeus(), 5, "black") - sails("extra:black", zeus(), 4, "black")
    assert {player(after(state, move))["favor"] for move in far} == {0}


@pytest.mark.parametrize("color", ["pink", "green", "blue"])
def test_r25_bundles_give_favor_a_card_and_a_step_of_their_god(color):
    god = {"pink": "hermes", "green": "artemis", "blue": "poseidon"}[color]
    state = Scene().own(f"{color}_bundle").dice(color).state()
    play(state, f"die:{color} bundle")
    assert player(state)["favor"] == 1  # R31: favor, card, step
    assert waiting(state) == ["oracle 0", "advance 0"]
    assert player(state)["gods"][god] == 0
    play(state, "oracle red")
    assert (player(state)["oracle_cards"], player(state)["gods"][god]) == (["red"], 3)


@pytest.mark.parametrize("color", ["pink", "green", "blue"])
def test_r25_bundles_take_a_recolored_die_a_card_or_the_extra_action(color):
    before = COLORS[COLORS.index(color) - 1]
    scene = Scene().defeated("red").own(f"{color}_bundle", "extra_action").favor(3).dice(before).cards(color)
    bundles = {move for move in legal(scene.state()) if move.endswith(" bundle")}
    assert bundles == {f"die:{before}>{color} bundle", f"card:{color} bundle", f"extra:{color} bundle"}


def test_r30_a_bundle_with_its_god_on_top_and_no_cards_gives_the_favor():
    scene = Scene().own("pink_bundle").dice("pink").top("hermes")
    state = scene.cards(*[color for color in COLORS for _ in range(5)], seat=1).state()
    play(state, "die:pink bundle")
    now = player(state)
    assert (now["favor"], now["oracle_cards"], now["gods"]["hermes"], phase(state)) == (1, [], 6, "act")


# -- range and reach (R15, R17, R33, R34)


def test_range_plus_1():
    state = Scene().own("range_plus_1").dice("blue").favor(1).state()
    assert legal(state, "die:blue sail") == sails("die:blue", zeus(), 5, "blue")
    near = sails("die:blue", zeus(), 4, "blue")
    assert all(player(after(state, move))["favor"] == 1 for move in near)


def test_range_adds_up_with_the_ship_tile_and_a_creature():
    scene = Scene().ship_tile("range").defeated("red").own("range_plus_1").companion("creature", "blue")
    state = scene.dice("blue", "red").state()
    assert legal(state, "die:blue sail") == sails("die:blue", zeus(), 9)
    assert legal(state, "die:red sail") == sails("die:red", zeus(), 6, "red")


@pytest.mark.parametrize("color", COLORS)
def test_r15_cross_shallows_sails_over_shallows_and_zeus_at_no_cost(color):
    start = beside(zeus(), color="black")
    state = Scene().own("cross_shallows").ship(start).dice(color).favor(2).state()
    assert legal(state, f"die:{color} sail") == sails(f"die:{color}", start, 5, color, crossing=True)


def test_r15_cross_shallows_over_zeus_by_hand():
    """From the black space on one side of Zeus to the blue one opposite: one space instead of three."""
    assert (distances((-2, 3))[(0, 3)], distances((-2, 3), crossing=True)[(0, 3)]) == (3, 1)
    state = Scene().own("cross_shallows").ship((-2, 3)).dice("blue").favor(2).state()
    for hex, spaces in distances((-2, 3), crossing=True).items():
        move = f"die:blue sail {text(hex)}"
        if move in legal(state):
            assert player(after(state, move))["favor"] == 2 - max(0, spaces - 3)


def test_r33_consecutive_shallows_are_free():
    """-7,5 and -5,6 have two shallows between them; one space with the card, and far around without it."""
    assert kind((-7, 6)) == kind((-6, 6)) == "shallow"
    assert distances((-7, 5), crossing=True)[(-5, 6)] == 1
    start, move = (-7, 5), "die:blue sail -5,6"
    without = Scene().ship(start).dice("blue")
    assert distances(start)[(-5, 6)] == 5
    assert move not in legal(without.state())
    crossing = without.own("cross_shallows")
    assert move in legal(crossing.state())
    assert legal(crossing.state(), "die:blue sail") == sails("die:blue", start, 3, "blue", crossing=True)


def test_r33_shallows_are_never_a_destination():
    state = Scene().own("cross_shallows").dice(*COLORS[:3]).favor(9).companion("creature", "red").state()
    shallows = {text(hex) for hex in places("shallow")}
    assert not [move for move in legal(state) if " sail " in move and move.split(" ")[2] in shallows]


@pytest.mark.parametrize("spaces", [3, 4])
def test_r33_zeus_as_destination_costs_a_space_also_when_crossing(spaces):
    start = next(hex for hex in places("water") if distances(hex, crossing=True)[zeus()] == spaces)
    scene = Scene().all_done().own("cross_shallows").ship(start).dice("red").favor(spaces - 3)
    state = play(scene.state(), f"die:red sail {text(zeus())}")
    assert (player(state)["arrived"], player(state)["favor"]) == (True, 0)


def reach_of(start):
    """All that one shared edge, or one water space in between, lets a ship act on."""
    near = set(neighbours(start))
    return near | {other for middle in near if kind(middle) == "water" for other in neighbours(middle)}


@pytest.mark.parametrize("owned", [True, False])
def test_r17_r34_fight_explore_build_reach_from_every_space(owned):
    """One water space in between, no shallow and no island; also from the Zeus space."""
    scene = Scene().dice("red")
    scene.players[0]["apollon"] = True
    if owned:
        scene.own("fight_explore_build_reach")
    for start in (zeus(), *places("water")):
        moves = legal(scene.ship(start).state(), "die:red")
        there = reach_of(start) if owned else set(neighbours(start))
        for action, island in (("explore", "island_tile"), ("fight", "monster_island")):
            reached = {move.split(" ")[2] for move in moves if f" {action} " in move}
            assert reached == {text(hex) for hex in there if kind(hex) == island}


def test_fight_explore_build_reach_builds_a_shrine():
    hex = place("island_tile")
    color = board()[hex]["color"]
    scene = Scene().tile(hex, "red", "psi", face_up=True).ship(two_away(hex)).dice(color)
    build = f"die:{color} build {text(hex)}"
    assert build not in legal(scene.state())
    assert build in legal(scene.own("fight_explore_build_reach").state())


@pytest.mark.parametrize("owned", [True, False])
def test_r17_offering_reach_loads_and_delivers(owned):
    card = "offering_reach" if owned else "statue_reach"
    scene = Scene().own(card)
    hex = scene.island("offerings", "blue")
    loads = legal(scene.ship(two_away(hex)).dice("blue").state(), "die:blue load offering")
    assert (f"die:blue load offering {text(hex)}" in loads) == owned
    temple = place("temple_island", color="blue")
    state = Scene().own(card).aboard(offerings=["blue"]).ship(two_away(temple)).dice("blue").state()
    assert legal(state, "die:blue deliver") == ({f"die:blue deliver {text(temple)}"} if owned else set())


@pytest.mark.parametrize("owned", [True, False])
def test_r17_statue_reach_loads_and_raises(owned):
    card = "statue_reach" if owned else "offering_reach"
    city = place("city", color="pink")
    state = Scene().own(card).ship(two_away(city)).dice("pink").state()
    assert legal(state, "die:pink load statue") == (
        {f"die:pink load statue {text(city)}"} if owned else set()
    )
    site = next(hex for hex in places("statue_island") if "pink" in board()[hex]["sites"])
    state = Scene().own(card).aboard(statues=["pink"]).ship(two_away(site)).dice("pink").state()
    assert (f"die:pink raise {text(site)}" in legal(state)) == owned


# -- rewards (R21)


def rewarded(task, card="god_step_on_reward"):
    """A task of each kind is done; what is open then."""
    scene = Scene().own(card)
    if task == "offering":
        temple = place("temple_island", color="blue")
        state = scene.aboard(offerings=["blue"]).ship(beside(temple)).dice("blue").state()
        return play(state, f"die:blue deliver {text(temple)}")
    if task == "statue":
        site = next(hex for hex in places("statue_island") if "pink" in board()[hex]["sites"])
        state = scene.aboard(statues=["pink"]).ship(beside(site)).dice("pink").state()
        return play(state, f"die:pink raise {text(site)}")
    if task == "monster":
        hex = scene.island("monsters", "red")
        state = scene.ship(beside(hex)).dice("red").state()
        return play(state, f"die:red fight {text(hex)}", "battle 9")
    hex = place("island_tile")
    color = board()[hex]["color"]
    state = scene.tile(hex, "red", "psi").ship(beside(hex)).dice(color).state()
    return play(state, f"die:{color} explore {text(hex)}")


@pytest.mark.parametrize(
    ("task", "expected"),
    [
        ("offering", ["step 0"]),
        ("statue", ["companion 0", "step 0"]),
        ("monster", ["equip 0", "step 0"]),
        ("shrine", ["step 0"]),
    ],
)
def test_r21_god_step_on_reward_after_offering_statue_and_monster(task, expected):
    state = rewarded(task)
    assert waiting(state) == expected
    assert player(state)["favor"] == 3 * (task == "offering")
    if task == "shrine":  # its own step only
        assert phase(play(state, "step ares")) == "act"


@pytest.mark.parametrize(("task", "expected"), [("statue", ["companion 0"]), ("monster", ["equip 0"])])
def test_r21_no_step_without_the_card(task, expected):
    assert waiting(rewarded(task, "range_plus_1")) == expected
    assert phase(rewarded("offering", "range_plus_1")) == "act"


def test_r21_the_demigods_card_comes_before_the_step():
    state = play(rewarded("statue"), "companion demigod")
    assert waiting(state) == ["oracle 0", "step 0"]


def test_r21_god_step_on_reward_does_not_pay_for_itself():
    assert phase(winner_of("god_step_on_reward")) == "act"


# -- one-time cards (R26, R31)


def test_r31_windfall_favor_then_card_then_steps():
    state = winner_of("windfall")
    assert player(state)["favor"] == 3
    assert waiting(state) == ["oracle 0", "step 0"]
    play(state, "oracle green")
    assert (pending(state)["n"], legal(state)) == (2, {f"step {god}" for god in GODS})
    play(state, "step ares", "step hermes")
    now = player(state)
    assert (now["oracle_cards"], now["gods"]["ares"], now["gods"]["hermes"]) == (["green"], 3, 3)
    assert phase(state) == "act"


def test_r31_the_windfalls_card_can_be_nothing_but_its_steps_remain():
    scene = Scene().cards(*[color for color in COLORS for _ in range(5)], seat=1)
    state = winner_of("windfall", scene)
    assert waiting(state) == ["step 0"]


def test_storage_and_shield_acts_by_itself_and_adds_room():
    state = winner_of("storage_and_shield")
    assert (player(state)["shield"], phase(state)) == (1, "act")
    assert player(winner_of("storage_and_shield", Scene().shield(5)))["shield"] == 5  # R24
    city = place("city", color="red")
    scene = Scene().ship(beside(city)).dice("red").aboard(offerings=["blue"], statues=["pink"])
    assert legal(scene.state(), "die:red load") == set()
    assert legal(scene.own("storage_and_shield").state(), "die:red load") == {
        f"die:red load statue {text(city)}"
    }
    full = scene.aboard(offerings=["yellow"])  # a third piece aboard
    full.players[0]["cargo"] = {"offerings": ["blue", "yellow"], "statues": ["pink"]}
    assert legal(full.state(), "die:red load") == set()


@pytest.mark.parametrize(
    ("card", "colors"),
    [("take_offering_a", ("red", "green", "yellow")), ("take_offering_b", ("pink", "blue", "black"))],
)
def test_r26_take_offering_from_any_island(card, colors):
    state = winner_of(card)
    islands = state.to_json()["offerings"]
    expected = {
        f"take offering {color} {i['q']},{i['r']}"
        for i in islands
        for color in i["colors"]
        if color in colors
    }
    assert legal(state) == expected | {"decline"}
    assert len(expected) == 6
    move = min(expected)
    play(state, move)
    assert player(state)["cargo"]["offerings"] == [move.split(" ")[2]]
    assert phase(state) == "act"


def test_r26_r20_take_offering_only_what_fits():
    # Red aboard uses up the white task, so of red, green, yellow only yellow is left.
    state = winner_of("take_offering_a", Scene().aboard(offerings=["red"]))
    assert {move.split(" ")[2] for move in legal(state) - {"decline"}} == {"yellow"}


@pytest.mark.parametrize(
    ("card", "colors"),
    [("take_statue_a", {"red", "green", "yellow"}), ("take_statue_b", {"pink", "blue", "black"})],
)
def test_r26_take_statue_from_its_city(card, colors):
    state = winner_of(card)
    assert legal(state) == {f"take statue {color}" for color in colors} | {"decline"}
    color = min(colors)
    play(state, f"take statue {color}")
    assert (player(state)["cargo"]["statues"], state.to_json()["statues"][color]) == ([color], 2)


def test_r26_r20_take_statue_only_what_is_needed():
    scene = Scene().companion("hero", "red").aboard(statues=["green"])
    assert legal(winner_of("take_statue_a", scene)) == {"take statue yellow", "decline"}


@pytest.mark.parametrize("card", ["take_offering_a", "take_offering_b", "take_statue_a", "take_statue_b"])
def test_r26_without_room_the_effect_is_lost(card):
    state = winner_of(card, Scene().aboard(offerings=["blue"], statues=["pink"]))
    assert phase(state) == "act"
    assert card in player(state)["equipment"]  # a used card stays with the player


def test_r26_with_nothing_needed_the_effect_is_lost():
    scene = Scene().companion("hero", "red").companion("hero", "blue").companion("hero", "pink")
    assert phase(winner_of("take_statue_a", scene)) == "act"


@pytest.mark.parametrize("card", ["take_offering_a", "take_statue_b", "god_to_top", "scout"])
def test_r26_a_choice_may_be_declined(card):
    state = winner_of(card)
    assert (phase(state), pending(state)["card"]) == ("effect", card)
    before = player(state)
    play(state, "decline")
    assert (phase(state), player(state)) == ("act", before)


def test_god_to_top_lifts_one_of_four_gods():
    state = winner_of("god_to_top", Scene().top("hermes").gods(artemis=4))
    assert legal(state) == {"top poseidon", "top artemis", "top aphrodite", "decline"}
    play(state, "top poseidon")
    assert player(state)["gods"]["poseidon"] == 6
    assert "god:poseidon draw" in legal(state)


def test_god_to_top_with_all_four_on_top_is_skipped():
    state = winner_of("god_to_top", Scene().top("poseidon", "hermes", "artemis", "aphrodite"))
    assert phase(state) == "act"


def test_r27_scout_looks_at_any_two_and_uncovers_one():
    tiles = places("island_tile")
    state = winner_of("scout", Scene().knows(tiles[0]))
    looks = {f"look {text(a)} {text(b)}" for i, a in enumerate(tiles) for b in tiles[i + 1 :]}
    assert legal(state) == looks | {"decline"}  # known tiles, too
    play(state, f"look {text(tiles[1])} {text(tiles[2])}")
    assert legal(state) == {f"reveal {text(tiles[1])}", f"reveal {text(tiles[2])}"}
    # The others see where, not what.
    assert pending(state)["tiles"][0].keys() == {"q", "r", "color", "letter"}
    for tile in state.observation(1)["pending"]["tiles"]:
        assert tile.keys() == {"q", "r"}
    play(state, f"reveal {text(tiles[2])}")
    now = state.to_json()
    assert [tile["face_up"] for tile in now["island_tiles"]].count(True) == 1
    assert [(tile["q"], tile["r"]) for tile in now["players"][0]["knows"]] == [tiles[0], tiles[1]]


def test_r26_scout_takes_the_reward_of_the_tile():
    tiles = places("island_tile")
    state = winner_of("scout", Scene().tile(tiles[3], "green", "psi"))
    play(state, f"look {text(tiles[3])} {text(tiles[4])}", f"reveal {text(tiles[3])}")
    assert (player(state)["favor"], phase(state)) == (4, "act")


@pytest.mark.parametrize("face_down", [0, 1, 2])
def test_r26_scout_needs_two_face_down_tiles(face_down):
    tiles = places("island_tile")
    state = winner_of("scout", Scene().face_up(*tiles[: 12 - face_down]))
    assert phase(state) == ("effect" if face_down == 2 else "act")
    if face_down == 2:
        assert legal(state) == {f"look {text(tiles[10])} {text(tiles[11])}", "decline"}
