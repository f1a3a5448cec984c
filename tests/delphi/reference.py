"""A slow, plain reference implementation of The Oracle of Delphi.

It exists to be read and to be compared with a faster engine. Everything is
written straight from the rulings (cited as R1, R2, ...) and from the
interchange format; nothing here is optimised beyond remembering distances.

How it works
------------
The game is a list of things still to be resolved, `self.agenda`. Its first
entry is what is open right now (a decision of a seat or a chance event); the
others follow in order. An empty agenda means that the seat in `self.turn` is in
one of the two main phases, `start` or `act`. Entries that need nobody (a favor
gift, a god going home, ...) are carried out as soon as they come first. Whatever
an action causes is put in front of the rest, so each action with all its
consequences is over before the next one can begin (R9).
"""

import copy
from fractions import Fraction
from itertools import combinations, combinations_with_replacement

# --------------------------------------------------------------------------
# Facts printed on the components
# --------------------------------------------------------------------------

COLORS = ["red", "black", "pink", "blue", "yellow", "green"]  # clockwise wheel order
PLAYER_COLORS = ["red", "yellow", "green", "blue"]
GODS = ["poseidon", "apollon", "artemis", "aphrodite", "ares", "hermes"]
GOD_COLOR = {
    "poseidon": "blue",
    "apollon": "yellow",
    "artemis": "green",
    "aphrodite": "red",
    "ares": "black",
    "hermes": "pink",
}
GOD_OF_COLOR = {color: god for god, color in GOD_COLOR.items()}
TOP_ROW = 6
MAX_SHIELD = 5
MAX_ROUNDS = 100

SHIP_TILES = [
    "shield",
    "gods",
    "range",
    "two_way_recolor",
    "favor",
    "eleven_tasks",
    "cheap_recolor",
    "equipped",
]
FIRST_GAME_SHIP_TILES = ["shield", "gods", "range", "two_way_recolor"]
SHIP_STORAGE = {tile: (4 if tile == "two_way_recolor" else 2) for tile in SHIP_TILES}

EQUIPMENT = [
    "favor_on_yellow",
    "favor_on_red",
    "favor_on_black",
    "extra_action",
    "pink_bundle",
    "green_bundle",
    "blue_bundle",
    "windfall",
    "range_plus_1",
    "statue_reach",
    "fight_explore_build_reach",
    "offering_reach",
    "god_step_on_reward",
    "scout",
    "cross_shallows",
    "injury_tolerance",
    "storage_and_shield",
    "take_offering_a",
    "take_offering_b",
    "take_statue_a",
    "take_statue_b",
    "god_to_top",
]
DISPLAY_SIZE = 6
TAKE_COLORS = {
    "take_offering_a": ["red", "green", "yellow"],
    "take_offering_b": ["pink", "blue", "black"],
    "take_statue_a": ["red", "green", "yellow"],
    "take_statue_b": ["pink", "blue", "black"],
}
GOD_TO_TOP_CHOICE = ["poseidon", "hermes", "artemis", "aphrodite"]
CHOICE_CARDS = ["scout", "take_offering_a", "take_offering_b", "take_statue_a", "take_statue_b", "god_to_top"]

COMPANION_KINDS = ["hero", "demigod", "creature"]
ORACLE_CARDS_PER_COLOR = 5
INJURY_CARDS_PER_COLOR = 7
LETTERS = {
    "red": ["phi", "psi", "omega"],
    "yellow": ["psi", "sigma", "omega"],
    "green": ["phi", "psi", "sigma"],
    "blue": ["phi", "sigma", "omega"],
}
DOUBLE_SIDED = [
    {"offering": "blue", "monster": "blue"},
    {"offering": "yellow", "monster": "yellow"},
    {"offering": "pink", "monster": "red"},
    {"offering": "green", "monster": "black"},
]

# Short words for the tile drawings below: a bare color is water, a
# prefix names another kind of space, and M / M* are plain / marked monster islands.
_TILES = {
    "zeus": "0,-1 pink;1,-1 green;-1,0 blue;0,0 zeus;1,0 black;-1,1 red;0,1 yellow",
    "ring-offering": "0,-1 yellow;1,-1 green;-1,0 red;1,0 black;-1,1 O;0,1 I:green",
    "ring-monster": "0,-1 blue;1,-1 red;-1,0 yellow;1,0 pink;-1,1 M;0,1 I:green",
    "large-a": "2,-4 green;3,-4 black;1,-3 I:yellow;2,-3 pink;3,-3 O;1,-2 M;2,-2 red;1,-1 blue;"
    "2,-1 black;0,0 S:black,blue,green;1,0 green",
    "large-b": "2,-4 O;3,-4 pink;1,-3 green;2,-3 red;3,-3 S:black,pink,red;1,-2 T;2,-2 yellow;"
    "1,-1 green;2,-1 I:pink;0,0 M;1,0 pink",
    "large-c": "2,-4 black;3,-4 blue;1,-3 red;2,-3 yellow;3,-3 I:red;1,-2 M;2,-2 black;1,-1 blue;"
    "2,-1 red;0,0 I:pink;1,0 T",
    "medium-a": "1,-2 S:green,red,yellow;2,-2 yellow;3,-2 O;0,-1 green;1,-1 I:yellow;2,-1 blue;"
    "0,0 pink;1,0 red;2,0 pink",
    "medium-b": "1,-2 M*;2,-2 I:black;3,-2 pink;0,-1 red;1,-1 pink;2,-1 yellow;0,0 O;1,0 green;"
    "2,0 S:black,blue,yellow",
    "medium-c": "1,-2 I:red;2,-2 pink;3,-2 S:green,pink,yellow;0,-1 O;1,-1 green;2,-1 black;0,0 M;"
    "1,0 blue;2,0 T",
    "small-a": "2,-2 I:blue;3,-2 S:blue,pink,red;1,-1 blue;2,-1 yellow;3,-1 black;0,0 M*;1,0 T",
    "small-b": "2,-2 I:blue;3,-2 M;1,-1 T;2,-1 yellow;3,-1 red;0,0 black;1,0 blue",
    "small-c": "2,-2 M*;3,-2 yellow;1,-1 I:black;2,-1 green;3,-1 T;0,0 blue;1,0 black",
    "city-yellow": "0,0 C:yellow;-1,1 green;0,1 red",
    "city-red": "0,0 C:red;-1,1 pink;0,1 black",
    "city-black": "0,0 C:black;-1,1 pink;0,1 yellow",
    "city-green": "0,0 C:green;-1,1 blue;0,1 black",
    "city-pink": "0,0 C:pink;-1,1 blue;0,1 red",
    "city-blue": "0,0 C:blue;-1,1 green;0,1 yellow",
}

NEIGHBOUR_STEPS = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]


# --------------------------------------------------------------------------
# Small helpers
# --------------------------------------------------------------------------


