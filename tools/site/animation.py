"""A game between bots as one animated SVG: `python -m tools.site.animation > game.svg`.

Every frame is the picture that `pythia show --svg` draws. What frames share is written once; what changes is shown
while its frames last (`<animate>`), so a whole game costs little more than one picture. Nothing in it is code.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from pythia import Limit, load_game, make_bot
from pythia.core_cy import CHANCE, Random, View
from pythia.core_cy.picture import svg_of

SVG = "http://www.w3.org/2000/svg"
SECONDS = 0.9  # of a frame
LAST = 4  # frames that the end stays


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.site.animation", description="A game as animated SVG."
    )
    parser.add_argument("--game", default="delphi")
    parser.add_argument("--bot", default="ismcts")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--decisions", type=int, default=16, help="the number of decisions to show")
    arguments = parser.parse_args()
    print(animation(arguments.game, arguments.bot, arguments.seed, arguments.decisions))


def animation(game: str = "delphi", bot: str = "ismcts", seed: int = 7, decisions: int = 16) -> str:
    return animated(pictures(game, bot, seed, decisions))


def pictures(game: str, bot: str, seed: int, decisions: int) -> list[str]:
    """The last decisions of a game between bots, each with its move marked, and the end; nothing is hidden from us."""
    state = load_game(game, seed=seed).new_state()
    luck, player = Random(seed), make_bot(bot, seed=seed)
    decided = []
    while not state.is_over:
        if state.to_act == CHANCE:
            state.apply(state.sample_chance(luck))
            continue
        move = player.choose(View.of(state, state.to_act), Limit(iterations=200)).move
        decided.append((state.clone(), str(move)))
        state.apply(move)
    return [svg_of(before.to_json(), move=move) for before, move in decided[-decisions:]] + [
        svg_of(state.to_json())
    ]


@dataclass
class Piece:
    """An element of some frames: `key` is all of it, or of a group its opening tag, whose parts are then told apart."""

    key: str
    shown: set[int]
    parts: list[Piece] | None = None

    def markup(self, around: set[int], count: int) -> str:
        """Within something that is shown in the frames `around`."""
        if self.parts is None:
            return self.key if self.shown == around else f"<g>{self.key}{visible(self.shown, count)}</g>"
        parts = "".join(part.markup(self.shown, count) for part in self.parts)
        return f"{self.key}{parts}{'' if self.shown == around else visible(self.shown, count)}</g>"


def animated(frames: Sequence[str]) -> str:
    """One document that shows the frames one after the other, for ever."""
    ElementTree.register_namespace("", SVG)
    roots = [ElementTree.fromstring(frame) for frame in frames]
    count = len(frames) + LAST - 1
    merged: list[Piece] = []
    for number, root in enumerate(roots):
        merged = together(
            merged, pieces(root, set(range(number, count if root is roots[-1] else number + 1)))
        )
    width = max(float(root.get("width", 0)) for root in roots)
    height = max(float(root.get("height", 0)) for root in roots)
    body = "".join(piece.markup(set(range(count)), count) for piece in merged)
    return f'<svg xmlns="{SVG}" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}">{body}</svg>\n'


def pieces(element: ElementTree.Element, shown: set[int]) -> list[Piece]:
    """What is in an element, from back to front, without tooltips, which a picture in a page does not show."""
    found = []
    for child in element:
        if child.tag == f"{{{SVG}}}g":
            attributes = "".join(f" {name}={quoteattr(value)}" for name, value in child.attrib.items())
            found.append(Piece(f"<g{attributes}>", shown, pieces(child, shown)))
        elif child.tag != f"{{{SVG}}}title":
            markup = ElementTree.tostring(child, encoding="unicode").strip()
            found.append(Piece(markup.replace(f' xmlns="{SVG}"', ""), shown))
    return found


def together(before: list[Piece], frame: list[Piece]) -> list[Piece]:
    """Those of the frames so far and of one more, in an order that is right for all of them."""
    result: list[Piece] = []
    matcher = difflib.SequenceMatcher(
        None, [old.key for old in before], [new.key for new in frame], autojunk=False
    )
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            result += before[i:j] + frame[k:m]
            continue
        for old, new in zip(before[i:j], frame[k:m], strict=True):
            parts = None if old.parts is None else together(old.parts, new.parts or [])
            result.append(Piece(old.key, old.shown | new.shown, parts))
    return result


def visible(shown: set[int], count: int) -> str:
    """An element that shows what is around it in these frames only."""
    values, times = [], []
    for number in range(count):
        word = "visible" if number in shown else "hidden"
        if not values or values[-1] != word:
            values.append(word)
            times.append(f"{number / count:.4g}")
    return (
        f'<animate attributeName="visibility" calcMode="discrete" dur="{count * SECONDS:g}s" '
        f'repeatCount="indefinite" values="{";".join(values)}" keyTimes="{";".join(times)}"/>'
    )


if __name__ == "__main__":
    main()
