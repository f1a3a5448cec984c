"""Front-ends in other languages, for real: the examples in TypeScript and Java, and a browser across origins."""

import fcntl
import hashlib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from pythia.core_cy import list_games
from tests.clients.serving import served
from tests.test_readme import matches

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BUILD = ROOT / "build" / "typescript"
PAGE = b'<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>'


def run(*command, folder=ROOT, timeout=300):
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = os.environ | {"PATH": path, "npm_config_cache": str(ROOT / "build" / "npm")}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def typescript():
    """The examples and the page, with their packages, type-checked and compiled; once for all workers of a run."""
    sources = [path for path in sorted((EXAMPLES / "typescript").iterdir()) if path.is_file()]
    sources.append(Path(__file__).with_name("browser_check.ts"))
    content = b"".join(path.read_bytes() for path in [*sources, *sorted((ROOT / "proto").rglob("*.proto"))])
    BUILD.mkdir(parents=True, exist_ok=True)
    stamp = BUILD / "built"
    with (BUILD / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not stamp.is_file() or stamp.read_text() != hashlib.sha256(content).hexdigest():
            for path in sources:
                shutil.copy(path, BUILD)
            run("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", folder=BUILD)
            run("buf", "generate", str(ROOT / "proto"), folder=BUILD)
            run("node_modules/.bin/tsc", folder=BUILD)
            bundle = ("--bundle", "--format=esm", "--outfile=dist/page.js")
            run("node_modules/.bin/esbuild", "dist/browser_check.js", *bundle, folder=BUILD)
            stamp.write_text(hashlib.sha256(content).hexdigest())
    return BUILD


PAGE_OF_DOCS = (ROOT / "docs" / "front-ends.md").read_text()
BLOCKS = re.findall(r"^```(python|console)\n(.*?)^```$", PAGE_OF_DOCS, re.MULTILINE | re.DOTALL)


@pytest.mark.integration
def test_what_the_page_shows_with_curl():
    commands = [
        part.partition("\n")
        for kind, text in BLOCKS
        if kind == "console"
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    ]
    assert len(commands) >= 7
    with served(http=True) as server:
        for command, _, expected in commands:
            output = run("bash", "-c", command.replace("http://127.0.0.1:8080", server.http_url))
            assert matches(expected, output), f"{command}\n{output}"


@pytest.mark.parametrize("text", [text for kind, text in BLOCKS if kind == "python"])
def test_what_the_page_shows_in_python(text, capsys):
    exec(compile(text, "front-ends.md", "exec"), {})
    assert capsys.readouterr().out.strip()


@pytest.mark.parametrize("path", sorted((EXAMPLES / "typescript").glob("*.ts")), ids=lambda path: path.name)
def test_examples_are_short(path):
    assert len(path.read_text().splitlines()) < 40


def test_the_lock_file_names_no_registry():
    lock = json.loads((EXAMPLES / "typescript" / "package-lock.json").read_text())
    assert lock["packages"]
    for name, package in lock["packages"].items():
        assert "resolved" not in package, name
        assert not name or package["integrity"].startswith("sha512-"), name


@pytest.mark.integration
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("suggest.js", r"move: .+\n(?: +(?:\d+ %|not tried)  .+\n){3}"),
        ("bot_turn.js", r"(?s)(?:you .*)?bot .*to act: seat 0.*"),
    ],
)
def test_node(typescript, program, words):
    with served(http=True) as server:
        output = run("node", f"dist/{program}", server.http_url, folder=typescript)
    assert re.fullmatch(words, output), output


@pytest.mark.integration
def test_java():
    with served(http=True) as server:
        output = run("java", str(EXAMPLES / "java" / "Suggest.java"), server.http_url)
    assert re.fullmatch(r"move: .+\n", output), output


class PageServer(ThreadingHTTPServer):
    """The site of a page, and what the page tells it."""

    def __init__(self, folder):
        self.reports = queue.Queue()
        self.files = {
            "/": ("text/html", PAGE),
            "/page.js": ("text/javascript", (folder / "page.js").read_bytes()),
        }
        super().__init__(("127.0.0.1", 0), PageHandler)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"


class PageHandler(BaseHTTPRequestHandler):
    def do_GET(self):
        kind, content = self.server.files.get(self.path.partition("?")[0], ("text/plain", b""))
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        self.server.reports.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def in_chromium(folder, tmp_path, allowed):
    """What a page of another origin could do, and the server's metrics afterwards."""
    site = PageServer(folder / "dist")
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    try:
        with served(http=True, cors_origins=site.url if allowed else "") as server:
            flags = [
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                f"--user-data-dir={tmp_path}",
            ]
            url = f"{site.url}/?server={server.http_url}"
            browser = subprocess.Popen(
                ["chromium", *flags, "--remote-debugging-port=0", url],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            try:
                found = site.reports.get(timeout=120)
            finally:
                browser.terminate()
                browser.wait()
            return found, server.metrics.registry
    finally:
        site.shutdown()
        site.server_close()
        thread.join()


@pytest.mark.integration
def test_a_page_of_an_allowed_origin(typescript, tmp_path):
    found, registry = in_chromium(typescript, tmp_path, allowed=True)
    assert found["unary"] == "pythia"
    assert found["grpc-web"] == list_games()
    assert found["stream"]["final"] is True
    assert found["stream"]["iterations"] == 2000
    assert found["cancel"]["code"] == "Canceled"
    assert found["deadline"]["code"] == "DeadlineExceeded"
    assert found["error"]["code"] == "InvalidArgument"
    info, bad = found["error"]["details"]
    assert info["reason"] == "INVALID_FIELD"
    assert bad["fieldViolations"][0]["field"] == "options.bot.name"
    assert re.search(r"0\.\d\d \w", found["snippet"])
    # What was cancelled does not search on.
    assert registry.get_sample_value("pythia_searches_running") == 0


@pytest.mark.integration
def test_a_page_of_another_origin(typescript, tmp_path):
    found, registry = in_chromium(typescript, tmp_path, allowed=False)
    assert found.keys() == {"unary"}
    assert found["unary"]["code"] == "Unknown"
    assert registry.get_sample_value("pythia_http_refused_total", {"reason": "origin"}) == 1
