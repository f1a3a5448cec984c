"""Odd input is the caller's fault: it is refused as such, before the store sees it."""

import base64
import json

import grpc

from pythia.v1 import match_pb2
from tests.service.serving import refusal, with_server


def test_ids_and_tokens_with_nul_are_refused_before_the_store(caplog):
    async def go(peer):
        created = await peer.create(None, None)
        match_id, token = created.match.id, created.seat_tokens[0]
        page = base64.urlsafe_b64encode(json.dumps([int("9" * 400), "a"]).encode()).decode()
        surrogate = base64.urlsafe_b64encode(b'[1.5, "\\ud800"]').decode()
        calls = {
            "match_id": [
                peer.match.GetMatch(match_pb2.GetMatchRequest(match_id="a\x00b")),
                peer.match.Watch(match_pb2.WatchRequest(match_id="\x00")),
                peer.submit(match_id + "\x00", token, "end"),
            ],
            "token": [peer.submit(match_id, token + "\x00", "end")],
            "idempotency_key": [peer.submit(match_id, token, "end", idempotency_key="\x00")],
            "page_token": [
                peer.match.ListMatches(match_pb2.ListMatchesRequest(page_token=text))
                for text in (page, surrogate, "\x00")
            ],
        }
        for field, each in calls.items():
            for call in each:
                told = await refusal(call)
                assert (told.code, told.fields) == (grpc.StatusCode.INVALID_ARGUMENT, [field]), told

    with_server(go)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
