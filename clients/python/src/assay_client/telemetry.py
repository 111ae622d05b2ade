"""Sets up OpenTelemetry for an agent that has not done it: a provider, the exporter to Assay, and the instrumentations
of the frameworks that are installed. An agent that has a provider keeps it, and gets the processors added.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import logging
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from opentelemetry import trace

from .conversations import ConversationSpanProcessor

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

DEFAULT_ENDPOINT = "http://127.0.0.1:4318"
#: OpenInference flattens messages into attributes: at the SDK's limit of 128 a longer history loses the answer.
ATTRIBUTES_MAX = 4096
_DONE = "_assay_client_instrumented"
_PYDANTIC_AI = "pydantic_ai"
_log = logging.getLogger("assay_client")


class TelemetryMissing(ImportError):
    """The SDK or the exporter is not installed. The message has the command that installs them."""


def instrument(
    service_name: str | None = None,
    *,
    service_version: str | None = None,
    environment: str | None = None,
    endpoint: str | None = None,
    token: str | None = None,
    headers: Mapping[str, str] | None = None,
    provider: TracerProvider | None = None,
    frameworks: Iterable[str] | None = None,
) -> TracerProvider:
    """Exports the agent's spans to Assay, with the conversations of `conversation()` on them. Call it at the start.

    `endpoint` is Assay's OTLP/HTTP address. Without it, that of OTEL_EXPORTER_OTLP_ENDPOINT is taken, or the default.
    `token` has the role `ingest`. Where access is configured it is needed; without it, that of ASSAY_TOKEN is taken.
    The address in the environment may be somebody else's: there OTEL_EXPORTER_OTLP_HEADERS counts instead.
    `service_version` lets releases be compared. `provider` is the agent's own, if that is not the global one.

    `frameworks` names those to instrument: `pydantic_ai`, and the names of OpenInference's instrumentations, such as
    `openai_agents`, `langchain` or `smolagents`. Without it, all that are installed; with `()`, none.

    A second call changes nothing. OTEL_TRACES_EXPORTER=none leaves out the exporter, for tests.
    """
    try:
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import SpanLimits, TracerProvider
    except ImportError as error:
        raise _missing("opentelemetry-sdk") from error
    used: Any = provider or trace.get_tracer_provider()
    if getattr(used, _DONE, False):
        return cast("TracerProvider", used)
    exporter = _exporter(endpoint, token, headers)
    if not callable(getattr(used, "add_span_processor", None)):
        named = {
            "service.name": service_name,
            "service.version": service_version,
            "deployment.environment.name": environment,
        }
        resource = Resource.create({key: value for key, value in named.items() if value is not None})
        has_limit = any(name in os.environ for name in _LIMITS)
        limits = None if has_limit else SpanLimits(max_attributes=ATTRIBUTES_MAX)
        used = TracerProvider(resource=resource, span_limits=limits)
        trace.set_tracer_provider(used)
    used.add_span_processor(ConversationSpanProcessor())
    if exporter is not None:
        from opentelemetry.sdk.trace.export import BatchSpanProcessor

        used.add_span_processor(BatchSpanProcessor(exporter))
    setattr(used, _DONE, True)
    _instrument_frameworks(used, frameworks)
    # Or a stand-in for one, as Logfire's.
    return cast("TracerProvider", used)


_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_LIMITS = ("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "OTEL_ATTRIBUTE_COUNT_LIMIT")


def _exporter(endpoint: str | None, token: str | None, headers: Mapping[str, str] | None) -> Any:
    if os.environ.get("OTEL_TRACES_EXPORTER", "").strip() == "none":
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as error:
        raise _missing("opentelemetry-exporter-otlp-proto-http") from error
    is_from_environment = endpoint is None and any(os.environ.get(name) for name in _ENDPOINTS)
    if token is None and not is_from_environment:
        token = os.environ.get("ASSAY_TOKEN") or None
    sent = {**({} if token is None else {"authorization": f"Bearer {token}"}), **(headers or {})}
    if is_from_environment:
        return OTLPSpanExporter(headers=sent or None)
    base = (endpoint or DEFAULT_ENDPOINT).rstrip("/")
    return OTLPSpanExporter(endpoint=base if base.endswith("/v1/traces") else f"{base}/v1/traces", headers=sent or None)


def _missing(package: str) -> TelemetryMissing:
    return TelemetryMissing(
        f"instrument() needs {package}, which is not installed: run `python -m pip install 'assay-client[otlp]'`, "
        "or set up OpenTelemetry yourself and add ConversationSpanProcessor() to its provider"
    )


def _instrument_frameworks(provider: TracerProvider, wanted: Iterable[str] | None) -> None:
    known = _installed_instrumentations()
    names = list(known) if wanted is None else list(wanted)
    if wanted is None and importlib.util.find_spec(_PYDANTIC_AI) is not None:
        names.append(_PYDANTIC_AI)
    for name in dict.fromkeys(names):
        try:
            if name == _PYDANTIC_AI:
                _instrument_pydantic_ai(provider)
            elif name in known:
                known[name].load()().instrument(tracer_provider=provider)
            else:
                raise LookupError(
                    f"no instrumentation of it is installed; there are {', '.join(sorted(known)) or 'none'}"
                )
        except Exception as error:  # The agent has to run, also with a broken instrumentation.
            _log.warning("%s was not instrumented: %s: %s", name, type(error).__name__, error)


def _installed_instrumentations() -> dict[str, Any]:
    """Finds OpenInference's instrumentations, all of which are of models and agents."""
    found = importlib.metadata.entry_points()
    group = "openinference_instrumentor"
    # A mapping until Python 3.9, with `select` since 3.10.
    entries = found.select(group=group) if hasattr(found, "select") else found.get(group, ())
    return {entry.name: entry for entry in entries}


def _instrument_pydantic_ai(provider: TracerProvider) -> None:
    pydantic_ai = importlib.import_module(_PYDANTIC_AI)
    pydantic_ai.Agent.instrument_all(pydantic_ai.InstrumentationSettings(tracer_provider=provider))
