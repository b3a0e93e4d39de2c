"""Connections to the page: one that brings no whole request in time is ended.

A connection takes a file of this process for as long as it is open. Without a limit some thousand
that never say anything would keep the annotator out.
"""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

# From its opening, or from the last response, to the end of the next request.
REQUEST_SECONDS = 20.0
# A browser opens six.
MOST_CONNECTIONS = 100


class Connection(H11Protocol):
    """A connection whose requests must come in time.

    Where there are too many connections, the one that has kept us waiting longest is ended.
    """

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()
        if len(self.connections) > MOST_CONNECTIONS:
            waiting = [
                (one._deadline.when(), id(one), one)
                for one in self.connections
                if isinstance(one, Connection) and one._deadline
            ]
            min(waiting)[2]._end()

    def data_received(self, data: bytes) -> None:
        """Stop waiting once a request is whole."""
        super().data_received(data)
        if self.cycle and not self.cycle.response_complete and not self.cycle.more_body:
            self._stop_waiting()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._wait()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait(self) -> None:
        self._stop_waiting()
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._end)

    def _stop_waiting(self) -> None:
        if self._deadline:
            self._deadline.cancel()
            self._deadline = None

    def _end(self) -> None:
        self._stop_waiting()
        self.transport.abort()
