"""Positions for the rule tests: one fixed board, laid out like a table by hand, then read as JSON.

    scene = Scene().ship(beside(city)).dice("red", "red", "blue").favor(2)
    state = scene.state()
    assert legal(state, "die:red load") == {...}
    play(state, "die:red load statue -5,1", ...)

`Scene` keeps the pieces in the box counted: what a seat gets is taken from where it lies. Reading the position
checks that once more. The geometry below is written with plain searches and shares nothing with the engine.

At first seat 0 acts in round 1 with no favor, no injuries, all gods on row 0 and the ship on the Zeus space. Its
ship tile is `equipped`, which does nothing after the set-up, and its one card is a used one-time card. All have
the tasks offering any, blue, yellow and monster any, red, black.
"""

import copy
import functools
from collections import deque

from pythia.core_cy import CHANCE, load_game, state_from_json
from pythia.core_cy.delphi.components import COLORS, EQUIPMENT_IDS, SHIP_TILE_IDS

GOD_COLORS = {
    "aphrodite": "red",
    "ares": "black",
    "hermes": "pink",
    "poseidon": "blue",
    "apollon": "yellow",
    "artemis": "green",
}
GODS = tuple(GOD_COLORS)
SEAT_COLORS = ("red", "yellow", "green", "blue")
FIRST_ROW = {2: 3, 3: 2, 4: 1}
SEED = 1
# Cards that a seat gets when a test names none: one-time cards do nothing any more once they are owned.
ANY_CARDS = (
    "windfall",
    "god_to_top",
    "scout",
    "take_offering_a",
    "take_offering_b",
    "take_statue_a",
    "take_statue_b",
)
ANY_CARDS = (*ANY_CARDS, *(card for card in EQUIPMENT_IDS if card not in ANY_CARDS))


# -- the board


def text(hex):
    return f"{hex[0]},{hex[1]}"


def neighbours(hex):
    q, r = hex
    return [(q + 1, r), (q - 1, r), (q, r + 1), (q, r - 1), (q + 1, r - 1), (q - 1, r + 1)]


@functools.cache
def board():
    """Every hex of the board by its place."""
    position = load_game("delphi", players=2, seed=SEED).new_state().to_json()
    return {(hex["q"], hex["r"]): hex for hex in position["board"]}


def places(kind, **facts):
    """The hexes of a kind, by (r, q)."""
    found = [place for place, hex in board().items() if hex["kind"] == kind]
    found = [
        place for place in found if all(board()[place].get(name) == fact for name, fact in facts.items())
    ]
    return sorted(found, key=lambda place: (place[1], place[0]))


def place(kind, **facts):
    return places(kind, **facts)[0]


def zeus():
    return place("zeus")


def kind(hex):
    return board()[hex]["kind"] if hex in board() else ""


def color_of(hex):
    return board()[hex].get("color", "")


def beside(*targets, away_from=(), color=None):
    """The first water space that touches all targets, nothing of `away_from`, and is of the color."""
    for hex in places("water") if color is None else places("water", color=color):
        near = neighbours(hex)
        if all(target in near for target in targets) and not any(other in near for other in away_from):
            return hex
    raise LookupError(f"no such water space beside {targets}")


def quiet_spot(kind):
    """A hex of a kind and a water space from which it is the only thing in reach, but for water and shallows."""
    for target in places(kind):
        for hex in places("water"):
            others = {near for near in neighbours(hex) if near in board() and near != target}
            if target in neighbours(hex) and all(board()[o]["kind"] in ("water", "shallow") for o in others):
                return target, hex
    raise LookupError(f"no quiet spot beside a {kind}")


def two_away(target):
    """A water space that does not touch the target but has one water space in between (R17)."""
    for hex in places("water"):
        between = [near for near in neighbours(hex) if kind(near) == "water" and target in neighbours(near)]
        if between and target not in neighbours(hex):
            return hex
    raise LookupError(f"no such water space for {target}")


