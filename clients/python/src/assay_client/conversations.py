"""Lets an agent report what its spans do not hold: the conversation and its user, the state at the end, the ground
truth, feedback, and the end itself.

    instrument(service_name="support")

    with conversation("ticket-4711", user="u-17"):
        agent.run_sync(question)            # any framework whose spans OpenTelemetry gets
        record_state({"resolved": True})
        end_conversation()

Nothing here raises: an agent must not fail because it is being watched. Without an SDK every call does nothing.

The marks are written to the active span. A framework's span has often ended by the time its result is there. Then the
marks become a short span of their own, in the trace of the latest turn, which `ConversationSpanProcessor` remembers.

The id travels as W3C baggage. If your outgoing requests to others carry baggage, they carry the id; the rest stays in
the process.
"""

from __future__ import annotations

import contextvars
import functools
import inspect
import logging
import math
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Optional, TypeVar, Union, overload

from opentelemetry import baggage, context, trace
from opentelemetry.context import Context

from . import _names as names
from ._json_text import to_json_text

if TYPE_CHECKING:
    from collections.abc import AsyncIterable

    from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor
else:
    try:
        from opentelemetry.sdk.trace import SpanProcessor
    except ImportError:
        SpanProcessor = object

T = TypeVar("T")
AttributeValue = Union[str, bool, int, float]

_log = logging.getLogger("assay_client")
_CONVERSATION = context.create_key("assay-conversation")
#: Tells whether a `with` ends in the context in which it began.
_entered: contextvars.ContextVar[object] = contextvars.ContextVar("assay_entered", default=None)
_warned: set[str] = set()


class _Conversation:
    """A conversation in this process, shared by everything that runs within it."""

    def __init__(self, conversation_id: str, attributes: Mapping[str, AttributeValue], truth: str | None) -> None:
        self.id = conversation_id
        self.attributes = attributes
        self.pending_truth = truth
        #: Root of the trace of the latest turn.
        self.turn: trace.SpanContext | None = None

    def take_truth(self) -> str | None:
        truth, self.pending_truth = self.pending_truth, None
        return truth


def conversation(
    id: object,
    *,
    user: object = None,
    truth: object = None,
    scenario: str | None = None,
    attributes: Mapping[str, AttributeValue] | None = None,
) -> ConversationScope:
    """Returns a scope, for `with` or `async with`: spans started in it belong to the conversation `id`.

    The id is the same for every turn of the conversation, whatever process or trace they run in. `truth` is the ground
    truth, if it is known: anything that JSON can hold. `scenario` is the case of a dataset that the conversation runs.
    `attributes` are put on every span too. Without an id it warns once, and stamps nothing.
    """
    if id is None or str(id) == "":
        _warn_once("conversation() was given no id, so its spans are not joined to a conversation")
        return ConversationScope(None)
    stamped: dict[str, AttributeValue] = dict(attributes or {})
    if user is not None:
        stamped[names.USER_ID] = str(user)
    if scenario is not None:
        stamped[names.SCENARIO_ID] = scenario
    text = None if truth is None else _text_of(names.TRUTH_MARK, truth)
    return ConversationScope(_Conversation(str(id), stamped, text))


class ConversationScope:
    """A conversation to be entered, by `with` or for the items of a generator."""

    def __init__(self, entered: _Conversation | None) -> None:
        self._conversation = entered
        self._tokens: list[tuple[contextvars.Token[object], contextvars.Token[Context] | object]] = []

    def __enter__(self) -> ConversationScope:
        if self._conversation is not None:
            mark = _entered.set(object())
            self._tokens.append((mark, context.attach(_context_within(self._conversation))))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace_back: TracebackType | None
    ) -> None:
        if not self._tokens:
            return
        mark, token = self._tokens.pop()
        try:
            _entered.reset(mark)
        except (ValueError, RuntimeError):
            return  # A generator that is closed elsewhere: that context never was in the conversation.
        context.detach(token)  # type: ignore[arg-type]

    async def __aenter__(self) -> ConversationScope:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace_back: TracebackType | None
    ) -> None:
        self.__exit__(kind, error, trace_back)

    @overload
    def over(self, items: AsyncIterable[T]) -> AsyncIterator[T]: ...
    @overload
    def over(self, items: Iterable[T]) -> Iterator[T]: ...
    def over(self, items: Any) -> Any:
        """Returns the items of an iterable, or of an asynchronous one, which is run within the conversation.

        A `with` in a generator also holds for the code that takes the items. With `over` it does not.
        """
        if self._conversation is None:
            return items
        return self._over_async(items) if hasattr(items, "__aiter__") else self._over(items)

    def _over(self, items: Iterable[T]) -> Iterator[T]:
        scope = ConversationScope(self._conversation)
        iterator: Iterator[T] | None = None
        try:
            while True:
                with scope:
                    if iterator is None:
                        iterator = iter(items)
                    try:
                        item = next(iterator)
                    except StopIteration:
                        return
                yield item
        finally:
            close = getattr(iterator, "close", None)
            if callable(close):
                with scope:
                    close()

    async def _over_async(self, items: AsyncIterable[T]) -> AsyncIterator[T]:
        scope = ConversationScope(self._conversation)
        iterator: AsyncIterator[T] | None = None
        try:
            while True:
                with scope:
                    if iterator is None:
                        iterator = items.__aiter__()
                    try:
                        item = await iterator.__anext__()
                    except StopAsyncIteration:
                        return
                yield item
        finally:
            close = getattr(iterator, "aclose", None)
            if callable(close):
                with scope:
                    closing = close()
                    if inspect.isawaitable(closing):
                        await closing


