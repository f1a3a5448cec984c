"""Positions that matches had at earlier versions, replayed beside the event loop.

A slider asks for one version after another, and many people may move one. So some positions on the way are kept: the
next replay begins at the last of them, and no call applies more than a few moves. What was kept is right for ever, as
events are only added to a match.
"""

from __future__ import annotations

from collections import OrderedDict

from pythia.core_cy import State, state_from_json
from pythia.service.auth import Origin
from pythia.service.live_match import LiveMatch
from pythia.service.search_runner import Runner
from pythia.service.store import Event, Header

Kept = dict[int, State]  # positions after an event, by its number; 0 is the start


class Replays:
    """The positions of the past."""

    EVERY = 32  # how many moves lie between two positions that are kept
    MATCHES = 100  # the number of matches kept, most recently used first

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._kept: OrderedDict[tuple[str, str], Kept] = OrderedDict()

    async def position(self, match: LiveMatch, version: int, origin: Origin) -> State:
        """The position at a version; callers must not change it."""
        header, events = match.header, match.events[:version]
        # The nonce is the match's own: another one may get its id.
        name = header.id, header.nonce
        kept = self._kept.setdefault(name, {})
        self._kept.move_to_end(name)
        if len(self._kept) > self.MATCHES:
            self._kept.popitem(last=False)
        return await self._runner.aside(origin, lambda: self._replayed(header, events, kept))

    def _replayed(self, header: Header, events: list[Event], kept: Kept) -> State:
        line = numbers_of(events)
        begin = len(line) - len(line) % self.EVERY
        while begin and line[begin - 1] not in kept:
            begin -= self.EVERY
        if 0 not in kept:
            kept[0] = state_from_json(header.start)
        state = kept[line[begin - 1] if begin else 0].clone()
        for count, number in enumerate(line[begin:], start=begin + 1):
            state.apply(events[number - 1].text)
            if count % self.EVERY == 0:
                kept[number] = state.clone()
        return state


def numbers_of(events: list[Event]) -> list[int]:
    """The numbers of the moves and outcomes that stand, counted from 1, without those taken back.

    What stands before a number is always the same: only the last move can be taken back.
    """
    line: list[int] = []
    for number, event in enumerate(events, start=1):
        if event.kind == "undo":
            line.pop()
        elif event.kind == "move":
            line.append(number)
    return line