def far_from(*kinds):
    """A water space from which nothing of these kinds is in reach, even with a reach card."""
    for hex in places("water"):
        near = set(neighbours(hex))
        near |= {other for middle in near if kind(middle) == "water" for other in neighbours(middle)}
        if not any(kind(other) in kinds for other in near):
            return hex
    raise LookupError(f"no water space far from {kinds}")


def distances(start, crossing=False, spaces=None):
    """Spaces to sail from a hex to every water space and to Zeus, by breadth-first search (R15, R33)."""
    spaces = spaces or {hex: fact["kind"] for hex, fact in board().items()}
    free = {"shallow", "zeus"} if crossing else set()
    far = {start: 0}
    queue = deque([start])
    while queue:
        hex = queue.popleft()
        if spaces[hex] == "zeus" and hex != start and not crossing:
            continue
        for near in neighbours(hex):
            step = 0 if spaces.get(near) in free else 1
            if spaces.get(near) in free | {"water"} and far[hex] + step < far.get(near, 99):
                far[near] = far[hex] + step
                (queue.append if step else queue.appendleft)(near)
    zeus_hex = next(hex for hex, word in spaces.items() if word == "zeus")
    if start != zeus_hex:
        far[zeus_hex] = 1 + min(far[near] for near in neighbours(zeus_hex))
    return {hex: spaces_away for hex, spaces_away in far.items() if spaces[hex] != "shallow"}


def sails(source, start, reach, color=None, crossing=False):
    """The texts of sailing from a hex to water of a color, or of any, at most `reach` spaces away."""
    return {
        f"{source} sail {text(hex)}"
        for hex, far in distances(start, crossing).items()
        if 0 < far <= reach and kind(hex) == "water" and color in (None, color_of(hex))
    }


# -- the pieces


@functools.cache
def opening(players, removed):
    """A game with its set-up played: everyone rolls red, black, pink and draws a green injury."""
    state = load_game("delphi", players=players, seed=SEED, removed_tasks=removed).new_state()
    scripted = {"roll": "roll red black pink", "injury": "injury green", "oracle": "oracle red"}
    while (phase := state.to_json()["phase"]) not in ("start", "act"):
        state.apply(scripted.get(phase) or state.legal_moves()[0])
    return state.to_json()


