"""The wire contract: documented, and nothing taken back since the last release."""

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

ROOT = Path(__file__).parents[2]


def buf(*arguments, folder=ROOT):
    command = [Path(sys.executable).with_name("buf"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


def test_nothing_breaks_since_the_last_release():
    run = buf("breaking", "--against", "proto/released.binpb")
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize(
    ("old", "new"), [("string name = 1;", "string title = 1;"), ("int32 format = 2;", "string format = 2;")]
)
def test_a_breaking_change_is_found(old, new, tmp_path):
    (tmp_path / "buf.yaml").write_text((ROOT / "buf.yaml").read_text())
    for path in (ROOT / "proto").rglob("*.proto"):
        copy = tmp_path / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(path.read_text().replace(old, new))
    assert buf("breaking", "--against", str(ROOT), folder=tmp_path).returncode != 0


def test_every_message_field_and_method_is_explained(tmp_path):
    out = tmp_path / "contract.binpb"
    run = buf("build", "-o", str(out))
    assert run.returncode == 0, run.stderr
    for file in FileDescriptorSet.FromString(out.read_bytes()).file:
        if not file.name.startswith("pythia/"):
            continue
        explained = {tuple(place.path): place.leading_comments for place in file.source_code_info.location}
        for number, message in enumerate(file.message_type):
            assert explained[4, number], message.name
            for position, field in enumerate(message.field):
                assert explained.get((4, number, 2, position)), f"{message.name}.{field.name}"
        for number, service in enumerate(file.service):
            for position, method in enumerate(service.method):
                assert explained.get((6, number, 2, position)), f"{service.name}.{method.name}"