def carry(function: Callable[..., T]) -> Callable[..., T]:
    """Returns a function that runs in the conversation and the span that are active now, in whichever thread.

    Needed for `threading.Thread` and `ThreadPoolExecutor.submit`. Tasks of asyncio and `asyncio.to_thread` carry the
    context without it.
    """
    carried = context.get_current()

    @functools.wraps(function)
    def run(*args: Any, **named: Any) -> T:
        token = context.attach(carried)
        try:
            return function(*args, **named)
        finally:
            context.detach(token)

    return run


def conversation_id() -> str | None:
    """Returns the id of the conversation that the caller runs in, also where it came with the baggage of a request."""
    return _id_in(context.get_current())


def record_state(state: object) -> bool:
    """Records the agent's state, for criteria to look at. Later records override earlier ones key by key."""
    return _mark(names.STATE_MARK, _text_of(names.STATE_MARK, state))


def attach_truth(truth: object) -> bool:
    """Attaches ground truth that becomes known during the conversation."""
    return _mark(names.TRUTH_MARK, _text_of(names.TRUTH_MARK, truth))


def end_conversation() -> bool:
    """Marks the conversation as over, so that it is scored now and not after minutes of silence."""
    return _mark(names.END_MARK, True)


def feedback(
    *,
    score: float | None = None,
    label: str | None = None,
    comment: str | None = None,
    name: str | None = None,
    scale: tuple[float, float] | None = None,
    user: object = None,
    id: str | None = None,
    conversation_id: object = None,
) -> bool:
    """Reports what a user said of the conversation, or of an answer of it, as an event on the active span.

    Without an active span, it is an event on a span of its own. `conversation_id` is needed outside `conversation()`,
    because feedback usually comes in a later request. A score of 1 is good and 0 is bad, and whole scores from 2 to 5
    are stars; give any other its `scale`. Sent twice with the same `id`, it counts once.
    `Client.feedback` sends it over the API instead.

    Returns False where nothing was said, a number is none or outside of its scale, or the conversation is not known.
    """
    details: dict[str, AttributeValue | None] = {
        "id": _well_formed(id),
        "name": _well_formed(name),
        "score": score,
        "label": _well_formed(label),
        "comment": _well_formed(comment),
        "user": None if user is None else _well_formed(str(user)),
    }
    # An empty text is one that nobody reads.
    details = {key: value for key, value in details.items() if value is not None and value != ""}
    if not details.keys() & {"score", "label", "comment"}:
        _warn_once("feedback() needs a score, a label or a comment")
        return False
    if score is not None and not _is_finite(score):
        _warn_once("feedback() needs a score that is a finite number of 64 bits")
        return False
    if scale is not None:
        if not _is_scale(scale):
            _warn_once("feedback() needs a scale of two numbers, the lowest and then the highest")
            return False
        if score is not None and not scale[0] <= score <= scale[1]:
            _warn_once("feedback() needs a score that is not outside of its scale")
            return False
        details["scale.min"], details["scale.max"] = scale
    given = {f"{names.FEEDBACK_EVENT}.{key}": value for key, value in details.items() if value is not None}
    about = _id_in(context.get_current()) if conversation_id is None else str(conversation_id)
    if about:
        given[names.CONVERSATION_ID] = about
    active = trace.get_current_span()
    if active.is_recording():
        active.add_event(names.FEEDBACK_EVENT, given)
        return True
    if not about:
        _warn_once("feedback() knows no conversation: call it within conversation(), or give it conversation_id")
        return False
    span = _own_span(names.FEEDBACK_EVENT, about)
    is_recording = span.is_recording()
    span.add_event(names.FEEDBACK_EVENT, given)
    span.end()
    return is_recording


