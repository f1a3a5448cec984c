"""SVG pictures taken apart, for tests: elements by class and data."""

import re
from collections import defaultdict
from functools import cached_property
from itertools import combinations
from xml.etree import ElementTree

TITLE = "{http://www.w3.org/2000/svg}title"
RECT = "{http://www.w3.org/2000/svg}rect"


class Picture:
    def __init__(self, svg):
        self.root = ElementTree.fromstring(svg)

    @cached_property
    def by_class(self):
        found = defaultdict(list)
        for element in self.root.iter():
            for name in element.get("class", "").split():
                found[name].append(element)
        return found

    def all(self, classes, **data):
        """The elements that have all of these classes and data, in the order in which they are drawn."""
        first, *more = classes.split()
        wanted = {f"data-{name}": str(value) for name, value in data.items()}
        return [
            Element(element)
            for element in self.by_class[first]
            if element is not self.root
            and set(more) <= set(element.get("class").split())
            and all(element.get(name) == value for name, value in wanted.items())
        ]

    def one(self, classes, **data):
        (found,) = self.all(classes, **data)
        return found

    def count(self, classes, **data):
        return len(self.all(classes, **data))

    def words(self):
        return [text.strip() for text in self.root.itertext() if text.strip()]


class Element(Picture):
    """A part of a picture."""

    def __init__(self, root):
        self.root = root

    def data(self, name):
        return self.root.get(f"data-{name}")

    @property
    def classes(self):
        return set(self.root.get("class").split())

    @property
    def title(self):
        return self.root.findtext(TITLE)


def place_of(element):
    """Its translation and scale."""
    numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("transform"))]
    return [*numbers, 1.0] if len(numbers) == 2 else numbers


def blocks(picture):
    """The parts of the page as (left, top, right, bottom): board, panels, players."""
    found = []
    for part in picture.root:
        if part.get("transform"):
            x, y, scale = place_of(part)
            sheet = part.find(RECT)
            left, top = x + scale * float(sheet.get("x")), y + scale * float(sheet.get("y"))
            found.append(
                (
                    left,
                    top,
                    left + scale * float(sheet.get("width")),
                    top + scale * float(sheet.get("height")),
                )
            )
    return found


def apart(one, other):
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


def assert_well_laid_out(picture):
    """All parts are on the page, and none on another."""
    _, _, width, height = map(float, picture.root.get("viewBox").split())
    parts = blocks(picture)
    for left, top, right, bottom in parts:
        assert left >= 0
        assert top >= 0
        assert right <= width
        assert bottom <= height
    for one, other in combinations(parts, 2):
        assert apart(one, other), (one, other)