def neighbours(hex_):
    q, r = hex_
    return [(q + dq, r + dr) for dq, dr in NEIGHBOUR_STEPS]


def by_row(hex_):
    """Sort key for hexes: by (r, q)."""
    return (hex_[1], hex_[0])


def hex_text(hex_):
    return "%d,%d" % hex_


def parse_hex(text):
    q, r = text.split(",")
    return (int(q), int(r))


def color_key(color):
    """Wheel order, with "any" in front."""
    return -1 if color == "any" else COLORS.index(color)


def sort_colors(colors):
    return sorted(colors, key=color_key)


def sort_cards(cards):
    return sorted(cards, key=EQUIPMENT.index)


def counts(colors):
    return {color: colors.count(color) for color in COLORS if color in colors}


# --------------------------------------------------------------------------
# Board
# --------------------------------------------------------------------------


def tile_hexes(tile_id):
    """The spaces of one printed tile as {(q, r): space dict}, front side, unrotated."""
    spaces = {}
    for part in _TILES[tile_id].split(";"):
        where, what = part.split(" ")
        if what == "zeus":
            space = {"kind": "zeus"}
        elif what == "O":
            space = {"kind": "offering_island"}
        elif what == "T":
            space = {"kind": "temple_island"}
        elif what in ("M", "M*"):
            space = {"kind": "monster_island", "marked": what == "M*"}
        elif what.startswith("I:"):
            space = {"kind": "island_tile", "color": what[2:]}
        elif what.startswith("C:"):
            space = {"kind": "city", "color": what[2:]}
        elif what.startswith("S:"):
            space = {"kind": "statue_island", "sites": sort_colors(what[2:].split(","))}
        else:
            space = {"kind": "water", "color": what}
        spaces[parse_hex(where)] = space
    return spaces


def board_from_placements(placements, temples):
    """The list of board spaces, shallows included, that the placed tiles make (R1, R33)."""
    spaces = {}
    used = set()
    for placement in placements:
        tile = placement["tile"]
        if tile not in _TILES:
            raise ValueError("unknown tile %s" % tile)
        if tile in used:
            raise ValueError("tile %s placed twice" % tile)
        used.add(tile)
        for (q, r), space in tile_hexes(tile).items():
            if placement.get("back", False):
                q, r = r, q
            for _ in range(placement.get("rotation", 0) % 6):
                q, r = -r, q + r
            where = (q + placement.get("q", 0), r + placement.get("r", 0))
            if where in spaces:
                raise ValueError("tile %s overlaps at %s" % (tile, hex_text(where)))
            spaces[where] = space
    if used != set(_TILES):
        raise ValueError("tiles missing: %s" % ", ".join(sorted(set(_TILES) - used)))

    for temple in temples:
        where = (temple.get("q", 0), temple.get("r", 0))
        if spaces.get(where, {}).get("kind") != "temple_island":
            raise ValueError("no temple island at %s" % hex_text(where))
        spaces[where]["color"] = temple["color"]
    temple_colors = [s.get("color") for s in spaces.values() if s["kind"] == "temple_island"]
    if set(temple_colors) != set(COLORS):
        raise ValueError("every color needs one temple")

    for where in enclosed_gaps(spaces):
        spaces[where] = {"kind": "shallow"}
    check_board(spaces)
    return board_list(spaces)


def enclosed_gaps(spaces):
    """Empty hexes from which the open outside cannot be reached over empty hexes."""
    qs = [q for q, _ in spaces]
    rs = [r for _, r in spaces]
    low_q, high_q, low_r, high_r = min(qs) - 1, max(qs) + 1, min(rs) - 1, max(rs) + 1
    box = {(q, r) for q in range(low_q, high_q + 1) for r in range(low_r, high_r + 1)}
    outside = {h for h in box if h[0] in (low_q, high_q) or h[1] in (low_r, high_r)}
    todo = list(outside)
    while todo:
        for near in neighbours(todo.pop()):
            if near in box and near not in spaces and near not in outside:
                outside.add(near)
                todo.append(near)
    return [h for h in box if h not in spaces and h not in outside]


def check_board(spaces):
    """The legality tests of R1 that placements alone do not guarantee."""
    water = {h for h, s in spaces.items() if s["kind"] == "water"}
    start = next(iter(water))
    seen, todo = {start}, [start]
    while todo:
        for near in neighbours(todo.pop()):
            if near in water and near not in seen:
                seen.add(near)
                todo.append(near)
    if seen != water:
        raise ValueError("the water is not connected")
    for where, space in spaces.items():
        if space["kind"] not in ("water", "shallow"):
            if not any(near in water for near in neighbours(where)):
                raise ValueError("%s at %s touches no water" % (space["kind"], hex_text(where)))


def board_list(spaces):
    result = []
    for where in sorted(spaces, key=by_row):
        entry = {"q": where[0], "r": where[1], "kind": spaces[where]["kind"]}
        for field in ("color", "sites", "marked"):
            if field in spaces[where]:
                entry[field] = spaces[where][field]
        result.append(entry)
    return result


class Board:
    """The spaces of one board, with distances remembered once computed."""

    def __init__(self, hex_list):
        self.spaces = {}
        for entry in hex_list:
            kind = entry["kind"]
            space = {"kind": kind}
            if kind in ("water", "city", "island_tile", "temple_island"):
                space["color"] = entry["color"]
            if kind == "statue_island":
                space["sites"] = sort_colors(entry.get("sites", []))
            if kind == "monster_island":
                space["marked"] = bool(entry.get("marked", False))
            self.spaces[(entry.get("q", 0), entry.get("r", 0))] = space
        self.zeus = self.of_kind("zeus")[0]
        self.water = self.of_kind("water")
        self._distances = {}
        self._reach = {}

    def of_kind(self, kind):
        return sorted((h for h, s in self.spaces.items() if s["kind"] == kind), key=by_row)

    def kind(self, hex_):
        return self.spaces[hex_]["kind"] if hex_ in self.spaces else None

    def color(self, hex_):
        return self.spaces[hex_].get("color")

    def reach(self, ship, far):
        """Hexes an action may be aimed at from `ship`; `far` is one water space more (R17, R34)."""
        key = (ship, far)
        if key not in self._reach:
            result = set(neighbours(ship))
            if far:
                for middle in neighbours(ship):
                    if self.kind(middle) == "water":
                        result.update(neighbours(middle))
            self._reach[key] = result
        return self._reach[key]

    def distances(self, start, cross_shallows):
        """Spaces a ship counts from `start` to each water space and to the Zeus space (R15, R16, R33)."""
        key = (start, cross_shallows)
        if key in self._distances:
            return self._distances[key]
        free = ("shallow", "zeus") if cross_shallows else ()
        best = {start: 0}
        level = {start}
        distance = 0
        while level:
            # Everything reachable from this level without paying.
            todo = list(level)
            while todo:
                for near in neighbours(todo.pop()):
                    if near not in best and self.kind(near) in free:
                        best[near] = distance
                        level.add(near)
                        todo.append(near)
            distance += 1
            following = set()
            for here in level:
                for near in neighbours(here):
                    if near not in best and self.kind(near) == "water":
                        best[near] = distance
                        following.add(near)
            level = following
        result = {h: d for h, d in best.items() if self.kind(h) == "water"}
        # Stopping on the Zeus space always counts as a space of its own.
        beside = [best[h] for h in neighbours(self.zeus) if h in best]
        if beside:
            result[self.zeus] = min(beside) + 1
        result.pop(start, None)
        self._distances[key] = result
        return result


