"""Positions to test with: a plain one to edit, and ways into it."""

import copy

from pythia.core_cy import Random, load_game

COLORS = ["red", "black", "pink", "blue", "yellow", "green"]


def at(hex_):
    return {"q": hex_["q"], "r": hex_["r"]}


def place(hex_):
    """A hex as a move names it."""
    return f"{hex_['q']},{hex_['r']}"


def hexes(position, kind, color=None):
    """The hexes of a kind, and of a color."""
    return [h for h in position["board"] if h["kind"] == kind and color in (None, h.get("color"))]


def around(position, hex_):
    """The hexes beside a hex."""
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1))
    beside = {(hex_["q"] + q, hex_["r"] + r) for q, r in steps}
    return [h for h in position["board"] if (h["q"], h["r"]) in beside]


def water_beside(position, hex_):
    return next(h for h in around(position, hex_) if h["kind"] == "water")


def play_until(state, phase, rng, choose=None):
    """Plays on at random, or by `choose`, until a phase; returns whether it came."""
    while not state.is_over:
        if state.to_json()["phase"] == phase:
            return True
        if state.to_act < 0:
            state.apply(state.sample_chance(rng))
        else:
            state.apply(choose(state) if choose else state.random_move(rng))
    return False


def new_turn(players=2, **options):
    """The JSON of the first turn of a game, with plain ship tiles and equal dice, so that it can be edited freely."""
    state = load_game("delphi", players=players, seed=5, ship_tiles="first_game", **options).new_state()
    assert play_until(state, "act", Random(1))
    position = state.to_json()
    position["options"]["ship_tiles"] = "random"
    tiles = ["range", "cheap_recolor", "shield", "two_way_recolor"]
    for player, tile in zip(position["players"], tiles, strict=False):
        player["ship_tile"] = tile
        player["shield"] = 0
        player["gods"] = dict.fromkeys(player["gods"], 0)
        player["dice"] = player["dice_left"] = ["red", "black", "pink"]
    return position


def edited(position, *edits):
    """A copy, changed by functions."""
    changed = copy.deepcopy(position)
    for edit in edits:
        edit(changed)
    return changed


# -- edits that keep everything adding up


def give_card(seat, color):
    """An oracle card from the pile."""

    def edit(position):
        position["oracle_pile"].remove(color)
        position["players"][seat]["oracle_cards"].append(color)

    return edit


def give_injury(seat, *colors):
    """Injuries from the pile."""

    def edit(position):
        for color in colors:
            position["injury_pile"].remove(color)
            position["players"][seat]["injuries"].append(color)

    return edit


def no_injuries(seat):
    def edit(position):
        position["injury_discard"] += position["players"][seat]["injuries"]
        position["players"][seat]["injuries"] = []

    return edit


def give_equipment(seat, *cards):
    """Cards from wherever they are, each with a monster defeated for it; the display stays full."""

    def edit(position):
        player = position["players"][seat]
        for card in cards:
            if card in position["equipment_display"]:
                position["equipment_display"].remove(card)
                position["equipment_display"].append(position["equipment_pile"].pop(0))
            else:
                position["equipment_pile"].remove(card)
            player["equipment"].append(card)
            task = player["tasks"]["monster"].pop()
            color = task if task != "any" else next(c for c in COLORS if c not in player["done"]["monster"])
            player["done"]["monster"].append(color)
            island = next(island for island in position["monsters"] if color in island["colors"])
            island["colors"].remove(color)

    return edit


def give_companion(seat, kind, color):
    """A companion, with the statue raised for it."""

    def edit(position):
        player = position["players"][seat]
        player["companions"].append({"kind": kind, "color": color})
        player["tasks"]["statue"] -= 1
        player["done"]["statue"].append(color)
        position["statues"][color] -= 1
        raised = [(there["q"], there["r"], there["color"]) for there in position["raised"]]
        site = next(
            h
            for h in hexes(position, "statue_island")
            if color in h["sites"] and (h["q"], h["r"], color) not in raised
        )
        position["raised"].append({**at(site), "color": color})

    return edit


def load_offering(seat, color):
    """An offering aboard, taken from an island."""

    def edit(position):
        island = next(island for island in position["offerings"] if color in island["colors"])
        island["colors"].remove(color)
        position["players"][seat]["cargo"]["offerings"].append(color)

    return edit


def load_statue(seat, color):
    def edit(position):
        position["statues"][color] -= 1
        position["players"][seat]["cargo"]["statues"].append(color)

    return edit


def sail_to(seat, hex_):
    def edit(position):
        position["players"][seat]["ship"] = at(hex_)

    return edit


def set_player(seat, **fields):
    def edit(position):
        position["players"][seat].update(fields)

    return edit


def set_god(seat, god, row):
    def edit(position):
        position["players"][seat]["gods"][god] = row

    return edit


def all_done(seat):
    """Every task of a seat done, so that its ship may go to Zeus."""

    def edit(position):
        player = position["players"][seat]
        for color in ("red", "black", "pink"):
            give_companion(seat, "creature", color)(position)
        give_equipment(seat, "favor_on_red", "favor_on_black", "favor_on_yellow")(position)
        while player["tasks"]["offering"]:
            task = player["tasks"]["offering"].pop()
            color = task if task != "any" else next(c for c in COLORS if c not in player["done"]["offering"])
            load_offering(seat, color)(position)
            player["cargo"]["offerings"].remove(color)
            player["done"]["offering"].append(color)
        player["tasks"]["shrine"] = 0
        player["done"]["shrine"] = 3
        for tile in position["island_tiles"]:
            if tile["color"] == player["color"]:
                tile["face_up"] = tile["shrine"] = True

    return edit
