"""Client of a running Assay: reads conversations and evaluations, writes labels, readings, truth, outcomes and
feedback.

    client = Client("http://127.0.0.1:4319", token=…)
    for item in client.conversations(outcome="hard_failure", since="24h"):
        print(item["conversation_id"], item["evaluations"][0]["explanation"])
    table = client.evaluations(since="7d").to_pandas()

Lists are read a page at a time, while they are iterated.
"""

from __future__ import annotations

import datetime
import os
import time
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Callable, Generic, Literal, Optional, TypeVar, Union, cast

from ._http import Http
from .errors import NotFound
from .results import (
    CameOut,
    Common,
    ConversationDetail,
    ConversationItem,
    Estimate,
    EvaluationRow,
    ExportedConversation,
    Failures,
    FeedbackResult,
    FeedbackToPut,
    Finds,
    LabelKind,
    LabelToPut,
    Outcome,
    OutcomeToPut,
    Polarity,
    ReadAs,
    ReadingToPut,
    State,
    VerdictRow,
)

if TYPE_CHECKING:
    import pandas

DEFAULT_URL = "http://127.0.0.1:4319"
#: Items that one request may write.
_WRITTEN_AT_ONCE = 500
_PAGE = 200
#: Columns of tables that would have no type where all their values are missing.
_NUMBERS = {"score", "decided_share", "revision", "steps", "tokens", "cost_usd", "duration_ms"}
_BOOLEANS = {"success", "passed"}

T = TypeVar("T")
U = TypeVar("U")
OneOrMore = Union[T, Sequence[T], None]
When = Union[str, datetime.datetime, None]


class Pages(Generic[T]):
    """Items that are read while they are iterated. Each iteration reads them again, from the start."""

    def __init__(self, read: Callable[[], Iterator[T]], columns: Iterable[str] = ()) -> None:
        self._read = read
        self._columns = list(columns)

    def __iter__(self) -> Iterator[T]:
        return self._read()

    def first(self, count: int) -> list[T]:
        """Returns at most so many, and reads no more pages than they need."""
        found: list[T] = []
        if count > 0:
            for item in self:
                found.append(item)
                if len(found) >= count:
                    break
        return found

    def to_pandas(self) -> pandas.DataFrame:
        """Reads all of them into a table: `assay-client[pandas]`. Keys that end in `_at` become times.

        A table without rows has its columns all the same. Missing values are NaN, NaT or NA, so means leave them out.
        """
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_pandas() needs pandas: run `python -m pip install 'assay-client[pandas]'`") from error
        table = pandas.DataFrame(list(self))
        others = [column for column in table.columns if column not in self._columns]
        table = table.reindex(columns=[*self._columns, *others])
        for column in table.columns:
            if str(column).endswith("_at"):
                table[column] = pandas.to_datetime(table[column], utc=True, format="ISO8601")
            elif column in _NUMBERS:
                table[column] = pandas.to_numeric(table[column])
            elif column in _BOOLEANS:
                table[column] = table[column].astype("boolean")
        return table