_boards = {}


def board_of(hex_list):
    key = tuple(
        sorted(
            (
                e.get("q", 0),
                e.get("r", 0),
                e["kind"],
                e.get("color", ""),
                tuple(e.get("sites", [])),
                bool(e.get("marked", False)),
            )
            for e in hex_list
        )
    )
    if key not in _boards:
        _boards[key] = Board(hex_list)
    return _boards[key]


# --------------------------------------------------------------------------
# One player
# --------------------------------------------------------------------------


class Player:
    def __init__(self, data):
        self.color = data.get("color", "")
        self.ship_tile = data.get("ship_tile", "")
        ship = data.get("ship", {})
        self.ship = (ship.get("q", 0), ship.get("r", 0))
        self.favor = data.get("favor", 0)
        self.shield = data.get("shield", 0)
        self.dice = list(data.get("dice", []))
        self.dice_left = list(data.get("dice_left", []))
        self.oracle_cards = list(data.get("oracle_cards", []))
        self.card_played = data.get("card_played", "")
        self.apollon = data.get("apollon", False)
        self.extra_used = data.get("extra_used", False)
        self.injuries = list(data.get("injuries", []))
        self.gods = {god: data.get("gods", {}).get(god, 0) for god in GODS}
        tasks = data.get("tasks", {})
        self.shrine_tasks = tasks.get("shrine", 0)
        self.statue_tasks = tasks.get("statue", 0)
        self.offering_tasks = list(tasks.get("offering", []))
        self.monster_tasks = list(tasks.get("monster", []))
        done = data.get("done", {})
        self.shrines_done = done.get("shrine", 0)
        self.statues_done = list(done.get("statue", []))
        self.offerings_done = list(done.get("offering", []))
        self.monsters_done = list(done.get("monster", []))
        cargo = data.get("cargo", {})
        self.offerings = list(cargo.get("offerings", []))
        self.statues = list(cargo.get("statues", []))
        self.companions = [(c["kind"], c["color"]) for c in data.get("companions", [])]
        self.equipment = list(data.get("equipment", []))
        self.knows = {(k.get("q", 0), k.get("r", 0)) for k in data.get("knows", [])}
        self.arrived = data.get("arrived", False)

    def has(self, card):
        return card in self.equipment

    def companion_colors(self, kind):
        return [color for k, color in self.companions if k == kind]

    def storage_free(self):
        room = SHIP_STORAGE[self.ship_tile] + (1 if self.has("storage_and_shield") else 0)
        return room - len(self.offerings) - len(self.statues)

    def tasks_left(self):
        return self.shrine_tasks + self.statue_tasks + len(self.offering_tasks) + len(self.monster_tasks)

    def gain_favor(self, n):
        """One taking of favor (R36)."""
        self.favor += n + (1 if self.ship_tile == "favor" else 0)

    def gain_shield(self, n):
        self.shield = min(MAX_SHIELD, self.shield + n)

    # ---- what tasks still need -------------------------------------------

    def needs_monster(self, color):
        if color in self.monster_tasks:
            return True
        return "any" in self.monster_tasks and color not in self.monsters_done  # R7

    def needs_offering(self, color):
        if color in self.offering_tasks:
            return True
        return "any" in self.offering_tasks and color not in self.offerings_done  # R7

    def offering_fits(self, color):
        """May an offering of this color join those aboard? (R20, R7)"""
        wanted = self.offerings + [color]
        if len(set(wanted)) < len(wanted):
            return False
        if any(not self.needs_offering(c) for c in wanted):
            return False
        white = [c for c in wanted if c not in self.offering_tasks]
        return len(white) <= self.offering_tasks.count("any") and self.storage_free() > 0

    def statue_fits(self, color):
        """May a statue of this color come aboard? (R20)"""
        return (
            color not in self.statues_done
            and color not in self.statues
            and len(self.statues) < self.statue_tasks
            and self.storage_free() > 0
        )

    # ---- costs and ranges ------------------------------------------------

    def recolor_steps(self, color, wanted):
        steps = (COLORS.index(wanted) - COLORS.index(color)) % 6
        if self.ship_tile == "two_way_recolor":
            steps = min(steps, (6 - steps) % 6)
        return steps

    def use_cost(self, color, wanted):
        """Favor needed to use a die or card of one color as another (R10, R11, R32)."""
        if self.apollon:
            return 0
        ways = [self.recolor_steps(color, wanted)]
        ways += [self.recolor_steps(color, demigod) for demigod in self.companion_colors("demigod")]
        cost = min(ways)
        if self.ship_tile == "cheap_recolor":
            cost = max(0, cost - 1)
        return cost

    def sail_range(self, creature):
        return (
            3
            + (2 if self.ship_tile == "range" else 0)
            + (1 if self.has("range_plus_1") else 0)
            + (3 if creature else 0)
        )

    def must_recover(self):
        """R8"""
        equal, total = (4, 8) if self.has("injury_tolerance") else (3, 6)
        return len(self.injuries) >= total or any(n >= equal for n in counts(self.injuries).values())

    def gods_that_can_step(self):
        return [god for god in GODS if self.gods[god] < TOP_ROW]


class Tile:
    """One of the twelve island tiles."""

    def __init__(self, data):
        self.face_up = data.get("face_up", False)
        self.color = data.get("color", "")
        self.letter = data.get("letter", "")
        self.shrine = data.get("shrine", False)


# --------------------------------------------------------------------------
# The game
# --------------------------------------------------------------------------

CHANCE_KINDS = ["roll", "battle", "titan", "oracle", "injury", "equipment"]


