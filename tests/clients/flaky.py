"""A server that fails as it is told, between a client and the real service."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc

from pythia.clients.calls import METHODS
from pythia.service.calls import DETAILS
from pythia.service.errors import exhausted

GONE = (grpc.StatusCode.UNAVAILABLE, "gone", b"")
REFUSAL = exhausted("QUEUE_FULL", "9 searches are already waiting", 0.01)
BUSY = (REFUSAL.code, str(REFUSAL), REFUSAL.status("").SerializeToString())


class Flaky(grpc.GenericRpcHandler):
    """A real gRPC server between the client and the service. It fails as it is told, and counts calls by method.

    `faults` are taken one for each call, or each of the one method in `only`: `before` fails instead of asking the
    service, `after` loses the answer, of a stream all but the first, and a number cuts a stream after so many answers.
    """

    def __init__(self, address, faults, error=GONE, only=None):
        self.channel = grpc.insecure_channel(address)
        self.faults = iter(faults)
        self.error = error
        self.only = only
        self.calls = Counter()

    def service(self, details):
        name = details.method.rpartition("/")[2]
        if METHODS[name].server_streaming:
            return grpc.unary_stream_rpc_method_handler(
                lambda data, context: self.stream(details.method, data, context)
            )
        return grpc.unary_unary_rpc_method_handler(
            lambda data, context: self.unary(details.method, data, context)
        )

    def fault(self, path):
        method = path.rpartition("/")[2]
        self.calls[method] += 1
        return next(self.faults, None) if self.only in (None, method) else None

    def fail(self, context):
        code, words, details = self.error
        context.set_trailing_metadata(((DETAILS, details),) if details else ())
        context.abort(code, words)

    def unary(self, path, data, context):
        fault = self.fault(path)
        if fault == "before":
            self.fail(context)
        answer = self.channel.unary_unary(path)(data)
        if fault == "after":
            self.fail(context)
        return answer

    def stream(self, path, data, context):
        fault = self.fault(path)
        if fault == "before":
            self.fail(context)
        answers = self.channel.unary_stream(path)(data)
        for number, answer in enumerate(answers):
            if fault == number:
                self.fail(context)
            yield answer
            if fault == "after":
                list(answers)
                self.fail(context)


@contextmanager
def flaky(address, *faults, **values):
    handler = Flaky(address, faults, **values)
    server = grpc.server(ThreadPoolExecutor(4), handlers=[handler])
    handler.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    server.start()
    try:
        yield handler
    finally:
        server.stop(0).wait()
        handler.channel.close()
