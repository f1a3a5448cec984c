"""Watch a match while it is played."""

import asyncio

from pythia.clients import AsyncClient


async def play(client, match):
    while not match.is_over:
        match = (await client.bot_turn(match.id)).match


async def main():
    async with AsyncClient.local() as client:  # or AsyncClient("127.0.0.1:50051"), a server
        match = (await client.create_match("delphi", ["greedy", "greedy"], seed=7, reproducible=True)).match
        playing = asyncio.create_task(play(client, match))
        async for event in client.watch(match.id):
            print(event.version, "chance" if event.by < 0 else f"seat {event.by}", event.move)
        await playing


asyncio.run(main())
