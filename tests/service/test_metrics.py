"""Metrics over HTTP, and that the dashboard and the alerts ask for names that exist."""

import json
import re
import urllib.request
from pathlib import Path

from pythia.search.result import entropy
from pythia.service.metrics import Metrics
from pythia.v1 import advisor_pb2, engine_pb2, match_pb2
from tests.service.serving import an_observation, bot, options, refusal, with_server

SERVICE = Path(__file__).parents[2] / "service"
NAME = re.compile(r"\b(?:grpc_server|pythia)_[a-z_]+\b")


def exported(text):
    """The names of the series in an answer of the metrics port."""
    return {re.split(r"[{ ]", line)[0] for line in text.splitlines() if line and not line.startswith("#")}


def scrape():
    async def call(peer):
        await peer.engine.GetServerInfo(engine_pb2.GetServerInfoRequest())
        await peer.advisor.SuggestMove(
            advisor_pb2.SuggestMoveRequest(observation=an_observation(), options=options(iterations=20)),
            timeout=20,
        )
        await refusal(peer.advisor.SuggestMove(advisor_pb2.SuggestMoveRequest()))
        made = await peer.create(bot("greedy"), bot("greedy"))
        async for _ in peer.match.StreamBotTurn(match_pb2.StreamBotTurnRequest(match_id=made.match.id)):
            pass
        with urllib.request.urlopen(peer.server.metrics_url) as answer:
            return answer.read().decode()

    return with_server(call, metrics=True)


def test_what_is_exported():
    text = scrape()
    for line in (
        'grpc_server_started_total{grpc_method="GetServerInfo",'
        'grpc_service="pythia.v1.EngineService",grpc_type="unary",transport="grpc"} 1.0',
        'grpc_server_handled_total{grpc_code="INVALID_ARGUMENT",grpc_method="SuggestMove",'
        'grpc_service="pythia.v1.AdvisorService",grpc_type="unary",transport="grpc"} 1.0',
        'pythia_search_seconds_count{bot="ismcts",game="delphi"} 1.0',
        'pythia_search_deadline_slack_seconds_count{bot="ismcts",game="delphi"} 1.0',
        "pythia_matches_active 1.0",
        "pythia_queue_depth 0.0",
        'pythia_store_seconds_count{operation="create"} 1.0',
    ):
        assert line in text, line


def test_labels_are_bounded():
    allowed = {"grpc_type", "grpc_service", "grpc_method", "grpc_code", "transport"}
    allowed |= {"game", "bot", "operation", "reason", "le"}
    assert set(re.findall(r'[{,]([a-z_]+)="', scrape())) <= allowed


def test_dashboard_and_alerts_name_what_is_exported():
    known = exported(scrape())
    known |= {sample.name for family in Metrics().registry.collect() for sample in family.samples}
    dashboard = json.loads((SERVICE / "grafana-dashboard.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    alerts = re.findall(r"expr: (.*)", (SERVICE / "alerts.yml").read_text())
    assert len(expressions) >= 10
    assert len(alerts) >= 5
    for expression in expressions + alerts:
        asked = set(NAME.findall(expression))
        assert asked, expression
        # Series with labels appear when first counted; metrics.py names their families.
        families = (SERVICE / "metrics.py").read_text()
        for name in asked:
            base = re.sub(r"_(bucket|count|sum)$", "", name)
            assert name in known or f'"{base}"' in families, name


def test_entropy():
    assert entropy([]) == entropy([0]) == entropy([5]) == 0
    assert entropy([2, 2]) == 1
    assert entropy([1, 1, 1, 1, 0]) == 2
