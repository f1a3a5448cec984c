"""`pythia web`: the page for people, on a server of this machine."""

from __future__ import annotations

import asyncio
import webbrowser
from importlib.util import find_spec
from typing import Annotated

from cyclopts import Parameter

from pythia.clients.cli.console import not_allowed
from pythia.clients.cli.serve import serve_until_stopped
from pythia.service.config import DEFAULT_HTTP_PORT, Config, ConfigError
from pythia.service.server import check_port


def web(
    *,
    port: Annotated[
        int, Parameter(help="Port of the page on the loopback address; 0 picks a free one.")
    ] = DEFAULT_HTTP_PORT,
    store: Annotated[
        str, Parameter(help="Where matches are kept, as in `pythia serve`; empty: in the state folder.")
    ] = "",
    browser: Annotated[
        bool, Parameter(negative="--no-browser", help="Open the page in the browser of this machine.")
    ] = True,
) -> None:
    """Open the page: play, analyse, review and watch in a browser.

    It serves on this machine only, until interrupted. docs/web.md says how to
    let others in.

    For example:

        pythia web
        pythia web --no-browser --port 0
    """
    if find_spec("connectrpc") is None:
        raise ConfigError("the page needs the packages of the extra web; install pythia-opponent[web]")
    settings = Config(port=0, http_port=port, store=store, metrics=False)
    # The server would name its own setting, http_port, which is no option here.
    if not 0 <= port <= 65535:
        raise not_allowed("port", port, "0 to 65535, 0 picks a free one")
    check_port("port", settings.http_address, port)
    asyncio.run(serve_until_stopped(settings, page=open_browser if browser else None))


def open_browser(url: str) -> None:
    # Nobody waits for the browser, and one that cannot be opened is no error: the address has been printed.
    asyncio.get_running_loop().run_in_executor(None, webbrowser.open, url)
