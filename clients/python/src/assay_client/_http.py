"""Requests to Assay over `urllib`: a time limit for each, retries where Assay asks for them, and errors in words.

    429, 503        retried after `Retry-After`, otherwise after a pause that doubles
    no connection   retried for five seconds, because a restart takes some
    all others      raised at once

A retry that would begin later than `retry_seconds` after the first attempt is not made. Redirects are not followed,
because the token would go to wherever they lead.
"""

from __future__ import annotations

import datetime
import email.utils
import http.client
import json
import random
import socket
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from typing import Any, Callable

from ._json_text import to_json_text
from .errors import AssayError, BadRequest, Busy, NotAllowed, NotFound, Refused, Unreachable

_FIRST_PAUSE = 0.5
_PAUSE_MAX = 30.0
_RESTART_SECONDS = 5.0
_ANSWER_SHOWN = 300
_READ_BYTES = 65536
_ADVICE = "give the address of the API, which is port 4319 unless configured; 4317 and 4318 only receive spans"


class Http:
    def __init__(
        self,
        url: str,
        token: str | None,
        *,
        timeout: float,
        retry_seconds: float,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is no address of Assay: give one such as http://127.0.0.1:4319")
        self.url = url.rstrip("/")
        self._token = token
        self._timeout = timeout
        self._retry_seconds = retry_seconds
        self._sleep = sleep
        self._clock = clock
        self._opener = urllib.request.build_opener(_NoRedirects())

    def json(self, method: str, path: str, query: Mapping[str, Any] | None = None, body: object = None) -> Any:
        with self._open(method, path, query, body) as answer:
            text = _read(answer, self.url)
        try:
            return json.loads(text)
        except ValueError as error:
            raise Unreachable(self._not_assay(text)) from error

    def lines(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """Yields the lines of a long answer, each of which is JSON, as they arrive."""
        with self._open("GET", path, query, None) as answer:
            begun = b""
            while True:
                try:
                    # `readline` takes an answer that ends between two chunks for a whole one.
                    part = answer.read1(_READ_BYTES)
                except (OSError, http.client.HTTPException) as error:
                    raise self._broken_off(path) from error
                if not part:
                    break
                *lines, begun = (begun + part).split(b"\n")
                yield from map(json.loads, lines)
            if begun:
                raise self._broken_off(path)

    def _broken_off(self, path: str) -> Unreachable:
        return Unreachable(f"{self.url}{path}: the answer broke off, so it is not whole: ask again")

    def _open(self, method: str, path: str, query: Mapping[str, Any] | None, body: object) -> Any:
        url = f"{self.url}{path}{_query_text(query or {})}"
        data = None if body is None else to_json_text(body).encode()
        if method == "PUT" and data is None:
            data = b"null"
        headers = {"accept": "application/json", "user-agent": "assay-client"}
        if data is not None:
            headers["content-type"] = "application/json"
        if self._token is not None:
            headers["authorization"] = f"Bearer {self._token}"
        began = self._clock()
        pause = _FIRST_PAUSE
        while True:
            request = urllib.request.Request(url, data=data, headers=headers, method=method)
            failure: AssayError
            asked_for: float | None = None
            patience = self._retry_seconds
            try:
                return self._opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as error:
                with error:
                    failure = self._refusal(error, method, path)
                    asked_for = _retry_after(error.headers.get("retry-after"))
                if not isinstance(failure, Busy):
                    raise failure from None
            except (OSError, http.client.HTTPException) as error:
                failure = self._unreachable(error, method, path)
                failure.__cause__ = error
                patience = min(patience, _RESTART_SECONDS)
            wait = random.uniform(pause / 2, pause) if asked_for is None else asked_for
            if self._clock() - began + wait > patience:
                raise failure
            self._sleep(wait)
            pause = min(pause * 2, _PAUSE_MAX)

    def _refusal(self, error: urllib.error.HTTPError, method: str, path: str) -> AssayError:
        status = error.code
        where = f"{method} {path} of {self.url}"
        if 300 <= status < 400:
            target = error.headers.get("location", "elsewhere")
            return Unreachable(f"{where} redirects to {target}: give the client that address, if it is Assay's")
        text = error.read(100_000)
        said, problems = _error_in(text)
        if said is None and status not in (401, 403, 429, 502, 503, 504):
            return Unreachable(self._not_assay(text, status))
        told = "; ".join([said or f"status {status}", *problems])
        if status in (401, 403):
            return NotAllowed(f"{where}: {told}. {self._advice(status)}", status=status, problems=problems)
        if status in (429, 502, 503, 504):
            return Busy(f"{where}: {told}. Assay was busy or starting for too long", status=status, problems=problems)
        kinds: dict[int, type[Refused]] = {400: BadRequest, 404: NotFound}
        return kinds.get(status, Refused)(f"{where}: {told}", status=status, problems=problems)

    def _advice(self, status: int) -> str:
        if self._token is None:
            return "Give the client a token, or set ASSAY_TOKEN: `npx assay token create --role review` prints one"
        if status == 401:
            return "The token is unknown, revoked or expired: `npx assay token list` shows those that count"
        return "The role of the token is not enough: `review` may read and label, `read` may only read"

    def _unreachable(self, error: Exception, method: str, path: str) -> Unreachable:
        reason: object = error.reason if isinstance(error, urllib.error.URLError) else error
        if isinstance(reason, (socket.timeout, TimeoutError)):
            return Unreachable(f"{method} {path}: {self.url} did not answer within {self._timeout:g} s")
        if isinstance(reason, ConnectionRefusedError):
            return Unreachable(
                f"nothing listens at {self.url}: start Assay (`npx assay serve`), or give the address of its API, "
                "which is port 4319 unless configured"
            )
        if isinstance(reason, http.client.HTTPException) and not isinstance(reason, http.client.RemoteDisconnected):
            return Unreachable(f"{self.url} speaks no HTTP ({type(reason).__name__}): {_ADVICE}")
        return Unreachable(f"{method} {path}: {self.url} cannot be reached: {reason}")

    def _not_assay(self, text: bytes, status: int = 200) -> str:
        shown = text[:_ANSWER_SHOWN].decode("utf-8", "replace").strip()
        return f"{self.url} answered as Assay's API does not (status {status}: {shown!r}): {_ADVICE}"


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _read(answer: Any, url: str) -> bytes:
    try:
        text: bytes = answer.read()
        return text
    except (OSError, http.client.HTTPException) as error:
        raise Unreachable(f"{url}: the answer broke off: {error}") from error


def _query_text(query: Mapping[str, Any]) -> str:
    pairs: list[tuple[str, str]] = []
    for key, value in query.items():
        if value is None:
            continue
        values = value if isinstance(value, (list, tuple, set, frozenset)) else [value]
        pairs.extend((key, _as_query(one)) for one in values)
    return f"?{urllib.parse.urlencode(pairs)}" if pairs else ""


def _as_query(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo is not None else value.astimezone()).isoformat()
    return str(value)


def _error_in(text: bytes) -> tuple[str | None, list[str]]:
    try:
        found = json.loads(text)
    except ValueError:
        return None, []
    if not isinstance(found, dict) or not isinstance(found.get("error"), str):
        return None, []
    problems = found.get("problems")
    return found["error"], [str(one) for one in problems] if isinstance(problems, list) else []


def _retry_after(written: str | None) -> float | None:
    """Seconds, from a number or a date."""
    if written is None:
        return None
    try:
        return max(0.0, float(written))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(written).timestamp() - time.time())
    except (TypeError, ValueError):
        return None