class Scene:
    """A position under construction; every method changes it and gives it back."""

    def __init__(self, players=2, removed=0):
        self.json = copy.deepcopy(opening(players, removed))
        self.players = self.json["players"]
        self.json.update(round=1, turn=0, phase="act", to_act=0)
        tokens = dict.fromkeys(COLORS, 3)
        self.json.update(
            statues=tokens, raised=[], oracle_discard=[], injury_discard=[], equipment_display=[]
        )
        offering, monster = ["any", "blue", "yellow"], ["any", "red", "black"]
        for seat, player in enumerate(self.players):
            player.update(favor=0, shield=0, oracle_cards=[], injuries=[], companions=[], equipment=[])
            player.update(
                gods=dict.fromkeys(GODS, 0),
                ship_tile=("equipped", "range", "two_way_recolor", "cheap_recolor")[seat],
            )
            player["tasks"] = {
                "shrine": 3 - (removed >= 2),
                "statue": 3 - (removed >= 1),
                "offering": offering[: 3 - (removed >= 4)],
                "monster": monster[: 3 - (removed >= 3)],
            }
            player["done"] = {"shrine": 0, "statue": [], "offering": [], "monster": []}

    def state(self):
        """The position, read from its JSON."""
        position = copy.deepcopy(self.json)
        for name in ("oracle_pile", "injury_pile", "equipment_pile"):
            position.pop(name, None)  # what is not elsewhere
        owned = {card for player in self.players for card in player["equipment"]}
        spare = [card for card in ANY_CARDS if card not in owned | set(position["equipment_display"])]
        for player in position["players"]:
            brought = len(player["done"]["monster"]) + (player["ship_tile"] == "equipped")
            while len(player["equipment"]) < brought:
                player["equipment"].append(spare.pop(0))
                owned.add(player["equipment"][-1])
        display = position["equipment_display"]
        display += [card for card in EQUIPMENT_IDS if card not in owned | set(display)]
        del display[6:]
        return state_from_json(position)

    def at(self, round, turn=0, phase="act"):
        self.json.update(round=round, turn=turn, phase=phase, to_act=turn)
        return self

    # what a seat has

    def ship(self, hex, seat=0):
        self.players[seat]["ship"] = {"q": hex[0], "r": hex[1]}
        return self

    def dice(self, *colors, seat=0):
        """The dice still to be used; those that are missing to three have been used as red ones."""
        left = sorted(colors, key=COLORS.index)
        rolled = sorted([*colors, *["red"] * (3 - len(colors))], key=COLORS.index)
        self.players[seat].update(dice=rolled, dice_left=left)
        return self

    def favor(self, number, seat=0):
        self.players[seat]["favor"] = number
        return self

    def shield(self, number, seat=0):
        self.players[seat]["shield"] = number
        return self

    def cards(self, *colors, seat=0):
        self.players[seat]["oracle_cards"] = list(colors)
        return self

    def injuries(self, *colors, seat=0):
        self.players[seat]["injuries"] = list(colors)
        return self

    def gods(self, seat=0, **rows):
        self.players[seat]["gods"].update(rows)
        return self

    def top(self, *gods, seat=0):
        return self.gods(seat, **dict.fromkeys(gods, 6))

    def ship_tile(self, name, seat=0):
        """Gives a seat a ship tile; whoever has it gets the seat's in return."""
        player = self.players[seat]
        for other in self.players:
            if other["ship_tile"] == name:
                other["ship_tile"] = player["ship_tile"]
        player["ship_tile"] = name
        if name == "gods":
            first = FIRST_ROW[len(self.players)]
            player["gods"] = {god: max(row, first) for god, row in player["gods"].items()}
        if name == "eleven_tasks":
            player["tasks"]["shrine"] -= 1
        assert name in SHIP_TILE_IDS
        return self

    def own(self, *cards, seat=0):
        """Equipment; more cards than the ship tile and the monsters defeated have brought are refused."""
        self.players[seat]["equipment"] = list(cards)
        return self

    def display(self, *cards):
        """Cards on display, filled up to 6 by others."""
        self.json["equipment_display"] = list(cards)
        return self

    def companion(self, kind, color, seat=0):
        """A companion, so also a statue that stands somewhere and a task less."""
        player = self.players[seat]
        player["companions"].append({"kind": kind, "color": color})
        if kind == "hero":
            player["shield"] = min(5, player["shield"] + 2)
        player["done"]["statue"].append(color)
        player["tasks"]["statue"] -= 1
        self.json["statues"][color] -= 1
        return self._raise(color)

    def _raise(self, color):
        taken = [(statue["q"], statue["r"]) for statue in self.json["raised"] if statue["color"] == color]
        sites = [
            hex for hex in places("statue_island") if color in board()[hex]["sites"] and hex not in taken
        ]
        self.json["raised"].append({"q": sites[-1][0], "r": sites[-1][1], "color": color})
        return self

    def aboard(self, offerings=(), statues=(), seat=0):
        for color in offerings:
            self._take("offerings", color)
        for color in statues:
            self.json["statues"][color] -= 1
        self.players[seat]["cargo"] = {"offerings": list(offerings), "statues": list(statues)}
        return self

    def delivered(self, *colors, seat=0):
        return self._done("offering", colors, seat)

    def defeated(self, *colors, seat=0):
        return self._done("monster", colors, seat)

    def _done(self, task, colors, seat):
        player = self.players[seat]
        for color in colors:
            self._take(task + "s", color)
            tasks = player["tasks"][task]
            tasks.remove(color if color in tasks else "any")
            player["done"][task].append(color)
        return self

    def _take(self, pieces, color):
        """The last piece of a color on the islands is taken away."""
        island = [island for island in self.json[pieces] if color in island["colors"]][-1]
        island["colors"].remove(color)

    def knows(self, *hexes, seat=0):
        tiles = {(tile["q"], tile["r"]): tile for tile in self.json["island_tiles"]}
        self.players[seat]["knows"] = [
            {name: tiles[hex][name] for name in ("q", "r", "color", "letter")} for hex in hexes
        ]
        return self

    def all_done(self, seat=0, companions=(), but=""):
        """Every task of a seat is done, but for one of a type; the statues brought heroes, or these (kind, color)s."""
        player = self.players[seat]
        colors = (("black", "pink", "green"), ("red", "blue", "yellow"))[seat % 2]
        heroes = [("hero" if seat < 2 else "creature", color) for color in colors]
        for kind, color in (*companions, *heroes)[: player["tasks"]["statue"] - (but == "statue")]:
            self.companion(kind, color, seat)
        own = [tile for tile in self.json["island_tiles"] if tile["color"] == SEAT_COLORS[seat]]
        for tile in own[: player["tasks"]["shrine"] - (but == "shrine")]:
            self.tile((tile["q"], tile["r"]), face_up=True, shrine=True)
        for task, white in (("offering", "red"), ("monster", "pink")):
            colors = [white if color == "any" else color for color in player["tasks"][task]]
            self._done(task, colors[int(but == task) :], seat)
        return self

    # what lies on the board

    def tile(self, hex, color=None, letter=None, face_up=False, shrine=False):
        """Turns a tile up, or first puts a certain tile there in exchange for the one that lay there."""
        tiles = {(tile["q"], tile["r"]): tile for tile in self.json["island_tiles"]}
        tile = tiles[hex]
        if color:
            other = next(t for t in tiles.values() if (t["color"], t["letter"]) == (color, letter))
            for name in ("color", "letter"):
                tile[name], other[name] = other[name], tile[name]
        tile.update(face_up=face_up, shrine=shrine)
        if shrine:
            owner = self.players[SEAT_COLORS.index(tile["color"])]
            owner["tasks"]["shrine"] -= 1
            owner["done"]["shrine"] += 1
        return self

    def face_up(self, *hexes):
        for hex in hexes:
            self.tile(hex, face_up=True)
        return self

    def put(self, pieces, hex, color):
        """An offering or monster of a color onto an island, in exchange for one that lay there."""
        here = self.colors_on(pieces, hex)
        if color not in here:
            others = [island["colors"] for island in self.json[pieces] if color in island["colors"]]
            there = next(colors for colors in others if set(here) - set(colors))
            other = next(c for c in here if c not in there)
            here[here.index(other)], there[there.index(color)] = color, other
        return self

    def island(self, pieces, color):
        """The first island on which there is an offering or a monster of a color."""
        island = next(island for island in self.json[pieces] if color in island["colors"])
        return island["q"], island["r"]

    def colors_on(self, pieces, hex):
        return next(i["colors"] for i in self.json[pieces] if (i["q"], i["r"]) == hex)


