"""Tests of `instrument()`, each in a process of its own, because the global provider is set once."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


class Collector:
    def __init__(self) -> None:
        self.asked: list[tuple[str, str | None, bytes]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.asked.append((self.path, self.headers.get("authorization"), body))
                self.send_response(200)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def collector() -> Iterator[Collector]:
    started = Collector()
    yield started
    started.close()


def run(script: str, **environment: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], env=environment, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout + ran.stderr


def test_exports_with_the_token_and_what_the_agent_is_called(collector: Collector) -> None:
    script = """
        from assay_client import conversation, instrument
        from opentelemetry import trace
        import os
        provider = instrument(
            "shop", service_version="1.2", environment="test", frameworks=(), endpoint=os.environ["URL"]
        )
        assert instrument("other") is provider is trace.get_tracer_provider()
        with conversation("c1"), trace.get_tracer("t").start_as_current_span("agent") as span:
            for number in range(300):
                span.set_attribute(f"message.{number}", number)
        assert len(span.attributes) == 301, len(span.attributes)
    """
    run(script, URL=collector.url, ASSAY_TOKEN="assay_ingest_1")

    ((path, authorization, body),) = collector.asked
    assert (path, authorization) == ("/v1/traces", "Bearer assay_ingest_1")
    for text in (b"shop", b"1.2", b"deployment.environment.name", b"gen_ai.conversation.id", b"c1"):
        assert text in body


def test_a_provider_that_is_there_keeps_what_it_has(collector: Collector) -> None:
    script = f"""
        from assay_client import conversation, instrument
        from opentelemetry import trace
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
        mine, kept = TracerProvider(), InMemorySpanExporter()
        mine.add_span_processor(SimpleSpanProcessor(kept))
        assert instrument(provider=mine, endpoint="{collector.url}/", frameworks=()) is mine
        with conversation("c2"):
            mine.get_tracer("t").start_span("agent").end()
        mine.shutdown()
        assert [span.attributes["gen_ai.conversation.id"] for span in kept.get_finished_spans()] == ["c2"]
    """
    run(script)

    assert [one[:2] for one in collector.asked] == [("/v1/traces", None)]


def test_the_token_is_not_sent_to_the_collector_of_the_environment(collector: Collector) -> None:
    script = """
        from assay_client import instrument
        instrument(frameworks=()).get_tracer("t").start_span("agent").end()
    """
    headers = "authorization=Bearer%20other"
    run(script, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, ASSAY_TOKEN="assay_read_1")
    run(script, OTEL_EXPORTER_OTLP_ENDPOINT=collector.url, OTEL_EXPORTER_OTLP_HEADERS=headers, ASSAY_TOKEN="t")

    assert [one[1] for one in collector.asked] == [None, "Bearer other"]


def test_a_stand_in_for_a_provider_is_enough() -> None:
    script = """
        from assay_client import ConversationSpanProcessor, instrument
        class StandIn:
            added = []
            def add_span_processor(self, processor):
                self.added.append(processor)
        provider = StandIn()
        assert instrument(provider=provider, frameworks=()) is provider
        assert isinstance(provider.added[0], ConversationSpanProcessor)
    """
    run(script, OTEL_TRACES_EXPORTER="none")


def test_tests_need_no_exporter(collector: Collector) -> None:
    script = """
        from assay_client import instrument
        from opentelemetry import trace
        instrument(frameworks=())
        trace.get_tracer("t").start_span("agent").end()
    """
    run(script, OTEL_TRACES_EXPORTER="none", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)

    assert collector.asked == []


def test_a_framework_that_is_not_installed_is_named_and_the_agent_runs() -> None:
    script = """
        import logging
        logging.basicConfig()
        from assay_client import instrument
        instrument(frameworks=["telepathy"])
        print("goes on")
    """
    output = run(script, OTEL_TRACES_EXPORTER="none")

    assert "goes on" in output
    assert "telepathy was not instrumented: LookupError: no instrumentation of it is installed" in output


def test_without_the_exporter_it_says_what_to_install() -> None:
    script = """
        import sys
        sys.modules["opentelemetry.exporter"] = None
        from assay_client import TelemetryMissing, instrument
        try:
            instrument()
        except TelemetryMissing as error:
            print(error)
    """
    output = run(script)

    assert "opentelemetry-exporter-otlp-proto-http, which is not installed: run `python -m pip install" in output
