"""Ids and marks on spans, in every form in which Python programs run."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import enum
import json
import logging
import subprocess
import sys
import threading
import uuid
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from conftest import Exported
from opentelemetry import baggage, context, propagate, trace

from assay_client import (
    attach_truth,
    carry,
    conversation,
    conversation_id,
    end_conversation,
    feedback,
    record_state,
)

ID = "gen_ai.conversation.id"
STATE = "assay.conversation.state"


def test_gives_its_id_to_every_span_below_and_to_none_after(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c1", user="u1", scenario="case-7", attributes={"plan": "free"}):
        assert conversation_id() == "c1"
        with tracer.start_as_current_span("agent"), tracer.start_as_current_span("tool"):
            pass
    with tracer.start_as_current_span("after"):
        pass

    expected = {ID: "c1", "user.id": "u1", "assay.scenario.id": "case-7", "plan": "free"}
    assert exported.attributes("agent") == expected
    assert exported.attributes("tool") == expected
    assert exported.attributes("after") == {}
    assert conversation_id() is None


def test_marks_the_span_that_was_already_active(exported: Exported, tracer: trace.Tracer) -> None:
    with tracer.start_as_current_span("request"), conversation("c2", user="u2", truth={"a": 1}):
        pass

    assert exported.attributes("request") == {ID: "c2", "user.id": "u2", "assay.truth": '{"a": 1}'}


def test_travels_as_baggage_without_the_user_and_keeps_what_was_in_it(exported: Exported, tracer: trace.Tracer) -> None:
    carrier: dict[str, str] = {}
    token = context.attach(baggage.set_baggage("tenant", "acme"))
    with conversation("c 3", user="u3"):
        propagate.inject(carrier)
    context.detach(token)
    received = propagate.extract(carrier)
    tracer.start_span("served elsewhere", received).end()

    assert carrier["baggage"] == "tenant=acme,gen_ai.conversation.id=c+3"
    assert exported.attributes("served elsewhere") == {ID: "c 3"}


def test_goes_before_an_id_that_a_framework_puts_into_the_baggage(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("ours"):
        tracer.start_span("child", baggage.set_baggage(ID, "theirs")).end()

    assert exported.attributes("child")[ID] == "ours"


async def test_does_not_mix_with_another_task(exported: Exported, tracer: trace.Tracer) -> None:
    async def run(name: str) -> None:
        async with conversation(name):
            await asyncio.sleep(0)
            with tracer.start_as_current_span(f"agent of {name}"):
                await asyncio.sleep(0)
                await asyncio.to_thread(lambda: tracer.start_span(f"tool of {name}").end())

    await asyncio.gather(run("a"), run("b"))

    for name in ("a", "b"):
        assert exported.attributes(f"agent of {name}")[ID] == name
        assert exported.attributes(f"tool of {name}")[ID] == name


def test_threads_get_it_where_it_is_carried(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c4"), ThreadPoolExecutor(1) as pool:
        pool.submit(carry(lambda: tracer.start_span("carried").end())).result()
        pool.submit(lambda: tracer.start_span("not carried").end()).result()

    assert exported.attributes("carried") == {ID: "c4"}
    assert exported.attributes("not carried") == {}


def test_a_generator_keeps_it_to_itself(exported: Exported, tracer: trace.Tracer) -> None:
    closed: list[str | None] = []

    def agent(name: str) -> Iterator[int]:
        try:
            for number in range(3):
                tracer.start_span(f"{name}{number}").end()
                yield number
        finally:
            closed.append(conversation_id())

    one, other = conversation("g1").over(agent("one")), conversation("g2").over(agent("two"))
    assert [next(one), next(other), next(one)] == [0, 0, 1]
    assert conversation_id() is None
    tracer.start_span("consumer").end()
    one.close()  # type: ignore[attr-defined]
    assert list(other) == [1, 2]

    assert [exported.attributes(name).get(ID) for name in ("one0", "one1", "two0", "two2", "consumer")] == [
        "g1",
        "g1",
        "g2",
        "g2",
        None,
    ]
    assert closed == ["g1", "g2"]


async def test_an_async_generator_keeps_it_to_itself(exported: Exported, tracer: trace.Tracer) -> None:
    async def agent() -> AsyncIterator[int]:
        for number in range(2):
            await asyncio.sleep(0)
            tracer.start_span(f"step{number}").end()
            yield number

    seen = []
    async for number in conversation("g3").over(agent()):
        seen.append((number, conversation_id()))

    assert seen == [(0, None), (1, None)]
    assert [exported.attributes(f"step{number}")[ID] for number in (0, 1)] == ["g3", "g3"]


def test_over_passes_the_generators_exception_on(exported: Exported) -> None:
    def agent() -> Iterator[int]:
        yield 1
        raise RuntimeError("the model is away")

    items = conversation("g4").over(agent())
    assert next(items) == 1
    with pytest.raises(RuntimeError, match="the model is away"):
        next(items)
    assert conversation_id() is None


def test_a_generator_that_is_closed_in_another_thread_is_quiet(caplog: pytest.LogCaptureFixture) -> None:
    def streamed() -> Iterator[int]:
        with conversation("g5"):
            yield 1
            yield 2

    items = streamed()
    context_of_start = context.get_current()
    thread = threading.Thread(target=lambda: next(items))
    thread.start()
    thread.join()
    items.close()  # type: ignore[attr-defined]

    assert caplog.records == []
    assert context.get_current() == context_of_start


@pytest.mark.parametrize("missing", [None, ""])
def test_without_an_id_runs_all_the_same_and_stamps_nothing(
    missing: Any, exported: Exported, tracer: trace.Tracer
) -> None:
    with conversation(missing, user="u"), tracer.start_as_current_span("agent"):
        pass
    assert list(conversation(missing).over([1, 2])) == [1, 2]

    assert exported.attributes("agent") == {}


def test_an_id_may_be_a_uuid(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation(uuid.UUID(int=7)), tracer.start_as_current_span("agent"):
        pass

    assert exported.attributes("agent")[ID] == "00000000-0000-0000-0000-000000000007"


def test_truth_is_on_the_first_span_only(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c5", truth={"participants": ["anä"]}):
        with tracer.start_as_current_span("agent"), tracer.start_as_current_span("tool"):
            pass
        with tracer.start_as_current_span("second"):
            pass

    assert exported.attributes("agent")["assay.truth"] == '{"participants": ["anä"]}'
    assert "assay.truth" not in exported.attributes("tool")
    assert "assay.truth" not in exported.attributes("second")


def test_marks_are_written_to_the_active_span(exported: Exported, tracer: trace.Tracer) -> None:
    with tracer.start_as_current_span("agent"):
        assert record_state({"booked": True})
        assert attach_truth({"label": "good"})
        assert end_conversation()

    assert exported.attributes("agent") == {
        STATE: '{"booked": true}',
        "assay.truth": '{"label": "good"}',
        "assay.conversation.end": True,
    }


def test_marks_after_the_turn_join_its_trace(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c6", user="u6"):
        with tracer.start_as_current_span("first turn"):
            pass
        with tracer.start_as_current_span("turn") as root:
            pass
        assert record_state({"booked": True})

    mark = exported.span("assay.mark")
    assert mark.parent == root.get_span_context()
    assert mark.attributes == {ID: "c6", "user.id": "u6", STATE: '{"booked": true}'}


def test_marks_say_that_there_was_nothing_to_write_to(exported: Exported) -> None:
    assert not record_state({})
    assert not end_conversation()
    with conversation("c7"):
        assert not attach_truth({})

    assert exported.names() == []


class Colour(enum.Enum):
    RED = "red"


@dataclasses.dataclass
class Booking:
    at: datetime.datetime
    people: set[str]
    price: decimal.Decimal
    colour: Colour


def test_state_may_hold_the_usual_classes(exported: Exported, tracer: trace.Tracer) -> None:
    booking = Booking(datetime.datetime(2026, 3, 2, 10), {"bob", "ana"}, decimal.Decimal("1.5"), Colour.RED)
    with tracer.start_as_current_span("agent"):
        assert record_state({"booking": booking})

    assert json.loads(exported.attributes("agent")[STATE]) == {
        "booking": {"at": "2026-03-02T10:00:00", "people": ["ana", "bob"], "price": 1.5, "colour": "red"}
    }


def circle() -> list[Any]:
    within: list[Any] = []
    within.append(within)
    return within


def endless() -> list[Any]:
    within: list[Any] = []
    for _ in range(100_000):
        within = [within]
    return within


@pytest.mark.parametrize("value", [circle(), endless(), float("nan"), object(), Booking, {(1, 2): 3}])
def test_a_value_without_json_is_reported_and_does_not_raise(
    value: Any, exported: Exported, tracer: trace.Tracer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), tracer.start_as_current_span("agent"):
        assert not record_state(value)

    assert exported.attributes("agent") == {}
    assert "assay.conversation.state was not recorded" in caplog.text


def test_feedback_is_an_event_of_the_active_span(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c8"), tracer.start_as_current_span("agent"):
        assert feedback(score=4, scale=(1, 5), comment="quick", user="u8", id="f1", name="csat")

    (event,) = exported.span("agent").events
    assert event.name == "assay.feedback"
    assert dict(event.attributes) == {
        ID: "c8",
        "assay.feedback.id": "f1",
        "assay.feedback.name": "csat",
        "assay.feedback.score": 4,
        "assay.feedback.comment": "quick",
        "assay.feedback.scale.min": 1,
        "assay.feedback.scale.max": 5,
        "assay.feedback.user": "u8",
    }


def test_feedback_in_a_later_request_names_its_conversation(exported: Exported, tracer: trace.Tracer) -> None:
    with tracer.start_as_current_span("POST /thumbs"):
        assert feedback(label="thumbs_down", conversation_id="c9")

    (event,) = exported.span("POST /thumbs").events
    assert dict(event.attributes) == {ID: "c9", "assay.feedback.label": "thumbs_down"}


@pytest.mark.parametrize(
    "given",
    [
        {"score": float("nan")},
        {"score": float("inf")},
        {"score": "5"},
        {"score": 1, "scale": (1,)},
        {"score": 1, "scale": (1, 2, 3)},
        {"score": 1, "scale": (5, 1)},
        {"score": 1, "scale": (0, float("nan"))},
        {"score": 1, "scale": 5},
        {"score": 10**400},
        {"score": 2**70},
        {"score": -(2**63) - 1},
        {"score": 1, "scale": (0, 2**70)},
        {"score": 7, "scale": (1, 5)},
        {"score": 0.5, "scale": (1, 5)},
        {"label": ""},
        {"comment": "", "label": ""},
    ],
)
def test_feedback_with_a_number_that_is_none_is_refused(
    exported: Exported, tracer: trace.Tracer, given: dict[str, Any]
) -> None:
    with tracer.start_as_current_span("agent"):
        assert feedback(conversation_id="c9", **given) is False

    assert list(exported.span("agent").events) == []


def test_feedback_leaves_out_empty_texts_and_mends_half_of_a_pair(exported: Exported, tracer: trace.Tracer) -> None:
    with tracer.start_as_current_span("agent"):
        assert feedback(score=1, label="", comment="bad \ud83d, and \ud83d\udc4e", user="u\udc00")

    (event,) = exported.span("agent").events
    assert dict(event.attributes) == {
        "assay.feedback.score": 1,
        "assay.feedback.comment": "bad \ufffd, and \U0001f44e",
        "assay.feedback.user": "u\ufffd",
    }
    for text in event.attributes.values():
        str(text).encode()


def test_feedback_without_an_active_span_is_a_span_of_its_own(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c9"), tracer.start_as_current_span("turn") as turn:
        pass
    assert feedback(label="thumbs_down", conversation_id="c9")

    span = exported.span("assay.feedback")
    assert span.parent is None
    assert span.attributes == {ID: "c9"}
    assert [dict(event.attributes) for event in span.events] == [{ID: "c9", "assay.feedback.label": "thumbs_down"}]
    assert span.get_span_context().trace_id != turn.get_span_context().trace_id


def test_feedback_after_the_turn_joins_its_trace(exported: Exported, tracer: trace.Tracer) -> None:
    with conversation("c9"):
        with tracer.start_as_current_span("turn") as turn:
            pass
        assert feedback(score=1)

    assert exported.span("assay.feedback").parent == turn.get_span_context()


def test_feedback_needs_a_conversation_and_something_said(exported: Exported) -> None:
    assert not feedback(label="thumbs_up")
    with conversation("c10"):
        assert not feedback(name="csat")

    assert exported.names() == []


def test_does_nothing_without_an_sdk() -> None:
    script = """
import sys
sys.modules["opentelemetry.sdk"] = None
from assay_client import *
from assay_client import instrument, TelemetryMissing
ConversationSpanProcessor()
with conversation("c", user="u", truth={}):
    assert not record_state({}) and not end_conversation() and not feedback(score=1)
assert list(conversation("c").over([1])) == [1]
try:
    instrument()
except TelemetryMissing as error:
    assert "pip install 'assay-client[otlp]'" in str(error), error
else:
    raise SystemExit("no error")
"""
    subprocess.run([sys.executable, "-c", script], check=True)
