"""A provider with the processor under test, and an Assay from this checkout."""

from __future__ import annotations

import os
import pathlib
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from assay_client import ConversationSpanProcessor

ROOT = pathlib.Path(__file__).resolve().parents[3]
LAUNCHER = ROOT / "bin" / "assay.mjs"
os.environ.setdefault("ASSAY_COMMAND", f"{shutil.which('node') or 'node'} {LAUNCHER}")
pytest_plugins = ["pytester"]


class Exported:
    """Finished spans of the global provider."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    def attributes(self, name: str) -> dict[str, Any]:
        return dict(self.span(name).attributes or {})

    def span(self, name: str) -> Any:
        found = [span for span in self._exporter.get_finished_spans() if span.name == name]
        assert len(found) == 1, f"spans named {name}: {len(found)}"
        return found[0]

    def names(self) -> list[str]:
        return [span.name for span in self._exporter.get_finished_spans()]


@pytest.fixture(scope="session")
def exporter() -> InMemorySpanExporter:
    kept = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(ConversationSpanProcessor())
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    return kept


@pytest.fixture
def exported(exporter: InMemorySpanExporter) -> Exported:
    exporter.clear()
    return Exported(exporter)


@pytest.fixture
def tracer(exporter: InMemorySpanExporter) -> trace.Tracer:
    return trace.get_tracer("test")


class Service:
    def __init__(self, url: str, otlp: str) -> None:
        self.url = url
        self.otlp = otlp


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("assay")
    http, otlp, grpc = (_free_port() for _ in range(3))
    settings = {
        "ASSAY_DATA_DIR": str(folder / "data"),
        "ASSAY_TURN_SETTLE": "200ms",
        "ASSAY_CONVERSATION_IDLE": "1s",
    }
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("ASSAY_", "OTEL_"))}
    ports = ["--http-port", str(http), "--otlp-http-port", str(otlp), "--otlp-grpc-port", str(grpc)]
    node = os.environ["ASSAY_COMMAND"].split()
    with (folder / "service.log").open("wb") as log:
        process = subprocess.Popen(
            [*node, "serve", *ports], cwd=folder, env={**kept, **settings}, stdout=log, stderr=log
        )
    try:
        url = f"http://127.0.0.1:{http}"
        deadline = time.monotonic() + 60
        while not _is_ready(url):
            assert process.poll() is None and time.monotonic() < deadline, (folder / "service.log").read_text()
            time.sleep(0.1)
        yield Service(url, f"http://127.0.0.1:{otlp}")
    finally:
        process.terminate()
        process.wait(30)


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5):
            return True
    except (OSError, urllib.error.URLError):
        return False


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port: int = listening.getsockname()[1]
        return port