class Client:
    """`token` is needed where access is configured: role `read` to read, `review` to write. Without it, that of
    ASSAY_TOKEN is taken; without `url`, that of ASSAY_URL, or http://127.0.0.1:4319.

    `timeout` limits each request, and `retry_seconds` the time in which a request is retried: after `Retry-After` where
    Assay is busy (429, 503), and while nothing listens. Safe to share between threads.
    """

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        timeout: float = 30.0,
        retry_seconds: float = 60.0,
    ) -> None:
        self._http = Http(
            url or os.environ.get("ASSAY_URL") or DEFAULT_URL,
            token or os.environ.get("ASSAY_TOKEN") or None,
            timeout=timeout,
            retry_seconds=retry_seconds,
        )

    def __repr__(self) -> str:
        return f"Client({self._http.url!r})"

    def conversations(
        self,
        *,
        agent: OneOrMore[str] = None,
        agent_version: OneOrMore[str] = None,
        environment: OneOrMore[str] = None,
        segment: OneOrMore[str] = None,
        suite: OneOrMore[str] = None,
        outcome: OneOrMore[Outcome] = None,
        criterion: OneOrMore[str] = None,
        sub_agent: OneOrMore[str] = None,
        score_below: float | None = None,
        decided_below: float | None = None,
        state: OneOrMore[State] = None,
        labelled: bool | None = None,
        feedback: OneOrMore[Polarity] = None,
        came_out: OneOrMore[CameOut] = None,
        read: OneOrMore[ReadAs] = None,
        kind: OneOrMore[str] = None,
        called_fine: bool | None = None,
        fact: OneOrMore[str] = None,
        conversation_id: OneOrMore[str] = None,
        since: When = None,
        until: When = None,
        words: str | None = None,
        order: Literal["latest", "worst", "turns", "longest"] | None = None,
    ) -> Pages[ConversationItem]:
        """Finds conversations, the latest first. `criterion` is one that failed; `since` is `24h`, `7d` or a time.

        A filter that is given several values finds what has one of them; of several facts, what has all.
        """
        query = {key: value for key, value in locals().items() if key != "self"}
        return Pages(lambda: self._pages({**query, "limit": _PAGE}), ConversationItem.__annotations__)

    def evaluations(
        self,
        *,
        agent: OneOrMore[str] = None,
        agent_version: OneOrMore[str] = None,
        environment: OneOrMore[str] = None,
        segment: OneOrMore[str] = None,
        suite: OneOrMore[str] = None,
        outcome: OneOrMore[Outcome] = None,
        criterion: OneOrMore[str] = None,
        sub_agent: OneOrMore[str] = None,
        score_below: float | None = None,
        decided_below: float | None = None,
        state: OneOrMore[State] = None,
        labelled: bool | None = None,
        feedback: OneOrMore[Polarity] = None,
        came_out: OneOrMore[CameOut] = None,
        read: OneOrMore[ReadAs] = None,
        kind: OneOrMore[str] = None,
        called_fine: bool | None = None,
        fact: OneOrMore[str] = None,
        conversation_id: OneOrMore[str] = None,
        since: When = None,
        until: When = None,
        words: str | None = None,
    ) -> Pages[EvaluationRow]:
        """Reads the last evaluations of the conversations that `conversations` would find, a row each.

        Filters choose conversations. With `suite`, only rows of these suites are returned. `agent_version` and the
        other labels of a row are those under which it was counted, so means are those of the trend and of `/metrics`.
        """
        query = {key: value for key, value in locals().items() if key != "self"}
        return Pages(lambda: self._export({**query, "table": "evaluations"}), EvaluationRow.__annotations__)

    def verdicts(
        self,
        *,
        agent: OneOrMore[str] = None,
        agent_version: OneOrMore[str] = None,
        environment: OneOrMore[str] = None,
        segment: OneOrMore[str] = None,
        suite: OneOrMore[str] = None,
        outcome: OneOrMore[Outcome] = None,
        criterion: OneOrMore[str] = None,
        sub_agent: OneOrMore[str] = None,
        score_below: float | None = None,
        decided_below: float | None = None,
        state: OneOrMore[State] = None,
        labelled: bool | None = None,
        feedback: OneOrMore[Polarity] = None,
        came_out: OneOrMore[CameOut] = None,
        read: OneOrMore[ReadAs] = None,
        kind: OneOrMore[str] = None,
        called_fine: bool | None = None,
        fact: OneOrMore[str] = None,
        conversation_id: OneOrMore[str] = None,
        since: When = None,
        until: When = None,
        words: str | None = None,
    ) -> Pages[VerdictRow]:
        """Reads the same as `evaluations`, a row for each criterion."""
        query = {key: value for key, value in locals().items() if key != "self"}
        return Pages(lambda: self._export({**query, "table": "verdicts"}), VerdictRow.__annotations__)

    def export(self, **filters: Any) -> Pages[ExportedConversation]:
        """Reads whole conversations with their evaluations, by the filters of `conversations`."""
        return Pages(lambda: self._export(filters), ExportedConversation.__annotations__)

    def conversation(self, conversation_id: str) -> ConversationDetail:
        """Returns a conversation: its turns and steps, every evaluation, labels, ground truth and outcomes."""
        return cast(ConversationDetail, self._http.json("GET", f"/api/v1/conversations/{_part(conversation_id)}"))

    def wait_for(self, conversation_id: str, *, over: bool = False, timeout: float = 60.0) -> ConversationDetail:
        """Returns a conversation once it is evaluated, or raises TimeoutError, which says how far it got.

        Suites that score each turn do so ten seconds after its last span. With `over`, it waits for those that score
        whole conversations as well: until `end_conversation()`, or minutes of silence.
        """
        deadline = time.monotonic() + timeout
        pause = 0.1
        while True:
            try:
                found = self.conversation(conversation_id)
                is_over = found["state"] in ("scored", "unscored")
                if is_over or (not over and found["evaluations"]):
                    return found
                state = f"it is {found['state']}"
            except NotFound:
                state = "no span of it was understood: `npx assay doctor` says what was received"
            if time.monotonic() + pause > deadline:
                raise TimeoutError(f"conversation {conversation_id!r} was not evaluated within {timeout:g} s: {state}")
            time.sleep(pause)
            pause = min(pause * 1.5, 2.0)

    def label(
        self,
        conversation_id: str,
        suite: str,
        criterion: str,
        label: LabelKind | None,
        *,
        by: str | None = None,
        turn_id: str | None = None,
        note: str | None = None,
    ) -> None:
        """Writes what a person says of a criterion: `pass`, `fail` or `not_applicable`; None takes it back."""
        written = {"by": by, "turn_id": turn_id, "note": note}
        given = {key: value for key, value in written.items() if value is not None}
        self.labels(
            conversation_id, [cast(LabelToPut, {"suite": suite, "criterion": criterion, "label": label, **given})]
        )

    def labels(self, conversation_id: str, labels: Iterable[LabelToPut]) -> None:
        """Writes labels of a conversation."""
        for part in _parts(labels):
            self._http.json("PUT", f"/v1/labels/{_part(conversation_id)}", body=part)

    def set_truth(self, conversation_id: str, truth: Mapping[str, Any] | None) -> None:
        """Writes the ground truth of a conversation, before or after it is scored; None takes it back."""
        self._http.json("PUT", f"/v1/truth/{_part(conversation_id)}", body=truth)

    def outcome(
        self,
        conversation_id: str,
        label: str,
        good: bool | None,
        *,
        value: str | None = None,
        case: str | None = None,
        certain: bool | None = None,
    ) -> None:
        """Writes what came of a conversation in the world, such as `refunded`; None for `good` takes it back.

        One that is `certain` decides how the conversation went: nobody has to read it.
        """
        more = {"value": value, "case": case, "certain": certain}
        given = {key: one for key, one in more.items() if one is not None}
        written = {"conversation_id": conversation_id, "label": label, "good": good, **given}
        self.outcomes([cast(OutcomeToPut, written)])

    def outcomes(self, outcomes: Iterable[OutcomeToPut]) -> None:
        """Writes outcomes of conversations."""
        for part in _parts(outcomes):
            self._http.json("PUT", "/v1/outcomes", body=part)

    def put_readings(self, readings: Iterable[ReadingToPut]) -> None:
        """Writes whether conversations went well for their users, as people say who have read them."""
        for part in _parts(readings):
            self._http.json("PUT", "/v1/readings", body=part)

    def estimate(
        self,
        agent: str,
        *,
        agent_version: str | None = None,
        environment: str | None = None,
        segment: str | None = None,
        since: When = None,
        until: When = None,
        explain: bool | None = None,
    ) -> Estimate:
        """Estimates how many conversations of a week, or since `since`, went well, from what people have read."""
        query = {key: value for key, value in locals().items() if key != "self"}
        return cast(Estimate, self._http.json("GET", "/api/v1/estimate", query))

    def finds(
        self,
        agent: str,
        *,
        agent_version: str | None = None,
        environment: str | None = None,
        segment: str | None = None,
        since: When = None,
        until: When = None,
    ) -> Finds:
        """Finds facts that set the conversations of a week that went badly apart, and new tools and errors."""
        query = {key: value for key, value in locals().items() if key != "self"}
        return cast(Finds, self._http.json("GET", "/api/v1/finds", query))

    def common(self, **filters: Any) -> Common:
        """Finds what conversations have in common, against the others, by the filters of `conversations`."""
        return cast(Common, self._http.json("GET", "/api/v1/common", filters))

    def failures(self, agent: str, *, since: When = None, until: When = None) -> Failures:
        """Kinds of failure that readings name, and how much of the traffic of a week has each of them."""
        query = {key: value for key, value in locals().items() if key != "self"}
        return cast(Failures, self._http.json("GET", "/api/v1/failures", query))

    def feedback(
        self,
        conversation_id: str,
        *,
        score: float | None = None,
        label: str | None = None,
        comment: str | None = None,
        name: str | None = None,
        scale: tuple[float, float] | None = None,
        user: str | None = None,
        id: str | None = None,
        trace_id: str | None = None,
        span_id: str | None = None,
        at: str | datetime.datetime | None = None,
    ) -> FeedbackResult:
        """Writes what a user said of a conversation. Sent twice with the same `id`, it counts once."""
        written = {
            "conversation_id": conversation_id,
            **{"score": score, "label": label, "comment": comment, "name": name, "user": user, "id": id},
            **{"trace_id": trace_id, "span_id": span_id},
            "scale": None if scale is None else list(scale),
            "at": _moment(at),
        }
        given = {key: value for key, value in written.items() if value is not None}
        return self.feedback_of_many([cast(FeedbackToPut, given)])[0]

    def feedback_of_many(self, feedback: Iterable[FeedbackToPut]) -> list[FeedbackResult]:
        """Writes many, and returns what became of each."""
        results: list[FeedbackResult] = []
        for part in _parts(feedback):
            results += self._http.json("POST", "/api/v1/feedback", body={"feedback": part})["results"]
        return results

    def get(self, path: str, **query: Any) -> Any:
        """Reads any other part of the API: `client.get("trend", since="7d", by="agent_version")`."""
        return self._http.json("GET", path if path.startswith("/") else f"/api/v1/{path}", query)

    def _pages(self, query: Mapping[str, Any]) -> Iterator[ConversationItem]:
        cursor: str | None = None
        while True:
            answer = self._http.json("GET", "/api/v1/conversations", {**query, "cursor": cursor})
            yield from answer["conversations"]
            cursor = answer["next"]
            if cursor is None:
                return

    def _export(self, query: Mapping[str, Any]) -> Iterator[Any]:
        return self._http.lines("/api/v1/export", query)


def _part(text: str) -> str:
    if text == "":
        raise ValueError("the id of a conversation is empty")
    return urllib.parse.quote(text, safe="")


def _parts(items: Iterable[U]) -> Iterator[list[U]]:
    part: list[U] = []
    for item in items:
        part.append(item)
        if len(part) == _WRITTEN_AT_ONCE:
            yield part
            part = []
    if part:
        yield part


def _moment(at: Optional[Union[str, datetime.datetime]]) -> str | None:  # noqa: UP007, UP045
    if isinstance(at, datetime.datetime):
        return (at if at.tzinfo is not None else at.astimezone()).isoformat()
    return at
