"""Assertions with the real engine, over spans that the plugin captures in a test of its own."""

from __future__ import annotations

import json
import pathlib
import threading
import time
from typing import Any

import pytest
from conftest import ROOT
from opentelemetry.sdk.trace import TracerProvider

from assay_client import attach_truth, conversation
from assay_client._otlp_json import to_otlp_json
from assay_client.testing import (
    AssayCommandFailed,
    Capture,
    assay_command,
    assert_all_pass,
    assert_fails,
    assert_passes,
    capturing_processor,
    evaluations_of,
)

RUNS = ROOT / "examples" / "golden-traces" / "runs.jsonl"
TICKETS = str(ROOT / "examples" / "golden-traces" / "tickets.yaml")
TRUTH = {"participants": ["ana"], "time": "2026-03-02T10:00"}
PROVIDER = TracerProvider()


@pytest.fixture(scope="session")
def assay_tracer_provider() -> TracerProvider:
    return PROVIDER


def said(role: str, text: str) -> str:
    return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])


def book(name: str, hour: int) -> None:
    """An agent that books at an hour, and says so."""
    tracer = PROVIDER.get_tracer("agent")
    asked = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "scheduler"}
    time = f"2026-03-02T{hour}:00"
    with conversation(name), tracer.start_as_current_span("invoke_agent scheduler", attributes=asked) as turn:
        arguments = {"participants": ["ana"], "time": time, "duration": 30}
        tool = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "book_meeting",
            "gen_ai.tool.call.arguments": json.dumps(arguments),
            "gen_ai.tool.call.result": json.dumps({"status": "ok"}),
        }
        with tracer.start_as_current_span("execute_tool book_meeting", attributes=tool):
            pass
        turn.set_attribute("gen_ai.input.messages", said("user", "Half an hour with Ana, Monday at ten."))
        turn.set_attribute("gen_ai.output.messages", said("assistant", f"Booked for you: {time}, with Ana."))


def test_a_conversation_that_is_right_passes(assay_capture: Capture) -> None:
    book("right", 10)

    assert_passes(assay_capture, "scheduling", truth=TRUTH)
    (evaluation,) = evaluations_of(assay_capture, "scheduling", truth=TRUTH)
    assert evaluation["conversation_id"] == "right"
    assert evaluation["verdicts"]["correct_time"]["verdict"] == "pass"


def test_a_failure_names_the_criterion_the_reason_and_the_step(assay_capture: Capture) -> None:
    book("wrong", 11)

    with pytest.raises(AssertionError) as caught:
        assert_passes(assay_capture, "scheduling", truth=TRUTH)
    lines = str(caught.value).split("\n")
    assert lines[:2] == ["expected the conversation to pass scheduling", ""]
    assert lines[2].startswith("  wrong: scheduling ") and lines[2].endswith(
        "hard_failure (booked something else), score 0"
    )
    assert any(line.startswith("    correct_time fail: Another time was booked than asked for") for line in lines[3:])
    assert any(line.endswith("(tool book_meeting)") for line in lines[3:])

    assert_passes(assay_capture, "scheduling", truth=TRUTH, at_least=0)
    assert_fails(assay_capture, "scheduling", "correct_time", truth=TRUTH)
    with pytest.raises(AssertionError, match=r"score 0, expected at least 0\.99"):
        assert_passes(assay_capture, "scheduling", truth=TRUTH, at_least=0.99)
    with pytest.raises(AssertionError, match="expected partial_failure"):
        assert_passes(assay_capture, "scheduling", truth=TRUTH, outcome="partial_failure")


def test_truth_of_the_test_replaces_that_of_the_agent(assay_capture: Capture) -> None:
    with PROVIDER.get_tracer("agent").start_as_current_span("request"):
        attach_truth({"participants": ["bob"], "time": "2026-03-02T09:00"})
        book("right", 10)

    assert_passes(assay_capture, "scheduling", truth=TRUTH)


def test_many_are_scored_at_once_and_each_failure_is_named() -> None:
    captures = []
    for name, hour in (("first", 10), ("second", 11), ("third", 12)):
        with capturing_processor(PROVIDER).capturing() as capture:
            book(name, hour)
        captures.append(capture)

    assert_all_pass(captures, "default")
    with pytest.raises(AssertionError, match="expected all conversations to pass") as caught:
        assert_all_pass([RUNS, captures[0]], TICKETS)
    assert "lucky: " in str(caught.value)
    with pytest.raises(ValueError, match="no conversations"):
        assert_all_pass([], "default")


def test_one_conversation_of_a_recording(tmp_path: pathlib.Path) -> None:
    assert_passes(RUNS, TICKETS, id="good")
    assert_fails(RUNS, TICKETS, ["path"], id="lucky")
    with pytest.raises(AssertionError, match=r"expected the conversation to fail path of (.|\n)*path pass: "):
        assert_fails(RUNS, TICKETS, "path", id="good")
    with pytest.raises(AssertionError, match="no conversation 'best'; there are good, lucky, slow"):
        assert_passes(RUNS, TICKETS, id="best")
    with pytest.raises(FileNotFoundError, match="there is no recording"):
        assert_passes(tmp_path / "nothing.jsonl", TICKETS)
    with pytest.raises(ValueError, match="`truth` is for captured spans"):
        assert_passes(RUNS, TICKETS, truth={})


