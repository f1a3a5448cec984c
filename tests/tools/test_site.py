"""The documentation site: links that are checked, pages made from the code, the animated game."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pythia.clients.cli.main import COMMANDS
from pythia.core_cy import State
from pythia.service.wire import DESCRIPTORS
from tools.site.animation import SVG, animated, pictures
from tools.site.links import problems
from tools.site.reference import command_pages, contract_pages, python_pages
from tools.site.stage import stage

ROOT = Path(__file__).parent.parent.parent


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ('<a href="b.html">', "a.html: b.html leads nowhere"),
        ('<a href="#there">', "a.html: #there has no such place (there)"),
        ('<a href="other.html#there">', "other.html#there has no such place (there)"),
        ('<img src="../x.png">', "../x.png leads nowhere"),
        (
            '<script src="https://example.org/x.js"></script>',
            "fetches https://example.org/x.js from elsewhere",
        ),
        ('<link rel="stylesheet" href="//example.org/x.css">', "fetches //example.org/x.css from elsewhere"),
    ],
)
def test_what_is_wrong_with_a_page(tmp_path, page, words):
    (tmp_path / "a.html").write_text(page)
    (tmp_path / "other.html").write_text("")
    (found,) = problems(tmp_path)
    assert words in found


def test_what_is_right_with_a_page(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top-of-it"></h1><a href="#top-of-it"></a><a href="b/"></a><a href="https://example.org/"></a>'
    )
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "index.html").write_text('<a href="../a.html#top-of-it"></a>')
    assert problems(tmp_path) == []


def test_staged_pages_link_to_staged_files(tmp_path):
    folder = tmp_path / "site"
    stage(ROOT, folder)
    assert (folder / "files" / "service" / "alerts.yml").is_file()
    for page in folder.rglob("*.md"):
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for place in re.findall(r"\]\((?!https?:|#)([^)#\s`]+)", prose):
            assert (page.parent / place).exists(), (page.name, place)


def test_a_link_that_leads_nowhere_stops_the_build(tmp_path):
    repository = tmp_path / "repository"
    (repository / "docs").mkdir(parents=True)
    (repository / "docs" / "index.md").write_text("[there](nowhere.md)")
    for name in ("CONTRIBUTING.md", "CHANGELOG.md"):
        (repository / name).write_text("")
    with pytest.raises(SystemExit, match=r"docs/index\.md: the link to nowhere\.md leads nowhere"):
        stage(repository, tmp_path / "site")


def test_the_reference_has_every_command_call_and_name():
    commands = command_pages()["commands.md"]
    assert all(f"\n## pythia {name}\n" in commands for name in COMMANDS)
    assert "### pythia match create" in commands
    contract = contract_pages(ROOT)["contract.md"]
    for service in DESCRIPTORS:
        assert f"## {service.name}\n" in contract
        assert all(f"| `{method.name}` |" in contract for method in service.methods)
    assert "AdvisorService answers questions about positions" in contract  # comments too
    python = python_pages()["python.md"]
    told = State.legal_moves.__doc__.split("\n")[-1].strip()  # Cython puts the signature before it
    for line in ("legal_moves(self)", told, "### Client", "### make_bot"):
        assert line
        assert line in python


def frame(*parts):
    return f'<svg xmlns="{SVG}" width="10" height="10">{"".join(parts)}</svg>'


def test_what_frames_share_is_written_once():
    same = '<rect width="10"/>'
    made = animated([frame(same, "<g><circle r='1'/></g>"), frame(same, "<g><circle r='2'/></g>")])
    assert made.count("<rect") == 1
    root = ElementTree.fromstring(made)
    shown = {
        group[0].get("r"): group.find(f"{{{SVG}}}animate").get("values")
        for group in root.iter(f"{{{SVG}}}g")
        if group.find(f"{{{SVG}}}animate") is not None
    }
    assert shown == {"1": "visible;hidden", "2": "hidden;visible"}


def test_a_game_as_an_animation():
    drawn = pictures("keltis", "random", seed=7, decisions=3)
    made = animated(drawn)
    ElementTree.fromstring(made)
    assert "script" not in made
    assert len(drawn) == 4
    assert len(made) < 2 * len(drawn[0])
