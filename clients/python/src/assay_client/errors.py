"""Failures of the API. Each message says what was wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Sequence


class AssayError(Exception):
    """Base of all that the client raises."""


class Unreachable(AssayError):
    """There was no answer, or not from Assay."""


class Refused(AssayError):
    """Assay answered with an error. `problems` has each mistake of a request that has several."""

    def __init__(self, message: str, *, status: int, problems: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.problems = tuple(problems)


class BadRequest(Refused):
    """400: the request has mistakes."""


class NotAllowed(Refused):
    """401 or 403: the token is missing or wrong, or its role is not enough."""


class NotFound(Refused):
    """404: there is no such conversation, suite or text."""


class Busy(Refused):
    """429 or 503, and still so after all retries."""
