"""What tests of the service share."""

import tempfile
from pathlib import Path

import pytest

from tools.postgres import running_postgres


@pytest.fixture(scope="session")
def postgres():
    """The URL of a PostgreSQL of our own on loopback."""
    # Not pytest's own folder, which other runs of pytest on this machine may clear away meanwhile.
    with tempfile.TemporaryDirectory() as folder, running_postgres(Path(folder)) as url:
        yield url


@pytest.fixture
def shared_store(postgres, request):
    """The URL of a new database in it."""
    import psycopg

    name = f"test_{abs(hash(request.node.nodeid))}"
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return postgres.replace("/postgres", f"/{name}")
