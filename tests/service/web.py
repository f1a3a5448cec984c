"""Ways to call a server over HTTP: raw sockets and requests of the standard library, with JSON or bytes."""

import asyncio
import http.client
import json
import struct
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.service.serving import serving

JSON = "application/json"


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json["code"]

    @property
    def details(self):
        """By type, as JSON."""
        return {detail["type"].rpartition(".")[2]: detail["debug"] for detail in self.json.get("details", ())}

    @property
    def reason(self):
        return self.details["ErrorInfo"]["reason"]


class Caller:
    """Sends requests to a server; `method` is short, as in "EngineService/ListGames"."""

    def __init__(self, server, headers=()):
        self.server = server
        self.url = server.http_url
        self.address = urlsplit(self.url)
        self.headers = dict(headers)

    async def request(self, verb, path, body=None, **headers):
        sent = self.headers | {name.replace("_", "-"): value for name, value in headers.items()}
        return await asyncio.to_thread(self._request, verb, path, body, sent)

    def _request(self, verb, path, body, headers):
        connection = http.client.HTTPConnection(self.address.hostname, self.address.port, timeout=30)
        try:
            connection.request(verb, path, body, headers)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    async def get(self, path, **headers):
        return await self.request("GET", path, **headers)

    async def call(self, method, message=None, **headers):
        """With JSON, unless the message is bytes."""
        body = message if isinstance(message, bytes) else json.dumps({} if message is None else message)
        headers = {"content_type": JSON} | headers
        return await self.request("POST", f"/pythia.v1.{method}", body, **headers)

    async def stream(self, method, message, **headers):
        """All messages of a stream, its end last."""
        body = envelope(json.dumps(message).encode())
        reply = await self.call(method, body, content_type="application/connect+json", **headers)
        return reply, [json.loads(part) for part in parts(reply.body)] if reply.status == 200 else []

    async def open(self):
        return await asyncio.open_connection(self.address.hostname, self.address.port)


def envelope(data):
    return struct.pack(">BI", 0, len(data)) + data


def parts(data):
    while data:
        _, length = struct.unpack(">BI", data[:5])
        yield data[5 : 5 + length]
        data = data[5 + length :]


def with_web(call, headers=(), **settings):
    """Start a server with HTTP on free ports and return what `call(caller, peer)` gives."""

    async def go():
        async with serving(http=True, **settings) as peer:
            return await asyncio.wait_for(call(Caller(peer.server, headers), peer), timeout=60)

    return asyncio.run(go())
