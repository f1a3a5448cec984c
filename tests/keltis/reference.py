"""A second engine of Keltis: Das Orakel, slow and plain, written from the rulings in docs/keltis.md (K numbers).

It shares nothing with the engine but the notation of moves and positions, so that the two can be compared move by
move. Figures are objects with a memory of their own turn, cards are texts in lists, and every rule is looked up in the
facts as they are printed below.
"""

from __future__ import annotations

import copy

COLORS = ("blue", "yellow", "green", "red", "pink")
# K3: spaces 1 to 35.
PATH = "BYGRP YPRBG PGBYR BRYGP RGPBY GYRPB YBRGP".replace(" ", "")
LETTERS = {"B": "blue", "Y": "yellow", "G": "green", "R": "red", "P": "pink"}
COLOR_OF = {space: LETTERS[letter] for space, letter in enumerate(PATH, start=1)}
BIG_STONES = (7, 14, 21, 28, 35)
GOAL = range(29, 36)
# K4: the last space of each value.
VALUES = {0: 0, 5: -4, 10: -3, 14: -2, 16: 0, 18: 1, 21: 2, 25: 3, 28: 5, 31: 6, 34: 7, 35: 10}
WISHES = (-4, -3, 2, 3, 6, 10)  # K6; the last for every further stone
HAND = 8
LAST_ROUND = 100


def value_of(space):
    return next(value for last, value in VALUES.items() if space <= last)


def next_space(space, color):
    return next((ahead for ahead in range(space + 1, 36) if COLOR_OF[ahead] == color), None)


class Figure:
    def __init__(self, space):
        self.space = space
        self.began = space  # K10: each figure has its own
        self.used = set()  # spirals, by their spaces

    def memory(self):
        return self.space, self.began, tuple(sorted(self.used))


class Player:
    def __init__(self, obj):
        self.figures = [Figure(space) for space in obj["figures"]]
        self.score = obj["score"]
        self.stones = obj["wish_stones"]
        self.mirrors = obj["mirrors"]
        self.scored = obj["goblins_scored"]
        self.rows = {color: list(obj["rows"][color]) for color in COLORS}
        self.hand = list(obj["hand"])
        self.known = list(obj["known"])

    def spaces(self):
        return sorted((figure.space for figure in self.figures), reverse=True)

    def fits(self, color, number):
        """K9."""
        row = self.rows[color]
        if not row or len(set(row)) == 1:
            return True
        return number >= row[-1] if row[-1] > row[0] else number <= row[-1]

    def points(self):
        wishes = WISHES[min(self.stones, 5)] * (1 + self.mirrors)
        return self.score + wishes + sum(value_of(figure.space) for figure in self.figures)


