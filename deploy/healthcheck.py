"""HEALTHCHECK of the image: asks the server of this container, by its own settings, whether it takes calls."""

import ssl
import urllib.request
from http import HTTPStatus

from pythia.service.config import DEFAULT_HTTP_PORT, load_config


def main() -> None:
    config, _ = load_config()
    port = config.http_port if config.http_port > 0 else DEFAULT_HTTP_PORT
    scheme = "https" if config.http_tls else "http"
    # The certificate is for the name that callers use, and this is the same machine.
    trusting = ssl._create_unverified_context() if config.http_tls else None
    with urllib.request.urlopen(
        f"{scheme}://127.0.0.1:{port}/healthz", timeout=4, context=trusting
    ) as answer:
        if answer.status != HTTPStatus.OK:
            raise SystemExit(f"/healthz answers {answer.status}")


if __name__ == "__main__":
    main()
