"""Keeps the spans of an agent that a test runs, as `assay score` reads them. Needs the SDK, not an exporter."""

from __future__ import annotations

import json
import pathlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional

from opentelemetry import context, trace

from . import _names as names
from ._json_text import to_json_text
from ._otlp_json import to_otlp_json
from .conversations import ConversationSpanProcessor

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import ReadableSpan, Span, TracerProvider

#: Time for spans that have not ended when the agent's function has returned.
_ENDING_SECONDS = 5.0
_PROCESSOR = "_assay_capturing_processor"


class Capture:
    """Spans that began while it was active, by whichever thread or task."""

    def __init__(self) -> None:
        self._ended: list[ReadableSpan] = []
        self._open: set[int] = set()
        self._changed = threading.Condition()
        self._patience = _ENDING_SECONDS

    @property
    def spans(self) -> list[ReadableSpan]:
        """Spans that have ended, in that order. Waits for those that have not, once for five seconds."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._open, self._patience):
                self._patience = 0.0
            return list(self._ended)

    def clear(self) -> None:
        """Forgets the spans, for a test that runs several conversations one after the other."""
        with self._changed:
            self._ended.clear()

    def otlp_json(self, truth: object = None) -> dict[str, Any]:
        """Returns the spans as an OTLP request, with ground truth on the root of each trace."""
        request = to_otlp_json(self.spans)
        if truth is not None:
            mark = {"key": names.TRUTH_MARK, "value": {"stringValue": to_json_text(truth)}}
            for span in _roots(request):
                span["attributes"] = [one for one in span["attributes"] if one["key"] != names.TRUTH_MARK] + [mark]
        return request

    def write(self, file: str | pathlib.Path) -> pathlib.Path:
        """Writes a recording for `assay score`, `assay inspect` and the like: a line of JSON."""
        path = pathlib.Path(file)
        path.write_text(f"{json.dumps(self.otlp_json())}\n", encoding="utf-8")
        return path

    def _began(self, span: Span) -> None:
        with self._changed:
            self._open.add(span.get_span_context().span_id)

    def _has_ended(self, span: ReadableSpan) -> None:
        with self._changed:
            own = span.get_span_context()
            if own is None or own.span_id not in self._open:
                return
            self._open.discard(own.span_id)
            self._ended.append(span)
            self._changed.notify_all()


class CapturingSpanProcessor(ConversationSpanProcessor):
    """Hands spans to the captures that are active when they begin, with their conversation on them."""

    def __init__(self) -> None:
        self._captures: list[Capture] = []

    @contextmanager
    def capturing(self) -> Iterator[Capture]:
        capture = Capture()
        self._captures.append(capture)
        try:
            yield capture
        finally:
            self._captures.remove(capture)

    def on_start(self, span: Span, parent_context: Optional[context.Context] = None) -> None:  # noqa: UP045
        super().on_start(span, parent_context)
        for capture in list(self._captures):
            capture._began(span)

    def on_end(self, span: ReadableSpan) -> None:
        for capture in list(self._captures):
            capture._has_ended(span)


def capturing_processor(provider: TracerProvider | None = None) -> CapturingSpanProcessor:
    """Returns the processor of a provider, once for each; of the global one, which is made if there is none."""
    try:
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
    except ImportError as error:
        raise ImportError(
            "capturing spans needs the OpenTelemetry SDK: run `python -m pip install 'assay-client[otlp]'`"
        ) from error
    used: Any = provider or trace.get_tracer_provider()
    if not callable(getattr(used, "add_span_processor", None)):
        from .telemetry import ATTRIBUTES_MAX

        used = TracerProvider(span_limits=SpanLimits(max_attributes=ATTRIBUTES_MAX))
        trace.set_tracer_provider(used)
    processor = getattr(used, _PROCESSOR, None)
    if not isinstance(processor, CapturingSpanProcessor):
        processor = CapturingSpanProcessor()
        used.add_span_processor(processor)
        setattr(used, _PROCESSOR, processor)
    return processor


def _roots(request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Spans without a parent among the captured ones."""
    spans = [
        span
        for of_resource in request["resourceSpans"]
        for of_scope in of_resource["scopeSpans"]
        for span in of_scope["spans"]
    ]
    ids = {span["spanId"] for span in spans}
    return (span for span in spans if span.get("parentSpanId") not in ids)