# -- play


def play(state, *moves):
    """Applies moves and outcomes by their text."""
    for move in moves:
        state.apply(move)
    return state


def after(state, *moves):
    """The same in a copy."""
    return play(state.clone(), *moves)


def legal(state, prefix=""):
    """The texts of the legal moves that start with a prefix."""
    moves = [str(move) for move in state.legal_moves()]
    assert len(moves) == len(set(moves))
    return {move for move in moves if move.startswith(prefix)}


def actions(state, prefix=""):
    """The legal moves but for looking at tiles and for sailing."""
    return {move for move in legal(state, prefix) if " look " not in move and " sail " not in move}


def player(state, seat=0):
    return state.to_json()["players"][seat]


def phase(state):
    return state.to_json()["phase"]


def pending(state):
    return state.to_json().get("pending", {})


def waiting(state):
    """What is open and what waits below it, next first, as `kind seat`."""
    open_now = pending(state)
    return [f"{entry['kind']} {entry['seat']}" for entry in (open_now, *open_now.get("then", []))]


def odds(state):
    return {str(move): probability for move, probability in state.chance_outcomes()}


def roll_on(state, roll="roll red black pink", titan="titan 1"):
    """From `end` to the next decision of the next turn: nobody follows, injuries drawn are green."""
    answers = {"roll": roll, "follow": "no step", "titan": titan, "injury": "injury green"}
    while (now := phase(state)) in answers:
        state.apply(answers[now])
    assert state.to_act != CHANCE
    return state