def test_mistakes_are_reported_as_such(assay_capture: Capture) -> None:
    book("right", 10)

    with pytest.raises(AssayCommandFailed, match="no built-in pack 'schedulin'"):
        assert_passes(assay_capture, "schedulin")
    with pytest.raises(ValueError, match="scheduling has no criterion 'corect_time': there are"):
        assert_passes(assay_capture, "scheduling", truth=TRUTH, ignoring=["corect_time"])
    with pytest.raises(AssertionError, match=r"tickets is not for it|no criterion could be decided"):
        assert_passes(assay_capture, TICKETS)


def test_no_span_and_no_agent_are_told_apart(assay_capture: Capture) -> None:
    with pytest.raises(AssertionError, match="no span was captured"):
        assert_passes(assay_capture, "default")
    PROVIDER.get_tracer("web").start_span("GET /").end()
    with pytest.raises(AssertionError, match="nothing of an agent was found"):
        assert_passes(assay_capture, "default")


def test_spans_of_another_test_are_not_captured(assay_capture: Capture, tmp_path: pathlib.Path) -> None:
    earlier = PROVIDER.get_tracer("agent").start_span("during")
    with capturing_processor(PROVIDER).capturing() as inner:
        earlier.end()
        PROVIDER.get_tracer("agent").start_span("within").end()

    assert [span.name for span in assay_capture.spans] == ["during", "within"]
    assert [span.name for span in inner.spans] == ["within"]
    assert json.loads(inner.write(tmp_path / "spans.jsonl").read_text()) == inner.otlp_json()
    assay_capture.clear()
    assert assay_capture.spans == []


def test_a_span_that_never_ends_is_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay_client.capture._ENDING_SECONDS", 0.2)
    with capturing_processor(PROVIDER).capturing() as capture:
        late = PROVIDER.get_tracer("t").start_span("late")
        timer = threading.Timer(0.05, late.end)
        timer.start()
        assert [span.name for span in capture.spans] == ["late"]
        never = PROVIDER.get_tracer("t").start_span("never")
        began = time.monotonic()
        assert [[span.name for span in capture.spans] for _ in range(10)] == [["late"]] * 10
    assert 0.2 <= time.monotonic() - began < 1
    never.end()


def test_values_of_every_kind_are_written() -> None:
    values: dict[str, Any] = {
        "text": "ä",
        "yes": True,
        "whole": 7,
        "large": 2**70,
        "real": 0.5,
        "none": float("inf"),
        "list": ["a", "b"],
    }
    with capturing_processor(PROVIDER).capturing() as capture:
        span = PROVIDER.get_tracer("t", "1.2").start_span("all", attributes=values)
        span.add_event("an event", {"n": 1}, timestamp=5)
        span.set_status(__import__("opentelemetry.trace").trace.StatusCode.ERROR, "broken")
        span.end()

    ((of_resource,),) = (to_otlp_json(capture.spans)["resourceSpans"],)
    ((of_scope,),) = (of_resource["scopeSpans"],)
    (written,) = of_scope["spans"]
    assert of_scope["scope"] == {"name": "t", "version": "1.2"}
    assert {one["key"]: one["value"] for one in written["attributes"]} == {
        "text": {"stringValue": "ä"},
        "yes": {"boolValue": True},
        "whole": {"intValue": "7"},
        "large": {"stringValue": str(2**70)},
        "real": {"doubleValue": 0.5},
        "none": {"doubleValue": "inf"},
        "list": {"arrayValue": {"values": [{"stringValue": "a"}, {"stringValue": "b"}]}},
    }
    assert written["status"] == {"code": 2, "message": "broken"}
    assert written["events"] == [
        {"timeUnixNano": "5", "name": "an event", "attributes": [{"key": "n", "value": {"intValue": "1"}}]}
    ]
    assert "parentSpanId" not in written


def test_the_command_is_looked_for_beside_the_tests(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_COMMAND", "node 'a b/assay.mjs'")
    assert assay_command() == ["node", "a b/assay.mjs"]
    monkeypatch.delenv("ASSAY_COMMAND")
    monkeypatch.setenv("PATH", "")
    within = tmp_path / "tests" / "unit"
    within.mkdir(parents=True)
    with pytest.raises(AssayCommandFailed, match="set ASSAY_COMMAND"):
        assay_command(within)
    installed = tmp_path / "node_modules" / ".bin" / "assay"
    installed.parent.mkdir(parents=True)
    installed.touch()
    assert assay_command(within) == [str(installed)]


def test_the_plugin_needs_no_configuration(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import pytest
        from opentelemetry import trace
        from assay_client.testing import assert_passes

        def test_right(assay_capture):
            attributes = {
                "gen_ai.operation.name": "invoke_agent",
                "gen_ai.agent.name": "a",
                "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Sorry."}]}]',
            }
            trace.get_tracer("agent").start_span("invoke_agent a", attributes=attributes).end()
            assert_passes(assay_capture, "default")
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:asyncio")

    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["E *expected the conversation to pass default", "E *answer_not_empty_or_apology fail:*"]
    )
    assert "testing.py" not in result.stdout.str()
