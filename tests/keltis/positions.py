"""Positions for scenarios: say what matters, the rest is filled in so that everything adds up."""

from collections import Counter

from pythia.core_cy import load_game, state_from_json
from pythia.core_cy.keltis import components

CARDS = [f"{color} {number}" for color in components.COLORS for number in components.NUMBERS]


def path(**tiles):
    """A path with these tiles, given as `at3="spiral"`, `at4="clover blue"`, `at5="points 2"`; the rest in order."""
    wanted = {int(name.removeprefix("at")): text.split() for name, text in tiles.items()}
    wanted = {space: (words[0], detail(words)) for space, words in wanted.items()}
    left = Counter(components.TILES)
    left.subtract(wanted.values())
    assert min(left.values()) >= 0, "more tiles of a kind than there are"
    rest = iter(left.elements())
    # Points first: a scenario meets nothing else by accident before it runs out of them.
    rest = iter(sorted(rest, key=lambda tile: tile[0] != "points"))
    written = []
    for space in components.SMALL_STONES:
        kind, value = wanted.get(space) or next(rest)
        tile = {"space": space, "tile": kind}
        if kind == "points":
            tile["value"] = value
        elif kind == "clover":
            tile["color"] = value
        elif kind == "mirror":
            tile["taken"] = False
        written.append(tile)
    return written


def detail(words):
    if len(words) == 1:
        return None
    return int(words[1]) if words[0] == "points" else words[1]


def position(*players, tiles=None, discards=None, pile_count=None, **fields):
    """The JSON of a position at the start of seat 0's turn; players as dicts of what is not as at the start."""
    players = [dict(player) for player in (players or ({}, {}))]
    count = len(players)
    obj = load_game("keltis", players=count, seed=1).new_state().to_json()
    obj["path"] = path(**(tiles or {}))
    obj["discards"].update(discards or {})
    obj.update(fields)
    for seat, player in enumerate(players):
        rows = dict(obj["players"][seat]["rows"])
        rows.update(player.pop("rows", {}))
        obj["players"][seat] = obj["players"][seat] | {"hand": None} | player | {"rows": rows}
    if "round" not in fields:
        # Late enough for the points, of which a turn brings at most 5.
        obj["round"] += max(-(-player["score"] // 5) for player in obj["players"])
    deal_rest(obj, pile_count)
    share_stones(obj)
    return obj


def deal_rest(obj, pile_count):
    """Hands that were not given get cards from the end of the list; then come the removed cards, then the pile."""
    left = Counter(dict.fromkeys(CARDS, 2))
    left.subtract(f"{color} {number}" for color, pile in obj["discards"].items() for number in pile)
    for player in obj["players"]:
        left.subtract(f"{color} {number}" for color, row in player["rows"].items() for number in row)
        left.subtract(player["hand"] or [])
    rest = [card for card in CARDS for _ in range(left[card])]
    draws = obj.get("pending", {}).get("draws", 1 if obj["phase"] in ("clover", "spiral", "goblin") else 0)
    for seat, player in enumerate(obj["players"]):
        if player["hand"] is None:
            size = components.HAND - (draws if seat == obj["turn"] else 0)
            player["hand"] = [rest.pop() for _ in range(size)]
    removed = components.removed_cards(len(obj["players"]))
    most = len(CARDS) * components.COPIES - removed - components.HAND * len(obj["players"])
    # What is too much for the pile was discarded before.
    while len(rest) - removed > (most if pile_count is None else pile_count):
        color, number = rest.pop().split()
        obj["discards"][color].insert(0, int(number))
    obj["removed"], obj["pile"] = rest[:removed], rest[removed:]
    obj["pile_count"] = len(obj["pile"])


def share_stones(obj):
    """Wish stones and mirrors that players have leave the path."""
    held = sum(player["wish_stones"] for player in obj["players"])
    for stone in obj["wish_stones"]:
        gone = min(held, stone["stones"])
        stone["stones"] -= gone
        held -= gone
    taken = sum(player["mirrors"] for player in obj["players"])
    for tile in [tile for tile in obj["path"] if tile["tile"] == "mirror"][:taken]:
        tile["taken"] = True


def state(*players, **fields):
    return state_from_json(position(*players, **fields))
