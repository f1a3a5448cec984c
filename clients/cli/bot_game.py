"""A game between bots, played by a server and told line by line."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Annotated

import grpc
from cyclopts import Parameter

from pythia.core_cy import CHANCE, game_info, load_game
from pythia.core_cy.record import Record
from pythia.v1 import match_pb2, match_pb2_grpc, search_pb2

Seed = Annotated[int, Parameter(help="The same seed plays the same game.")]
Turns = Annotated[int, Parameter(help="The number of turns to show before the end.")]

# Who plays, in turn. Iteration limits, so the same seed shows the same game.
BOTS = (
    ("ismcts at level 3", search_pb2.BotSpec(name="ismcts", level=3)),
    ("greedy", search_pb2.BotSpec(name="greedy")),
)


def check_demo(game: str, players: int, seed: int) -> None:
    """BadOption when there is no such game."""
    game_info(game)
    load_game(game, players=players, seed=seed)


async def bot_game(address: str, game: str, players: int, seed: int, turns: int) -> AsyncIterator[str]:
    """Let the server play a whole game and yield its story: the first `turns` turns, the final board, the result.

    The same arguments tell the same story.
    """
    async with grpc.aio.insecure_channel(address) as channel:
        stub = match_pb2_grpc.MatchServiceStub(channel)
        bots = [BOTS[seat % len(BOTS)] for seat in range(players)]
        created = await stub.CreateMatch(
            match_pb2.CreateMatchRequest(
                game=game,
                seats=[match_pb2.Seat(name=name, bot=bot) for name, bot in bots],
                seed=seed,
                reproducible=True,
            )
        )
        match = created.match
        yield f"{game}, {players} players, seed {seed}: {' against '.join(name for name, _ in bots)}"
        story = GameStory(turns)
        watch = stub.Watch(match_pb2.WatchRequest(match_id=match.id))
        for _ in range(match.version):  # what chance decided at the start
            answer = await watch.read()
            for line in story.hear(match.turn_number, [answer.event]):
                yield line
        watch.cancel()
        while match.status == match_pb2.MATCH_STATUS_ACTIVE:
            turn = match.turn_number
            async for played in stub.StreamBotTurn(match_pb2.StreamBotTurnRequest(match_id=match.id)):
                for line in story.hear(turn, played.events):
                    yield line
                match = played.match
                turn = match.turn_number
        for line in story.end():
            yield line
        record = await stub.ExportRecord(match_pb2.ExportRecordRequest(match_id=match.id))
    *_, last = Record.read(record.record.splitlines()).replay()
    yield ""
    yield str(last).rstrip("\n")
    yield ""
    for seat, ((name, _), rank, value) in enumerate(zip(bots, last.ranks(), last.returns(), strict=True)):
        yield f"seat {seat}: rank {rank}, return {value:g}, {name}"


class GameStory:
    """Gathers the moves of one seat in one turn into a line; tells the first `most` turns."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._told = 0
        self._turn: int | None = None
        self._open: tuple[int, int] | None = None
        self._moves: list[str] = []

    def hear(self, turn: int, events: Iterable[match_pb2.MatchEvent]) -> list[str]:
        lines = []
        for event in events:
            if (turn, event.by) != self._open:
                lines += self._close()
                self._open = (turn, event.by)
            self._moves.append(event.move.text)
        return lines

    def end(self) -> list[str]:
        lines = self._close()
        if self._told > self._most:
            lines.append(f"  ..  and so on, {self._told} turns in all")
        return lines

    def _close(self) -> list[str]:
        if self._open is None:
            return []
        turn, by = self._open
        number = "" if turn == self._turn else str(self._told + 1)
        self._told += turn != self._turn
        self._turn = turn
        who = "chance" if by == CHANCE else f"seat {by}"
        line = f"{number:>4}  {who}  {'; '.join(self._moves)}"
        self._moves = []
        self._open = None
        return [line] if self._told <= self._most else []