class Reference:
    """A game from a position at the start of a turn, written as the engine writes it."""

    def __init__(self, obj):
        assert obj["phase"] == "play"
        self.options = obj["options"]
        self.players = [Player(player) for player in obj["players"]]
        self.round, self.turn = obj["round"], obj["turn"]
        self.phase = "play"
        self.tiles = {tile["space"]: dict(tile) for tile in obj["path"]}
        self.left_on = {stone["space"]: stone["stones"] for stone in obj["wish_stones"]}
        self.discards = {color: list(obj["discards"][color]) for color in COLORS}
        self.pile, self.removed = list(obj["pile"]), list(obj["removed"])
        self.priestess = obj["priestess"]
        self.draws, self.blocked = 0, ""
        self.mover = None
        self.result = None

    def copy(self):
        return copy.deepcopy(self)

    @property
    def player(self):
        return self.players[self.turn]

    # -- what may be done

    def legal(self):
        return {
            "play": self.plays,
            "clover": lambda: [*self.steps(), "decline"],
            "spiral": lambda: [*(f"back {space}" for space in self.ways_back()), "decline"],
            "goblin": self.drops,
            "score": lambda: ["score", "decline"],
            "take": self.takes,
            "draw": lambda: sorted({f"draw {card}" for card in self.pile}),
            "over": list,
        }[self.phase]()

    def plays(self):
        found = []
        for card in sorted(set(self.player.hand)):
            color, number = card.split()
            number = int(number)
            found.append(f"discard {card}")
            if not self.player.fits(color, number):
                continue
            for space in set(self.player.spaces()):
                if next_space(space, color):
                    found.append(f"play {card} figure {space}")
            for spaces in range(1, max(1, abs(number - 5)) + 1):  # K7
                if self.priestess + spaces <= 35:
                    found.append(f"play {card} priestess {spaces}")
        if self.goblin_points():
            found.append("score")
        return found

    def steps(self):
        """K10, K12."""
        color = self.tiles[self.mover.space]["color"]
        if self.options["clover"] == "same":
            return [f"step {self.mover.space}"] if next_space(self.mover.space, color) else []
        return [
            f"step {space} {('', 'second', 'third')[place]}".strip()
            for space in set(self.player.spaces())
            if next_space(space, color)
            for place in range(len(self.told_apart(space)))
        ]

    def told_apart(self, space):
        """Figures on a space with different memories: the one that came to the tile, then the farthest began first."""
        here = [figure for figure in self.player.figures if figure.space == space]
        here.sort(key=lambda figure: (figure is not self.mover, -figure.began, self.spiral_order(figure)))
        different = {}
        for figure in here:
            different.setdefault(figure.memory(), figure)
        return list(different.values())

    def spiral_order(self, figure):
        """Sets of spirals, ordered as binary numbers in which the first spiral of the path counts least."""
        spirals = [space for space in sorted(self.tiles) if self.tiles[space]["tile"] == "spiral"]
        return sum(1 << spirals.index(space) for space in figure.used)

    def ways_back(self):
        return [space for space in range(self.mover.space) if space != self.mover.began]

    def drops(self):
        cards = [f"drop hand {card}" for card in sorted(set(self.player.hand))]
        return [*cards, *(f"drop row {color}" for color in COLORS if self.player.rows[color]), "decline"]

    def takes(self):
        open_piles = [color for color in COLORS if self.discards[color] and color != self.blocked]
        return ["take pile", *(f"take {color}" for color in open_piles)]

    def goblin_points(self):
        """K8."""
        spaces = self.player.spaces()
        if self.player.scored or any(self.tiles.get(space, {}).get("tile") != "goblin" for space in spaces):
            return 0
        return self.options["goblin_values"][len(set(spaces)) - 1]

    # -- doing it

    def apply(self, text):
        words = text.split()
        kind = words[0]
        if kind == "decline":
            self.after_goblin() if self.phase == "goblin" else self.take_next()
        elif kind == "score":
            self.player.score += self.goblin_points()
            self.player.scored = True
            if self.phase == "score":
                self.take_next()
        elif kind == "discard":
            self.leave_hand(words[1], int(words[2]))
            self.put(words[1], int(words[2]))
            self.take_next()
        elif kind == "play":
            self.play(words[1], int(words[2]), words[3], int(words[4]))
        elif kind == "step":
            place = ("second", "third").index(words[2]) + 1 if len(words) == 3 else 0
            color = self.tiles[self.mover.space]["color"]
            figure = self.told_apart(int(words[1]))[place]
            self.land(figure, next_space(figure.space, color))
        elif kind == "back":
            self.land(self.mover, int(words[1]))
        elif kind == "drop":
            if words[1] == "hand":
                self.leave_hand(words[2], int(words[3]))
                self.put(words[2], int(words[3]))
            else:
                self.put(words[2], self.player.rows[words[2]].pop())
            self.after_goblin()
        elif text == "take pile":
            self.phase = "draw"
        elif kind == "take":
            card = f"{words[1]} {self.discards[words[1]].pop()}"
            self.player.hand.append(card)
            self.player.known.append(card)
            self.drawn()
        else:
            self.pile.remove(f"{words[1]} {words[2]}")
            self.player.hand.append(f"{words[1]} {words[2]}")
            self.drawn()

    def leave_hand(self, color, number):
        self.player.hand.remove(f"{color} {number}")
        if f"{color} {number}" in self.player.known:
            self.player.known.remove(f"{color} {number}")
        self.draws += 1

    def put(self, color, number):
        self.discards[color].append(number)
        self.blocked = color

    def play(self, color, number, what, where):
        self.leave_hand(color, number)
        self.player.rows[color].append(number)
        if what == "priestess":
            self.priestess += where
            if self.priestess in self.player.spaces():
                self.player.score += 5
            self.take_next()
            return
        for figure in self.player.figures:
            figure.began, figure.used = figure.space, set()
        figure = next(figure for figure in self.player.figures if figure.space == where)
        self.land(figure, next_space(where, color))

    def land(self, figure, space):
        figure.space = space
        self.mover = figure
        if space in GOAL and self.goal_reached():
            self.end("goal")  # K11: at once
            return
        self.phase = "take"
        tile = self.tiles.get(space, {"tile": "wish" if space in BIG_STONES else "start"})
        kind = tile["tile"]
        if kind == "points":
            self.player.score += tile["value"]
        elif kind == "wish" and self.left_on[space]:
            self.left_on[space] -= 1
            self.player.stones += 1
        elif kind == "mirror" and not tile["taken"]:
            tile["taken"] = True
            self.player.mirrors += 1
        elif kind == "clover":
            self.phase = "clover" if self.steps() else "take"
        elif kind == "spiral" and space not in figure.used and self.ways_back():
            figure.used.add(space)
            self.phase = "spiral"
        elif kind == "goblin":
            self.phase = "goblin"

    def goal_reached(self):
        """K11."""
        there = [sum(figure.space in GOAL for figure in player.figures) for player in self.players]
        return max(there) == 3 or sum(there) >= 5

    def after_goblin(self):
        self.phase = "score" if self.goblin_points() else "take"

    def take_next(self):
        self.phase = "take"

    def drawn(self):
        self.draws -= 1
        if not self.pile:
            self.end("pile")
        elif self.draws:
            self.phase = "take"
        else:
            self.end_turn()

    def end_turn(self):
        self.blocked = ""
        if self.turn + 1 < len(self.players):
            self.turn += 1
        elif self.round == LAST_ROUND:
            self.end("length")
            return
        else:
            self.turn, self.round = 0, self.round + 1
        self.phase = "play"

    def end(self, result):
        self.phase, self.result, self.blocked = "over", result, ""

    # -- the position as the engine writes it

    def to_act(self):
        return {"draw": -1, "over": -2}.get(self.phase, self.turn)

    def pending(self):
        if self.phase == "over":
            points = [player.points() for player in self.players]
            winners = [seat for seat, each in enumerate(points) if each == max(points)]
            return {"kind": "over", "result": self.result, "winners": winners, "draws": self.draws}
        pending = {"kind": self.phase, "seat": self.turn}
        if self.phase in ("clover", "spiral", "goblin"):
            pending["space"] = self.mover.space
        if self.phase in ("clover", "spiral"):
            pending |= {"began": self.mover.began, "spirals_used": sorted(self.mover.used)}
            others = [figure for figure in self.player.figures if figure is not self.mover]
            others.sort(key=lambda figure: (-figure.space, -figure.began, self.spiral_order(figure)))
            moved = [
                {"space": figure.space, "began": figure.began, "spirals_used": sorted(figure.used)}
                for figure in others
                if figure.began != figure.space or figure.used
            ]
            if moved:
                pending["moved"] = moved
        if self.phase in ("score", "take", "draw"):
            pending |= {"draws": self.draws, "blocked": self.blocked}
        return pending

    def to_json(self):
        def cards(texts):
            return sorted(texts, key=lambda card: (COLORS.index(card.split()[0]), int(card.split()[1])))

        obj = {
            "game": "keltis",
            "format": 1,
            "options": self.options,
            "round": self.round,
            "turn": self.turn,
            "to_act": self.to_act(),
            "phase": self.phase,
            "players": [
                {
                    "figures": player.spaces(),
                    "score": player.score,
                    "wish_stones": player.stones,
                    "mirrors": player.mirrors,
                    "goblins_scored": player.scored,
                    "rows": player.rows,
                    "hand": cards(player.hand),
                    "known": cards(player.known),
                }
                for player in self.players
            ],
            "priestess": self.priestess,
            "path": [self.tiles[space] for space in sorted(self.tiles)],
            "wish_stones": [{"space": space, "stones": self.left_on[space]} for space in BIG_STONES],
            "discards": self.discards,
            "pile_count": len(self.pile),
            "pile": cards(self.pile),
            "removed": cards(self.removed),
        }
        if self.phase != "play":
            obj["pending"] = self.pending()
        return obj
