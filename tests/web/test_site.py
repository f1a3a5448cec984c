"""The files of the page: what is sent, how, and what stands in them."""

import ast
import gzip
import json
import re
from pathlib import Path

import pytest

from pythia.core_cy import list_games
from pythia.web import POLICY, site
from tests.service.web import with_web

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "web" / "static"
SCRIPTS = [path for path in sorted(STATIC.rglob("*.js")) if "vendor" not in path.parts]


def words(language):
    text = (STATIC / f"words.{language}.js").read_text()
    return dict(re.findall(r'"([\w.]+)": ("(?:[^"\\]|\\.)*")', text))


def test_both_languages_have_the_same_words():
    english, german = words("en"), words("de")
    assert english.keys() == german.keys()
    for key, text in english.items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", german[key])), key
        assert text.count("|") == german[key].count("|"), key


def test_every_word_is_there_and_used():
    code = "\n".join(path.read_text() for path in SCRIPTS if not path.name.startswith("words."))
    used = set(re.findall(r'\bt\("([\w.]+)"', code))
    known = words("en").keys()
    assert used <= known
    # Others are made of parts, such as `nav.${name}`, or chosen first.
    starts = tuple(re.findall(r"\bt\(`([\w.]+)\$\{", code))
    assert starts
    loose = {key for key in known - used if not key.startswith(starts) and f'"{key}"' not in code}
    assert not loose


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: str(path.relative_to(STATIC)))
def test_no_script_names_a_game_or_writes_markup(path):
    text = path.read_text()
    for game in list_games():
        assert not re.search(rf"\b{game}\b", text.replace('gameNamed("delphi")', ""), re.IGNORECASE), game
    assert not re.search(r"\.innerHTML\s*=|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r"https?://(?!www\.w3\.org/)", text)


def test_paths_and_sizes():
    files = site({"more.binpb": b"abc"})
    first = files["/"]
    (folder,) = set(re.findall(rb"web/[0-9a-f]{16}/", first.content))
    assert not first.lasts
    assert b"<script>" not in first.content
    assert files[f"/{folder.decode()}more.binpb"].content == b"abc"
    for path, file in files.items():
        assert gzip.decompress(file.packed) == file.content
        assert path == "/" or (path.startswith(f"/{folder.decode()}") and file.lasts)
        assert ".." not in path
        assert not path.endswith((".ts", ".py", ".json"))
    assert "'unsafe-inline'" not in POLICY.partition("script-src")[2].partition(";")[0]
    other = site({"more.binpb": b"abd"})
    assert other.keys().isdisjoint(files.keys() - {"/"})


def test_the_first_view_is_small():
    """What a browser loads before a table can be made."""
    files = site({})
    wanted, seen = ["main.js", "app.css", "views/play.js", "words.en.js", "icon.svg"], set()
    by_name = {re.sub(r"^/web/\w+/", "", path): file for path, file in files.items()}
    while wanted:
        name = wanted.pop()
        if name in seen:
            continue
        seen.add(name)
        if name.endswith(".js"):
            folder = Path(name).parent
            for other in re.findall(
                r'^(?:import|export|\} from)[^;]*? from "(\.[^"]+)"',
                by_name[name].content.decode(),
                re.MULTILINE,
            ):
                wanted.append(str((folder / other).as_posix()).replace("views/../", ""))
    assert {"api.js", "vendor/rpc.js", "vendor/ui.js", "ui.js"} <= seen
    size = len(files["/"].packed) + sum(len(by_name[name].packed) for name in seen)
    assert size < 100_000, size  # and the descriptors, below 20 kB


def test_libraries_have_their_licences():
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())["packages"]
    told = (STATIC / "vendor" / "LICENSES.txt").read_text()
    for path, package in lock.items():
        assert "resolved" not in package
        if path and not package.get("dev"):
            assert f"{path.removeprefix('node_modules/')} {package['version']} ({package['license']})" in told


def test_how_files_are_sent():
    async def call(web, peer):
        first = await web.get("/")
        folder = re.search(r"web/\w+/", first.body.decode()).group()
        script = f"/{folder}main.js"
        return (
            first,
            await web.get(script, accept_encoding="br, gzip"),
            await web.get(script),
            await web.get("/", if_none_match=first.headers["etag"]),
            await web.get(f"/{folder}descriptors.binpb"),
            [
                await web.get(path)
                for path in (
                    f"/{folder}../__init__.py",
                    f"/{folder}%2e%2e/__init__.py",
                    f"/{folder}types.d.ts",
                    "/web/0000000000000000/main.js",
                    f"/{folder}",
                )
            ],
        )

    first, packed, plain, same, contract, refused = with_web(call)
    assert first.headers["cache-control"] == "no-cache"
    assert first.headers["content-security-policy"] == POLICY
    assert first.headers["referrer-policy"] == "no-referrer"
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert "immutable" in packed.headers["cache-control"]
    assert packed.headers["content-type"].startswith("text/javascript")
    assert (same.status, same.body) == (304, b"")
    assert b"pythia/v1/match.proto" in contract.body
    assert len(gzip.compress(contract.body)) < 20_000
    assert [reply.status for reply in refused] == [404] * len(refused)


def test_the_package_needs_nothing():
    tree = ast.parse((ROOT / "web" / "__init__.py").read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not [name for name in modules if name.startswith("pythia")]