class Reference:
    # ---- reading and writing -----------------------------------------------

    def __init__(self, state):
        state = copy.deepcopy(state)
        if "observer" in state:
            raise ValueError("an observation is not a full state")
        options = state.get("options", {})
        self.players = [Player(p) for p in state["players"]]
        self.options = {
            "players": options.get("players", 0) or len(self.players),
            "board": options.get("board", "") or "given",
            "ship_tiles": options.get("ship_tiles", "") or "random",
            "removed_tasks": options.get("removed_tasks", 0),
        }
        if self.options["players"] != len(self.players):
            raise ValueError("the number of players does not match the options")
        hexes = state.get("board") or board_from_placements(state["placements"], state["temples"])
        self.board = board_of(hexes)
        self.round = state.get("round", 0)
        self.turn = state.get("turn", 0)
        self.tiles = {(t.get("q", 0), t.get("r", 0)): Tile(t) for t in state.get("island_tiles", [])}
        self.offerings = {h: [] for h in self.board.of_kind("offering_island")}
        self.monsters = {h: [] for h in self.board.of_kind("monster_island")}
        for field, place in (("offerings", self.offerings), ("monsters", self.monsters)):
            for entry in state.get(field, []):
                place[(entry.get("q", 0), entry.get("r", 0))] = list(entry.get("colors", []))
        self.statues = {c: state.get("statues", {}).get(c, 0) for c in COLORS}
        self.raised = {((e.get("q", 0), e.get("r", 0)), e["color"]) for e in state.get("raised", [])}
        self.equipment_display = list(state.get("equipment_display", []))
        self.oracle_discard = list(state.get("oracle_discard", []))
        self.injury_discard = list(state.get("injury_discard", []))
        self.read_piles(state)

        self.main_phase = state.get("phase", "")
        self.result = ""
        self.winners = []
        self.agenda = []
        pending = state.get("pending")
        if self.main_phase == "over":
            self.result = (pending or {}).get("result", "")
            self.winners = list((pending or {}).get("winners", []))
        elif self.main_phase not in ("start", "act"):
            then = pending.pop("then", [])
            self.agenda = [self.read_item(item) for item in [pending] + then]
            if self.agenda[0]["kind"] != self.main_phase:
                raise ValueError("phase and pending disagree")
            self.main_phase = "act"
        self._moves = None
        self.settle()

    def read_item(self, item):
        """Fill in the default values of one agenda entry."""
        item = dict(item)
        item.setdefault("seat", 0)
        kind = item["kind"]
        if kind in ("battle", "fight"):
            for field in ("q", "r", "strength"):
                item.setdefault(field, 0)
        if kind == "scout":
            item["tiles"] = [{"q": t.get("q", 0), "r": t.get("r", 0)} for t in item["tiles"]]
        return item

    def read_piles(self, state):
        """Piles as given, or what is not to be seen elsewhere when a pile is left out."""

        def rest(per_color, visible):
            return [c for c in COLORS for _ in range(per_color - visible.count(c))]

        if "oracle_pile" in state:
            self.oracle_pile = list(state["oracle_pile"])
        else:
            visible = list(self.oracle_discard)
            for p in self.players:
                visible += p.oracle_cards + ([p.card_played] if p.card_played else [])
            self.oracle_pile = rest(ORACLE_CARDS_PER_COLOR, visible)
        if "injury_pile" in state:
            self.injury_pile = list(state["injury_pile"])
        else:
            visible = list(self.injury_discard)
            for p in self.players:
                visible += p.injuries
            self.injury_pile = rest(INJURY_CARDS_PER_COLOR, visible)
        if "equipment_pile" in state:
            self.equipment_pile = list(state["equipment_pile"])
        else:
            seen = set(self.equipment_display)
            for p in self.players:
                seen.update(p.equipment)
            self.equipment_pile = [card for card in EQUIPMENT if card not in seen]

    def phase(self):
        return self.agenda[0]["kind"] if self.agenda else self.main_phase

    def to_act(self):
        if not self.agenda:
            return -2 if self.main_phase == "over" else self.turn
        if self.agenda[0]["kind"] in CHANCE_KINDS:
            return -1
        return self.agenda[0]["seat"]

    def to_json(self):
        return self.write(None)

    def observation(self, seat):
        return self.write(seat)

    def write(self, viewer):
        """The full state (viewer None) or what one seat sees of it."""
        state = {"game": "delphi", "format": 1}
        if viewer is not None:
            state["observer"] = viewer
        state["options"] = dict(self.options)
        state["board"] = board_list(self.board.spaces)
        state["round"] = self.round
        state["turn"] = self.turn
        state["to_act"] = self.to_act()
        state["phase"] = self.phase()
        state["players"] = [self.write_player(seat, viewer) for seat in range(len(self.players))]
        state["island_tiles"] = [self.write_tile(h, viewer) for h in sorted(self.tiles, key=by_row)]
        for field, place in (("offerings", self.offerings), ("monsters", self.monsters)):
            state[field] = [
                {"q": h[0], "r": h[1], "colors": sort_colors(place[h])} for h in sorted(place, key=by_row)
            ]
        state["statues"] = dict(self.statues)
        state["raised"] = [
            {"q": h[0], "r": h[1], "color": c}
            for h, c in sorted(self.raised, key=lambda e: (by_row(e[0]), color_key(e[1])))
        ]
        state["equipment_display"] = sort_cards(self.equipment_display)
        state["equipment_pile"] = sort_cards(self.equipment_pile)
        state["oracle_pile"] = sort_colors(self.oracle_pile)
        state["oracle_discard"] = sort_colors(self.oracle_discard)
        state["injury_pile"] = sort_colors(self.injury_pile)
        state["injury_discard"] = sort_colors(self.injury_discard)
        if self.agenda:
            pending = self.write_item(self.agenda[0], viewer)
            pending["then"] = [self.write_item(item, viewer) for item in self.agenda[1:]]
            state["pending"] = pending
        elif self.main_phase == "over":
            state["pending"] = {"kind": "over", "result": self.result, "winners": list(self.winners)}
        return state

    def write_item(self, item, viewer):
        item = dict(item)
        if item["kind"] == "scout":
            item["tiles"] = [
                self.tile_facts((t["q"], t["r"]), viewer in (None, item["seat"])) for t in item["tiles"]
            ]
        if item["kind"] == "draft" and "ships" in item:
            item["ships"] = list(item["ships"])
        return item

    def tile_facts(self, hex_, visible):
        entry = {"q": hex_[0], "r": hex_[1]}
        if visible:
            entry["color"] = self.tiles[hex_].color
            entry["letter"] = self.tiles[hex_].letter
        return entry

    def write_tile(self, hex_, viewer):
        tile = self.tiles[hex_]
        entry = {"q": hex_[0], "r": hex_[1], "face_up": tile.face_up}
        if viewer is None or tile.face_up or hex_ in self.players[viewer].knows:
            entry["color"] = tile.color
            entry["letter"] = tile.letter
        entry["shrine"] = tile.shrine
        return entry

    def write_player(self, seat, viewer):
        p = self.players[seat]
        companions = sorted(p.companions, key=lambda c: (color_key(c[1]), COMPANION_KINDS.index(c[0])))
        return {
            "color": p.color,
            "ship_tile": p.ship_tile,
            "ship": {"q": p.ship[0], "r": p.ship[1]},
            "favor": p.favor,
            "shield": p.shield,
            "dice": sort_colors(p.dice),
            "dice_left": sort_colors(p.dice_left),
            "oracle_cards": sort_colors(p.oracle_cards),
            "card_played": p.card_played,
            "apollon": p.apollon,
            "extra_used": p.extra_used,
            "injuries": sort_colors(p.injuries),
            "gods": dict(p.gods),
            "tasks": {
                "shrine": p.shrine_tasks,
                "statue": p.statue_tasks,
                "offering": sort_colors(p.offering_tasks),
                "monster": sort_colors(p.monster_tasks),
            },
            "done": {
                "shrine": p.shrines_done,
                "statue": sort_colors(p.statues_done),
                "offering": sort_colors(p.offerings_done),
                "monster": sort_colors(p.monsters_done),
            },
            "cargo": {"offerings": sort_colors(p.offerings), "statues": sort_colors(p.statues)},
            "companions": [{"kind": kind, "color": color} for kind, color in companions],
            "equipment": sort_cards(p.equipment),
            "knows": [self.tile_facts(h, viewer in (None, seat)) for h in sorted(p.knows, key=by_row)],
            "arrived": p.arrived,
        }

    # ---- results -----------------------------------------------------------

    def returns(self):
        """R29; nothing is paid while the game goes on."""
        n = len(self.players)
        if self.main_phase != "over":
            return [0.0] * n
        if self.result == "length":
            return [1.0 / n] * n
        return [1.0 / len(self.winners) if seat in self.winners else 0.0 for seat in range(n)]

    def ranks(self):
        """1 is best, equals share a rank: the arrived first, then by tasks left (R28)."""

        def key(p):
            if p.arrived:
                return (0, 0, -len(p.oracle_cards), -p.favor)
            return (1, p.tasks_left(), -len(p.oracle_cards), -p.favor)

        keys = [key(p) for p in self.players]
        return [1 + sum(other < mine for other in keys) for mine in keys]

    # ---- chance ------------------------------------------------------------

    def chance_outcomes(self):
        if self.to_act() != -1:
            raise ValueError("no chance event is open")
        kind = self.agenda[0]["kind"]
        if kind == "roll":
            result = []
            for dice in combinations_with_replacement(COLORS, 3):
                orders = {1: 1, 2: 3, 3: 6}[len(set(dice))]
                result.append(("roll " + " ".join(dice), Fraction(orders, 216)))
            return result
        if kind == "battle":
            return [("battle %d" % n, Fraction(1, 10)) for n in range(10)]
        if kind == "titan":
            return [("titan %d" % n, Fraction(1, 6)) for n in range(1, 7)]
        if kind == "equipment":
            return [
                ("equipment " + card, Fraction(1, len(self.equipment_pile)))
                for card in sort_cards(self.equipment_pile)
            ]
        pile = self.oracle_pile if kind == "oracle" else self.injury_pile
        return [("%s %s" % (kind, color), Fraction(n, len(pile))) for color, n in counts(pile).items()]

    # ---- legal moves ---------------------------------------------------------

    def legal_moves(self):
        if self._moves is None:
            self._moves = self.find_moves()
        return list(self._moves)

    def find_moves(self):
        if self.to_act() == -2:
            return []
        if self.to_act() == -1:
            return [text for text, _ in self.chance_outcomes()]
        phase = self.phase()
        if phase == "act":
            return self.act_moves()
        if phase == "start":
            return self.start_moves()
        return self.item_moves(self.agenda[0])

    def start_moves(self):
        p = self.players[self.turn]
        if p.must_recover():
            hands = set(combinations(sort_colors(p.injuries), 3))
            return [
                "recover " + " ".join(hand)
                for hand in sorted(hands, key=lambda hand: [color_key(c) for c in hand])
            ]
        return ["take favor"] + ["step " + god for god in p.gods_that_can_step()]

    def item_moves(self, item):
        """Moves of the open sub-decision; an empty list means that it is skipped."""
        p = self.players[item["seat"]]
        kind = item["kind"]
        if kind == "draft":
            return ["ship " + tile for tile in item["ships"]]
        if kind == "setup":
            return self.setup_moves(p)
        if kind == "fight":
            return ["fight on", "give up"] if p.favor > 0 else []
        if kind == "equip":
            return ["equip " + card for card in sort_cards(self.equipment_display)]
        if kind == "companion":
            return ["companion " + k for k in COMPANION_KINDS if self.companion_free(k, item["color"])]
        if kind == "step":
            return ["step " + god for god in p.gods_that_can_step()]
        if kind == "heal":
            return ["heal " + color for color in counts(p.injuries)]
        if kind == "effect":
            moves = self.effect_moves(p, item["card"])
            return moves + ["decline"] if moves else []
        if kind == "scout":
            return ["reveal " + hex_text((t["q"], t["r"])) for t in item["tiles"]]
        if kind == "follow":
            rolled = self.players[self.turn].dice
            gods = [god for god in GODS if 0 < p.gods[god] < TOP_ROW and GOD_COLOR[god] in rolled]
            return ["step " + god for god in gods] + ["no step"] if gods else []
        raise ValueError("unknown phase %s" % kind)

    def setup_moves(self, p):
        if p.ship_tile == "equipped":
            return ["equip " + card for card in sort_cards(self.equipment_display)]
        if p.ship_tile == "eleven_tasks":
            moves = ["return shrine"] if p.shrine_tasks else []
            moves += ["return statue"] if p.statue_tasks else []
            moves += ["return offering " + c for c in sort_colors(set(p.offering_tasks))]
            moves += ["return monster " + c for c in sort_colors(set(p.monster_tasks))]
            return moves
        return []

    def companion_free(self, kind, color):
        return all((kind, color) not in p.companions for p in self.players)

    def face_down(self):
        return [h for h in sorted(self.tiles, key=by_row) if not self.tiles[h].face_up]

    def effect_moves(self, p, card):
        """What a one-time card offers apart from declining it (R26)."""
        if card.startswith("take_offering"):
            return [
                "take offering %s %s" % (color, hex_text(h))
                for color in sort_colors(TAKE_COLORS[card])
                if p.offering_fits(color)
                for h in sorted(self.offerings, key=by_row)
                if color in self.offerings[h]
            ]
        if card.startswith("take_statue"):
            return [
                "take statue " + color
                for color in sort_colors(TAKE_COLORS[card])
                if p.statue_fits(color) and self.statues[color] > 0
            ]
        if card == "god_to_top":
            return ["top " + god for god in GOD_TO_TOP_CHOICE if p.gods[god] < TOP_ROW]
        if card == "scout":
            return ["look %s %s" % (hex_text(a), hex_text(b)) for a, b in combinations(self.face_down(), 2)]
        raise ValueError("card %s has no choice" % card)

    # ---- legal moves of the action phase ---------------------------------------

    def act_moves(self):
        p = self.players[self.turn]
        plain = self.plain_actions(p)
        colored = {color: self.colored_actions(p, color) for color in COLORS}
        moves = []
        sources = [("die:" + c, c) for c in counts(p.dice_left)]
        if not p.card_played:
            sources += [("card:" + c, c) for c in counts(p.oracle_cards)]
        for source, natural in sources:
            moves += [source + " " + action for action in plain]
            for color in COLORS:
                cost = p.use_cost(natural, color)
                if cost > p.favor:
                    continue
                used = source if color == natural else source + ">" + color
                creature = color in p.companion_colors("creature")  # R12
                sails = self.sail_actions(p, color, p.favor - cost, creature)
                moves += [used + " " + action for action in sails + colored[color]]
        if p.has("extra_action") and not p.extra_used and p.favor >= 3:  # R25
            moves += ["extra " + action for action in plain]
            for color in COLORS:
                sails = self.sail_actions(p, color, p.favor - 3, False)
                moves += ["extra:%s %s" % (color, action) for action in sails + colored[color]]
        for god in GODS:
            if p.gods[god] == TOP_ROW:
                moves += ["god:%s %s" % (god, action) for action in self.god_actions(p, god) + ["draw"]]
        if not p.dice_left:
            moves.append("end")
        return moves

    def plain_actions(self, p):
        """The three actions that do not care about color."""
        unknown = [h for h in self.face_down() if h not in p.knows]  # R27
        actions = ["draw", "favor"]
        if len(unknown) == 1:
            actions.append("look " + hex_text(unknown[0]))
        actions += ["look %s %s" % (hex_text(a), hex_text(b)) for a, b in combinations(unknown, 2)]
        return actions

    def may_enter_zeus(self, p):
        return p.tasks_left() == 0 and not p.arrived  # R16, R28

    def sail_actions(self, p, color, purse, creature):
        """Destinations for a sail as one color with `purse` favor left to lengthen it (R12, R15, R16)."""
        if p.arrived:
            return []  # R28
        limit = p.sail_range(creature) + purse
        result = []
        for where, distance in self.board.distances(p.ship, p.has("cross_shallows")).items():
            if distance > limit:
                continue
            if where == self.board.zeus:
                allowed = self.may_enter_zeus(p)
            else:
                allowed = creature or self.board.color(where) == color
            if allowed:
                result.append(where)
        return ["sail " + hex_text(h) for h in sorted(result, key=by_row)]

    def in_reach(self, p, kind, card):
        """Spaces of one kind that the ship can act on, with or without the named reach card."""
        hexes = self.board.reach(p.ship, p.has(card))
        return sorted((h for h in hexes if self.board.kind(h) == kind), key=by_row)

    def colored_actions(self, p, color):
        """Every action but sailing that a die used as `color` allows."""
        actions = []
        if p.needs_monster(color):
            for h in self.in_reach(p, "monster_island", "fight_explore_build_reach"):
                if color in self.monsters[h]:
                    actions.append("fight " + hex_text(h))
        for h in self.in_reach(p, "island_tile", "fight_explore_build_reach"):
            if self.board.color(h) == color and h in self.tiles:
                tile = self.tiles[h]
                if not tile.face_up:
                    actions.append("explore " + hex_text(h))
                elif tile.color == p.color and not tile.shrine and p.shrine_tasks > 0:
                    actions.append("build " + hex_text(h))  # R19
        if p.offering_fits(color):
            for h in self.in_reach(p, "offering_island", "offering_reach"):
                if color in self.offerings[h]:
                    actions.append("load offering " + hex_text(h))
        if color in p.offerings and p.needs_offering(color):
            for h in self.in_reach(p, "temple_island", "offering_reach"):
                if self.board.color(h) == color:
                    actions.append("deliver " + hex_text(h))
        if p.statue_fits(color) and self.statues[color] > 0:
            for h in self.in_reach(p, "city", "statue_reach"):
                if self.board.color(h) == color:
                    actions.append("load statue " + hex_text(h))
        if color in p.statues and p.statue_tasks > 0 and color not in p.statues_done:
            for h in self.in_reach(p, "statue_island", "statue_reach"):
                if color in self.board.spaces[h]["sites"] and (h, color) not in self.raised:
                    actions.append("raise " + hex_text(h))
        if color in p.injuries:
            actions.append("heal")
        if p.gods[GOD_OF_COLOR[color]] < TOP_ROW:
            actions.append("advance")
        if p.has(color + "_bundle"):
            actions.append("bundle")
        return actions

    def god_actions(self, p, god):
        """The special action of a god on the top row, drawing a card aside (R23)."""
        if god == "poseidon":
            if p.arrived:
                return []
            places = [h for h in self.board.water if h != p.ship]
            if self.may_enter_zeus(p) and p.ship != self.board.zeus:
                places.append(self.board.zeus)
            return ["sail " + hex_text(h) for h in sorted(places, key=by_row)]
        if god == "apollon":
            return ["inspire"]
        if god == "artemis":
            return ["explore " + hex_text(h) for h in self.face_down()]
        if god == "aphrodite":
            return ["heal"] if p.injuries else []
        if god == "ares":
            return [
                "fight %s %s" % (hex_text(h), color)
                for h in self.in_reach(p, "monster_island", "fight_explore_build_reach")
                for color in sort_colors(self.monsters[h])
                if p.needs_monster(color)
            ]
        if not self.in_reach(p, "city", "statue_reach"):
            return []
        return [
            "load statue " + color for color in COLORS if self.statues[color] > 0 and p.statue_fits(color)
        ]

    # ---- carrying out --------------------------------------------------------

    def apply(self, text):
        if text not in self.legal_moves():
            raise ValueError("not legal here: %s" % text)
        self._moves = None
        words = text.split(" ")
        if self.agenda:
            item = self.agenda.pop(0)
            if item["kind"] in CHANCE_KINDS:
                self.apply_chance(item, words)
            else:
                self.apply_decision(item, words)
        elif self.main_phase == "start":
            self.apply_start(words)
        elif words == ["end"]:
            self.end_turn()
        else:
            self.apply_action(words)
        self.settle()

    def first(self, *items):
        """Put what an action causes in front of everything that waits already."""
        self.agenda = list(items) + self.agenda

    def settle(self):
        """Carry out all that needs no decision, until something is open again."""
        self._moves = None
        while self.agenda:
            item = self.agenda[0]
            kind, p = item["kind"], self.players[item["seat"]]
            if kind in ("roll", "battle", "titan"):
                return
            if kind in ("oracle", "injury"):
                self.refill(kind)
                if self.oracle_pile if kind == "oracle" else self.injury_pile:
                    return
            elif kind == "equipment":
                if self.equipment_pile and len(self.equipment_display) < DISPLAY_SIZE:
                    return
            elif kind == "favor":
                p.gain_favor(item["n"])
            elif kind == "shield":
                p.gain_shield(item["n"])
            elif kind == "advance":
                self.step(p, GOD_OF_COLOR[item["color"]])
            elif kind == "return_god":
                p.gods[GOD_OF_COLOR[item["color"]]] = self.first_row() if p.ship_tile == "gods" else 0
            elif kind == "begin":
                self.agenda.pop(0)
                self.begin_turn()
                continue
            elif kind == "next":
                self.agenda.pop(0)
                self.next_turn()
                continue
            elif self.item_moves(item):
                return
            self.agenda.pop(0)

    def refill(self, kind):
        """An empty pile becomes its discards once a card has to come from it (R14, R37)."""
        if kind == "oracle" and not self.oracle_pile:
            self.oracle_pile, self.oracle_discard = self.oracle_discard, []
        if kind == "injury" and not self.injury_pile:
            self.injury_pile, self.injury_discard = self.injury_discard, []

    def first_row(self):
        return 5 - len(self.players)

    def step(self, p, god):
        """One god step; none for a god on top (R22)."""
        if p.gods[god] == 0:
            p.gods[god] = self.first_row()
        elif p.gods[god] < TOP_ROW:
            p.gods[god] += 1

    def discard_injuries(self, p, color):
        """Discard all injuries of one color, or all of them with color None."""
        gone = [c for c in p.injuries if color in (None, c)]
        p.injuries = [c for c in p.injuries if color not in (None, c)]
        self.injury_discard += gone

    # ---- turns ---------------------------------------------------------------

    def begin_turn(self):
        p = self.players[self.turn]
        # With injuries but too few to recover there is nothing to choose (R8).
        self.main_phase = "start" if p.must_recover() or not p.injuries else "act"

    def apply_start(self, words):
        p = self.players[self.turn]
        self.main_phase = "act"
        if words[0] == "recover":
            for color in words[1:]:
                p.injuries.remove(color)
                self.injury_discard.append(color)
            self.finish_turn(roll=False)
        elif words[0] == "take":
            p.gain_favor(2)
        else:
            self.step(p, words[1])

    def end_turn(self):
        p = self.players[self.turn]
        if p.card_played:
            self.oracle_discard.append(p.card_played)
            p.card_played = ""
        p.apollon = False
        p.extra_used = False
        self.finish_turn(roll=True)

    def finish_turn(self, roll):
        """What comes after the actions: roll, follow steps, Titan, next seat (R13, R28)."""
        n = len(self.players)
        last = self.turn == n - 1
        if last and any(p.arrived for p in self.players):
            best = max((len(p.oracle_cards), p.favor) for p in self.players if p.arrived)
            self.finish_game(
                "arrival",
                [
                    seat
                    for seat, p in enumerate(self.players)
                    if p.arrived and (len(p.oracle_cards), p.favor) == best
                ],
            )
            return
        if roll:
            self.agenda.append({"kind": "roll", "seat": self.turn})
            self.agenda += [{"kind": "follow", "seat": (self.turn + i) % n} for i in range(1, n)]
        if last:
            self.agenda.append({"kind": "titan", "seat": self.turn})
        self.agenda.append({"kind": "next", "seat": self.turn})

    def next_turn(self):
        if self.turn == len(self.players) - 1:
            if self.round >= MAX_ROUNDS:
                self.finish_game("length", [])  # R29
                return
            self.round += 1
            self.turn = 0
        else:
            self.turn += 1
        self.begin_turn()

    def finish_game(self, result, winners):
        self.agenda = []
        self.main_phase = "over"
        self.result = result
        self.winners = winners

    # ---- chance outcomes -------------------------------------------------------

    def apply_chance(self, item, words):
        seat = item["seat"]
        p = self.players[seat]
        kind = item["kind"]
        if kind == "roll":
            p.dice = words[1:]
            p.dice_left = words[1:]
            for color in ("yellow", "red", "black"):
                if color in p.dice and p.has("favor_on_" + color):
                    p.gain_favor(2)  # R13, R36
        elif kind == "titan":
            strength = int(words[1])
            hurt = []
            for other, victim in enumerate(self.players):
                if strength == 6:
                    hurt += [{"kind": "injury", "seat": other}, {"kind": "injury", "seat": other}]
                elif victim.shield < strength:
                    hurt.append({"kind": "injury", "seat": other})
            self.first(*hurt)
        elif kind == "oracle":
            self.oracle_pile.remove(words[1])
            p.oracle_cards.append(words[1])
        elif kind == "injury":
            self.apply_injury(p, words[1])
        elif kind == "equipment":
            self.equipment_pile.remove(words[1])
            self.equipment_display.append(words[1])
        elif kind == "battle":
            self.apply_battle(item, int(words[1]))

    def apply_injury(self, p, color):
        self.injury_pile.remove(color)
        if color in p.companion_colors("hero"):
            self.injury_discard.append(color)  # R24, R37
        else:
            p.injuries.append(color)
        opening = any(item["kind"] == "begin" for item in self.agenda)
        god = GOD_OF_COLOR[color]
        if opening and p.gods[god] == 0:
            p.gods[god] = self.first_row()  # R5

    def apply_battle(self, item, roll):
        seat = item["seat"]
        where = (item["q"], item["r"])
        if roll >= item["strength"]:
            self.monster_defeated(seat, where, item["color"])
            return
        decision = dict(item, kind="fight")
        if roll == 0:
            self.first({"kind": "injury", "seat": seat}, decision)
        else:
            self.first(decision)

    # ---- sub-decisions -----------------------------------------------------------

    def apply_decision(self, item, words):
        seat = item["seat"]
        p = self.players[seat]
        kind = item["kind"]
        if kind == "draft":
            self.choose_ship_tile(item, words[1])
        elif kind == "setup":
            if words[0] == "equip":
                self.first({"kind": "oracle", "seat": seat})
                self.take_equipment(seat, words[1])
            else:
                self.return_task(p, words[1:])
        elif kind == "fight":
            if words == ["fight", "on"]:
                p.favor -= 1
                self.first(dict(item, kind="battle", strength=item["strength"] - 1))
        elif kind == "equip":
            self.take_equipment(seat, words[1])
        elif kind == "companion":
            p.companions.append((words[1], item["color"]))
            if words[1] == "hero":
                p.gain_shield(2)
                self.discard_injuries(p, item["color"])
            elif words[1] == "demigod":
                self.first({"kind": "oracle", "seat": seat})
        elif kind == "step":
            self.step(p, words[1])
            if item["n"] > 1:
                self.first(dict(item, n=item["n"] - 1))
        elif kind == "heal":
            self.discard_injuries(p, words[1])
        elif kind == "effect":
            self.apply_effect(seat, words)
        elif kind == "scout":
            self.uncover(seat, parse_hex(words[1]))
        elif kind == "follow":
            if words[0] == "step":
                self.step(p, words[1])

    def choose_ship_tile(self, item, tile):
        p = self.players[item["seat"]]
        p.ship_tile = tile
        if tile == "shield":
            p.shield = 2
        elif tile == "gods":
            p.gods = {god: self.first_row() for god in GODS}
        elif tile == "favor":
            p.favor += 1
        if self.agenda and self.agenda[0]["kind"] == "draft":
            self.agenda[0]["ships"] = [t for t in item["ships"] if t != tile]

    def return_task(self, p, what):
        """`eleven_tasks`: one Zeus tile leaves the game unrewarded (R35)."""
        if what == ["shrine"]:
            p.shrine_tasks -= 1
        elif what == ["statue"]:
            p.statue_tasks -= 1
        elif what[0] == "offering":
            p.offering_tasks.remove(what[1])
        else:
            p.monster_tasks.remove(what[1])

    def take_equipment(self, seat, card):
        """Take a card; the display is refilled before the card does anything (R31)."""
        p = self.players[seat]
        self.equipment_display.remove(card)
        p.equipment.append(card)
        items = [{"kind": "equipment", "seat": seat}]
        if card == "windfall":
            items += [
                {"kind": "favor", "seat": seat, "n": 3},
                {"kind": "oracle", "seat": seat},
                {"kind": "step", "seat": seat, "n": 2},
            ]
        elif card == "storage_and_shield":
            items.append({"kind": "shield", "seat": seat, "n": 1})
        elif card in CHOICE_CARDS:
            items.append({"kind": "effect", "seat": seat, "card": card})
        self.first(*items)

    def apply_effect(self, seat, words):
        p = self.players[seat]
        if words[:2] == ["take", "offering"]:
            self.offerings[parse_hex(words[3])].remove(words[2])
            p.offerings.append(words[2])
        elif words[:2] == ["take", "statue"]:
            self.take_statue(p, words[2])
        elif words[0] == "top":
            p.gods[words[1]] = TOP_ROW
        elif words[0] == "look":
            pair = [parse_hex(w) for w in words[1:]]
            p.knows.update(pair)
            self.first({"kind": "scout", "seat": seat, "tiles": [{"q": h[0], "r": h[1]} for h in pair]})

    # ---- actions -----------------------------------------------------------------

    def apply_action(self, words):
        seat = self.turn
        p = self.players[seat]
        source, action = words[0], words[1:]
        if source.startswith("god:"):
            self.apply_god(seat, source[4:], action)
            return
        kind, _, colors = source.partition(":")
        natural, _, used = colors.partition(">")
        used = used or natural
        if kind == "extra":
            p.favor -= 3
            p.extra_used = True
        else:
            if natural != used:
                p.favor -= p.use_cost(natural, used)
            if kind == "die":
                p.dice_left.remove(natural)
            else:
                p.oracle_cards.remove(natural)
                p.card_played = natural
        name = action[0]
        if name == "draw":
            self.first({"kind": "oracle", "seat": seat})
        elif name == "favor":
            p.gain_favor(2)
        elif name == "look":
            p.knows.update(parse_hex(w) for w in action[1:])
        elif name == "sail":
            creature = kind != "extra" and used in p.companion_colors("creature")
            where = parse_hex(action[1])
            distance = self.board.distances(p.ship, p.has("cross_shallows"))[where]
            p.favor -= max(0, distance - p.sail_range(creature))
            self.move_ship(p, where)
        elif name == "fight":
            where = parse_hex(action[1])
            self.first(
                {
                    "kind": "battle",
                    "seat": seat,
                    "q": where[0],
                    "r": where[1],
                    "color": used,
                    "strength": 9 - p.shield,
                }
            )  # R18
        elif name == "explore":
            self.uncover(seat, parse_hex(action[1]))
        elif name == "build":
            self.build_shrine(seat, parse_hex(action[1]))
        elif action[:2] == ["load", "offering"]:
            self.offerings[parse_hex(action[2])].remove(used)
            p.offerings.append(used)
        elif action[:2] == ["load", "statue"]:
            self.take_statue(p, used)
        elif name == "deliver":
            p.offerings.remove(used)
            p.offering_tasks.remove(used if used in p.offering_tasks else "any")
            p.offerings_done.append(used)
            p.gain_favor(3)
            self.first(*self.reward_step(seat))
        elif name == "raise":
            p.statues.remove(used)
            p.statue_tasks -= 1
            p.statues_done.append(used)
            self.raised.add((parse_hex(action[1]), used))
            self.first({"kind": "companion", "seat": seat, "color": used}, *self.reward_step(seat))
        elif name == "heal":
            self.discard_injuries(p, used)
        elif name == "advance":
            self.step(p, GOD_OF_COLOR[used])
        elif name == "bundle":
            p.gain_favor(1)
            self.first({"kind": "oracle", "seat": seat}, {"kind": "advance", "seat": seat, "color": used})

    def apply_god(self, seat, god, action):
        """Special actions; the god goes home after all that follows from it (R23)."""
        p = self.players[seat]
        self.first({"kind": "return_god", "seat": seat, "color": GOD_COLOR[god]})
        if action == ["draw"]:
            self.first({"kind": "oracle", "seat": seat})
        elif god == "poseidon":
            self.move_ship(p, parse_hex(action[1]))
        elif god == "apollon":
            p.apollon = True
            self.first({"kind": "oracle", "seat": seat})
        elif god == "artemis":
            self.uncover(seat, parse_hex(action[1]))
        elif god == "aphrodite":
            self.discard_injuries(p, None)
        elif god == "ares":
            self.monster_defeated(seat, parse_hex(action[1]), action[2])
        elif god == "hermes":
            self.take_statue(p, action[2])

    def move_ship(self, p, where):
        p.ship = where
        if where == self.board.zeus:
            p.arrived = True

    def take_statue(self, p, color):
        self.statues[color] -= 1
        p.statues.append(color)

    def reward_step(self, seat):
        """The extra god step after a reward, for those who own its card already (R21)."""
        if self.players[seat].has("god_step_on_reward"):
            return [{"kind": "step", "seat": seat, "n": 1}]
        return []

    def monster_defeated(self, seat, where, color):
        p = self.players[seat]
        self.monsters[where].remove(color)
        p.monster_tasks.remove(color if color in p.monster_tasks else "any")
        p.monsters_done.append(color)
        self.first({"kind": "equip", "seat": seat}, *self.reward_step(seat))

    def build_shrine(self, seat, where):
        p = self.players[seat]
        self.tiles[where].shrine = True
        p.shrine_tasks -= 1
        p.shrines_done += 1
        self.first({"kind": "step", "seat": seat, "n": 1})

    def uncover(self, seat, where):
        """Turn an island tile up and pay for it (R19)."""
        p = self.players[seat]
        tile = self.tiles[where]
        tile.face_up = True
        for other in self.players:
            other.knows.discard(where)
        if tile.color == p.color and p.shrine_tasks > 0:
            self.build_shrine(seat, where)
        elif tile.letter == "psi":
            p.gain_favor(4)
        elif tile.letter == "phi":
            self.first({"kind": "oracle", "seat": seat}, {"kind": "oracle", "seat": seat})
        elif tile.letter == "sigma":
            self.first({"kind": "step", "seat": seat, "n": 3})
        elif tile.letter == "omega":
            self.first({"kind": "heal", "seat": seat}, {"kind": "shield", "seat": seat, "n": 1})
