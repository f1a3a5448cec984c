"""A client of several servers: calls go to each in turn, and past one that stops or dies."""

import asyncio
import subprocess
import sys
from contextlib import AsyncExitStack

import pytest

from pythia.clients.client import AsyncClient, Client
from pythia.clients.errors import PythiaError
from pythia.service.server import Server

SERVE = "from pythia.clients.cli.main import main; main()"


def a_server():
    process = subprocess.Popen(
        [sys.executable, "-c", SERVE, "serve", "--port", "0", "--store", "memory:", "--no-metrics"],
        stdout=subprocess.PIPE,
        text=True,
    )
    return process, process.stdout.readline().split()[-1]


def test_calls_go_past_a_server_that_was_killed():
    servers = [a_server() for _ in range(3)]
    try:
        with Client(",".join(address for _, address in servers)) as client:
            first = {client.server_info().uptime for _ in range(6)}
            assert len(first) > 1  # of several
            servers[0][0].kill()
            for _ in range(12):
                assert client.server_info().name == "pythia"
    finally:
        for process, _ in servers:
            process.kill()
            process.communicate()


def test_calls_go_past_a_server_that_stops():
    async def go():
        async with AsyncExitStack() as stack:
            servers = [Server(port=0, store="memory:", metrics=False) for _ in range(2)]
            for server in servers[1:]:
                await stack.enter_async_context(server)
            async with servers[0]:
                addresses = ",".join(server.address for server in servers)
                client = await stack.enter_async_context(AsyncClient(addresses))
                for _ in range(4):
                    await client.server_info()
            return [(await client.server_info()).name for _ in range(6)]

    assert asyncio.run(asyncio.wait_for(go(), 60)) == ["pythia"] * 6


@pytest.mark.parametrize(
    "address",
    ["", "host", "host:x", "host:70000", "a:1,", ",a:1", "a:1,b", "dns:///", "dns:///a:1,b:1", "dns:///a"],
)
def test_bad_addresses_are_named(address):
    with pytest.raises(PythiaError, match=r"address: .* is not allowed; allowed: HOST:PORT, several"):
        Client(address)


def test_a_name_of_dns():
    process, address = a_server()
    try:
        with Client(f"dns:///{address.replace('127.0.0.1', 'localhost')}") as client:
            assert client.server_info().name == "pythia"
    finally:
        process.kill()
        process.communicate()