def _is_finite(value: object) -> bool:
    """Exporters write a whole number in 64 bits, with a sign."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return isinstance(value, float) and math.isfinite(value)


def _well_formed(text: T) -> T | str:
    """Replaces each half of a surrogate pair, which no exporter can encode."""
    if not isinstance(text, str):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_scale(scale: object) -> bool:
    if not isinstance(scale, (tuple, list)) or len(scale) != 2:
        return False
    lowest, highest = scale
    return _is_finite(lowest) and _is_finite(highest) and bool(lowest < highest)


class ConversationSpanProcessor(SpanProcessor):
    """Stamps each span with the conversation that it is started in, also where the id came with a request's baggage.

    `instrument()` adds it. With a provider of your own: `provider.add_span_processor(ConversationSpanProcessor())`.
    """

    def on_start(self, span: Span, parent_context: Optional[Context] = None) -> None:  # noqa: UP045
        within = context.get_current() if parent_context is None else parent_context
        known = _conversation_in(within)
        conversation_id = _id_in(within)
        if conversation_id is not None:
            span.set_attribute(names.CONVERSATION_ID, conversation_id)
        if known is None:
            return
        for key, value in known.attributes.items():
            span.set_attribute(key, value)
        truth = known.take_truth()
        if truth is not None:
            span.set_attribute(names.TRUTH_MARK, truth)
        if getattr(span, "parent", None) is None and span.get_span_context() is not None:
            known.turn = span.get_span_context()

    def _on_ending(self, span: Span) -> None:
        """Called by newer SDKs, also of processors that do not inherit from theirs."""

    def on_end(self, span: ReadableSpan) -> None:
        """Everything is on the span since its start."""

    def shutdown(self) -> None:
        """Nothing is held."""

    def force_flush(self, timeout_millis: int = 30000) -> bool:
        return True


def _context_within(entered: _Conversation) -> Context:
    active = trace.get_current_span()
    if active.is_recording():
        active.set_attribute(names.CONVERSATION_ID, entered.id)
        for key, value in entered.attributes.items():
            active.set_attribute(key, value)
        truth = entered.take_truth()
        if truth is not None:
            active.set_attribute(names.TRUTH_MARK, truth)
    inner = baggage.set_baggage(names.CONVERSATION_ID, entered.id)
    return context.set_value(_CONVERSATION, entered, inner)


def _id_in(within: Context) -> str | None:
    """The scope in this process goes before the baggage: Pydantic AI puts an id of its own there for its children."""
    known = _conversation_in(within)
    if known is not None:
        return known.id
    carried = baggage.get_baggage(names.CONVERSATION_ID, within)
    return carried if isinstance(carried, str) and carried != "" else None


def _conversation_in(within: Context) -> _Conversation | None:
    known = context.get_value(_CONVERSATION, within)
    return known if isinstance(known, _Conversation) else None


def _mark(key: str, value: str | bool | None) -> bool:
    if value is None:
        return False
    active = trace.get_current_span()
    if active.is_recording():
        active.set_attribute(key, value)
        return True
    known = _conversation_in(context.get_current())
    if known is None or known.turn is None:
        return False
    span = _own_span(names.MARK_SPAN, known.id)
    is_recording = span.is_recording()
    span.set_attribute(key, value)
    span.end()
    return is_recording


def _own_span(name: str, about: str) -> trace.Span:
    """Starts a span in the trace of the conversation's latest turn, if that is known; otherwise in one of its own."""
    within = context.get_current()
    known = _conversation_in(within)
    if known is not None and known.id == about and known.turn is not None:
        within = trace.set_span_in_context(trace.NonRecordingSpan(known.turn), within)
    elif known is None or known.id != about:
        within = baggage.set_baggage(names.CONVERSATION_ID, about, Context())  # No conversation but the one named.
    tracer = trace.get_tracer(names.SCOPE)
    return tracer.start_span(name, within, attributes={names.CONVERSATION_ID: about})


def _text_of(key: str, value: object) -> str | None:
    try:
        return to_json_text(value)
    except Exception as error:  # A value's own methods may raise anything.
        _log.warning("%s was not recorded, because its value cannot be written as JSON: %s", key, error)
        return None


def _warn_once(message: str) -> None:
    """An agent calls it for every turn: the log of its host must not fill with one line."""
    if message not in _warned:
        _warned.add(message)
        _log.warning("%s", message)
