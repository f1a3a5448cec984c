"""HTTP/2 by hand, for what no gRPC client would do: messages without their end, connections that say nothing."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import Iterable

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, ACK, END_HEADERS = 1, 1, 4
INITIAL_WINDOW_SIZE, MAX_CONCURRENT_STREAMS = 4, 3
CHUNK = 16_384


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes((kind, flags)) + struct.pack(">I", stream) + payload


def text(value: str) -> bytes:
    """A string of HPACK, not compressed."""
    data = value.encode()
    length = len(data)
    if length < 127:
        return bytes((length,)) + data
    rest, numbers = length - 127, [127]
    while rest >= 128:
        numbers.append(rest % 128 + 128)
        rest //= 128
    return bytes((*numbers, rest)) + data


class Http2Connection:
    """One connection, with as many streams as the caller likes. It heeds the windows of the server."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._next = 1
        self._initial = 65_535
        self._window = 65_535  # of the connection
        self._windows: dict[int, int] = {}
        self._news = asyncio.Event()
        self.ended: set[int] = set()  # streams the server has finished or reset
        self.is_closed = False
        self.sent = 0
        self.max_streams: int | None = None
        self._task = asyncio.ensure_future(self._listen())

    @classmethod
    async def open(cls, address: str) -> Http2Connection:
        host, _, port = address.rpartition(":")
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port))
        writer.write(PREFACE + frame(SETTINGS, 0, 0))
        return cls(reader, writer)

    def start(self, path: str, metadata: Iterable[tuple[str, str]] = ()) -> int:
        """A new stream, whose message is still to come."""
        stream, self._next = self._next, self._next + 2
        self._windows[stream] = self._initial
        fields = (
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
            *metadata,
        )
        block = b"".join(b"\0" + text(name) + text(value) for name, value in fields)
        self._writer.write(frame(HEADERS, END_HEADERS, stream, block))
        return stream

    async def send(self, stream: int, data: bytes, patience: float) -> int:
        """How much of the data could be sent until the windows stayed shut for as long as `patience`."""
        done = 0
        while done < len(data) and stream not in self.ended and not self.is_closed:
            size = min(CHUNK, self._window, self._windows[stream], len(data) - done)
            if size <= 0:
                self._news.clear()
                try:
                    await asyncio.wait_for(self._news.wait(), patience)
                except TimeoutError:
                    break
                continue
            self._window -= size
            self._windows[stream] -= size
            self._writer.write(frame(DATA, 0, stream, data[done : done + size]))
            done += size
            self.sent += size
            try:
                await asyncio.wait_for(self._writer.drain(), patience)
            except (OSError, TimeoutError):
                break
        return done

    async def _listen(self) -> None:
        try:
            while True:
                head = await self._reader.readexactly(9)
                kind, flags = head[3], head[4]
                (stream,) = struct.unpack(">I", head[5:])
                self._hear(
                    kind, flags, stream, await self._reader.readexactly(int.from_bytes(head[:3], "big"))
                )
                self._news.set()
        except (OSError, asyncio.IncompleteReadError):
            self.is_closed = True
            self._news.set()

    def _hear(self, kind: int, flags: int, stream: int, payload: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            for key, value in struct.iter_unpack(">HI", payload):
                if key == INITIAL_WINDOW_SIZE:
                    for number in self._windows:
                        self._windows[number] += value - self._initial
                    self._initial = value
                elif key == MAX_CONCURRENT_STREAMS:
                    self.max_streams = value
            self._writer.write(frame(SETTINGS, ACK, 0))
        elif kind == PING and not flags & ACK:
            self._writer.write(frame(PING, ACK, 0, payload))
        elif kind == WINDOW_UPDATE:
            (size,) = struct.unpack(">I", payload)
            if stream:
                self._windows[stream] += size
            else:
                self._window += size
        elif kind == RST_STREAM or (kind in (HEADERS, DATA) and flags & END_STREAM):
            self.ended.add(stream)

    async def close(self) -> None:
        self._task.cancel()
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
