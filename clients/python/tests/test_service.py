"""The client against a service of this checkout: what it writes is there, and answers have its types."""

from __future__ import annotations

import json
import time
import typing
from typing import Any

import pytest
from conftest import Service
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

from assay_client import BadRequest, Client, ConversationSpanProcessor, NotFound, conversation, feedback, results


@pytest.fixture(scope="module")
def provider(service: Service) -> TracerProvider:
    made = TracerProvider(resource=Resource.create({"service.name": "shop", "service.version": "1"}))
    made.add_span_processor(ConversationSpanProcessor())
    made.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{service.otlp}/v1/traces")))
    return made


@pytest.fixture(scope="module")
def client(service: Service) -> Client:
    return Client(service.url)


def talk(provider: TracerProvider, name: str, answer: str) -> None:
    def said(role: str, text: str) -> str:
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "shop",
        "gen_ai.input.messages": said("user", "Where is order 17?"),
        "gen_ai.output.messages": said("assistant", answer),
        "assay.conversation.end": True,
    }
    with conversation(name, user="u-1"):
        provider.get_tracer("shop").start_span("invoke_agent shop", attributes=attributes).end()


def test_conversations_are_found_and_read(client: Client, provider: TracerProvider) -> None:
    for number in range(205):
        talk(provider, f"many/{number} ä", "It is on its way.")
    talk(provider, "failed", "")

    assert client.wait_for("failed", over=True)["state"] == "scored"
    last = client.wait_for("many/204 ä", over=True)
    assert last["conversation_id"] == "many/204 ä"
    assert last["turn_list"][0]["answered"] == "It is on its way."
    found = list(client.conversations(agent="shop", suite="default"))
    assert {one["conversation_id"] for one in found} == {"failed", *(f"many/{number} ä" for number in range(205))}
    assert [one["conversation_id"] for one in client.conversations(outcome="hard_failure", since="1h")] == ["failed"]
    assert [one["conversation_id"] for one in client.conversations(words="many/204")] == ["many/204 ä"]
    rows = list(client.evaluations(suite="default"))
    assert len(rows) == 206
    assert [(row["outcome"], row["success"]) for row in rows if row["conversation_id"] == "failed"] == [
        ("hard_failure", False)
    ]
    verdicts = client.verdicts(suite="default", outcome="hard_failure").to_pandas()
    assert verdicts.set_index("criterion").loc["answered", ["verdict", "passed"]].tolist() == ["fail", False]
    assert client.get("trend", suite="default", since="1h")["suite"] == "default"


def test_rows_have_the_labels_under_which_they_were_counted(client: Client, service: Service) -> None:
    for version, answer in (("1.0.0", ""), ("2.0.0", "It is on its way.")):
        made = TracerProvider(resource=Resource.create({"service.name": "shop", "service.version": version}))
        made.add_span_processor(ConversationSpanProcessor())
        made.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{service.otlp}/v1/traces")))
        talk(made, "upgraded", answer)
        deadline = time.monotonic() + 30
        while client.wait_for("upgraded", over=True)["agent_version"] != version and time.monotonic() < deadline:
            time.sleep(0.2)

    def upgraded(rows: Any) -> list[Any]:
        return [row for row in rows if row["conversation_id"] == "upgraded"]

    rows = upgraded(client.evaluations(suite="default"))
    assert sorted((row["agent_version"], row["success"]) for row in rows) == [("1.0.0", False), ("2.0.0", True)]
    assert rows == upgraded(client.export(table="evaluations", suite="default"))
    verdicts = upgraded(client.verdicts(suite="default"))
    assert sorted((row["agent_version"], row["passed"]) for row in verdicts if row["criterion"] == "answered") == [
        ("1.0.0", False),
        ("2.0.0", True),
    ]


def test_what_is_written_is_there(client: Client, provider: TracerProvider) -> None:
    talk(provider, "written", "It is on its way.")
    client.wait_for("written", over=True)
    client.label("written", "default", "answered", "fail", by="ana", note="wrong order")
    client.set_truth("written", {"order": 17})
    client.outcome("written", "refunded", False, value="30 €")

    found = client.conversation("written")
    assert [(one["criterion"], one["label"], one["by"], one["note"]) for one in found["labels"]] == [
        ("answered", "fail", "ana", "wrong order")
    ]
    assert found["truth"] == {"order": 17}
    assert found["outcomes"] == [{"name": "refunded", "good": False, "value": "30 €"}]

    client.label("written", "default", "answered", None, by="ana")
    client.set_truth("written", None)
    client.outcome("written", "refunded", None)
    found = client.conversation("written")
    assert (found["labels"], found.get("truth"), found["outcomes"]) == ([], None, [])


def test_feedback_counts_once_over_the_api_and_from_spans(client: Client, provider: TracerProvider) -> None:
    talk(provider, "liked", "It is on its way.")
    client.wait_for("liked", over=True)
    sent = client.feedback("liked", score=4, comment="quick", id="f1", user="u-1")
    again = client.feedback("liked", score=4, comment="quick", id="f1", user="u-1")
    with conversation("liked"), provider.get_tracer("shop").start_as_current_span("POST /thumbs"):
        assert feedback(label="thumbs_down", id="f2", user="u-2")

    assert (sent["result"], sent["polarity"], again["result"]) == ("kept", "positive", "known")
    deadline = time.monotonic() + 30
    while client.conversation("liked").get("feedback") != "negative" and time.monotonic() < deadline:
        time.sleep(0.2)
    found = client.conversation("liked")["feedback_list"]
    assert sorted((one["id"], one["polarity"]) for one in found) == [("f1", "positive"), ("f2", "negative")]
    disliked = client.conversations(feedback=["positive", "negative"])
    assert [one["conversation_id"] for one in disliked] == ["liked"]


def test_an_estimate_rests_on_what_people_have_read(client: Client, provider: TracerProvider) -> None:
    for name in ("read/1", "read/2", "known"):
        talk(provider, name, "It is on its way.")
        client.wait_for(name, over=True)
    assert "success" not in client.estimate("shop", segment="none")
    queue = client.get("readings/queue", agent="shop", by="ana")["items"]
    first = [one["conversation_id"] for one in queue[:2]]
    client.put_readings({"conversation_id": one, "answer": "good", "by": "ana"} for one in first)
    client.outcome("known", "refunded", False, certain=True)

    found = client.estimate("shop", since="1h", explain=True)
    assert "went well, from 2 readings and 1 certain outcome." in found["says"]
    assert (found["readings"]["sample"], found["readings"]["certain"]) == (2, 1)
    assert found["success"]["low"] < found["success"]["value"] <= found["success"]["high"]
    assert [draw["answer"] for draw in found["explained"]["draws"]] == ["good", "good"]

    client.put_readings([{"conversation_id": one, "answer": None, "by": "ana"} for one in first])
    client.outcome("known", "refunded", None)
    assert "success" not in client.estimate("shop")


def test_mistakes_are_explained(client: Client) -> None:
    with pytest.raises(NotFound, match="no conversation has the id"):
        client.conversation("nobody")
    with pytest.raises(BadRequest, match='did you mean "answered"'):
        client.label("written", "default", "answerd", "fail", by="ana")
    with pytest.raises(BadRequest, match="expected a time such as"):
        list(client.conversations(since="yesterday"))


def shape(schema: dict[str, Any], *path: str) -> dict[str, Any]:
    """Follows properties and items to an object's schema."""
    for name in path:
        schema = schema["properties"][name]
        schema = schema.get("items", schema)
    return schema


@pytest.mark.parametrize(
    ("kind", "answer", "path"),
    [
        (results.ConversationItem, "get_conversations", ("conversations",)),
        (results.ListedEvaluation, "get_conversations", ("conversations", "evaluations")),
        (results.Failing, "get_conversations", ("conversations", "evaluations", "failing")),
        (results.ConversationDetail, "get_conversations_conversation", ()),
        (results.Turn, "get_conversations_conversation", ("turn_list",)),
        (results.Step, "get_conversations_conversation", ("turn_list", "steps")),
        (results.Evaluation, "get_conversations_conversation", ("evaluations_full",)),
        (results.Verdict, "get_conversations_conversation", ("evaluations_full", "verdicts")),
        (results.Finding, "get_conversations_conversation", ("evaluations_full", "findings")),
        (results.Label, "get_conversations_conversation", ("labels",)),
        (results.WorldOutcome, "get_conversations_conversation", ("outcomes",)),
        (results.ConversationReading, "get_conversations_conversation", ("readings",)),
        (results.ExportedConversation, "get_export", ()),
        (results.Estimate, "get_estimate", ()),
        (results.Share, "get_estimate", ("success",)),
        (results.Failures, "get_failures", ()),
        (results.FailureKind, "get_failures", ("kinds",)),
        (results.FailedConversation, "get_failures", ("without_kind",)),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_types_are_those_of_the_service(kind: Any, answer: str, path: tuple[str, ...], client: Client) -> None:
    answered = client.get("openapi.json")["components"]["schemas"][answer]
    # The first table of an export is that of conversations.
    schema = shape(answered.get("anyOf", [answered])[0], *path)

    ours = set(kind.__annotations__)
    assert ours - set(schema["properties"]) == set()
    assert kind.__required_keys__ == ours & set(schema["required"])


@pytest.mark.parametrize(("kind", "own"), [(results.EvaluationRow, "scored_at"), (results.VerdictRow, "criterion")])
def test_rows_are_those_of_the_service(kind: Any, own: str, client: Client) -> None:
    schema = client.get("openapi.json")["components"]["schemas"]["get_export"]
    (row,) = [one for one in schema["anyOf"] if own in one["properties"]]

    assert list(kind.__annotations__) == list(row["properties"])
    assert kind.__required_keys__ == set(row["required"])


@pytest.mark.parametrize(
    ("kind", "path"),
    [
        (results.Outcome, ("conversations", "evaluations", "outcome")),
        (results.State, ("conversations", "state")),
    ],
)
def test_words_are_those_of_the_service(kind: Any, path: tuple[str, ...], client: Client) -> None:
    schemas = client.get("openapi.json")["components"]["schemas"]

    assert set(typing.get_args(kind)) == set(shape(schemas["get_conversations"], *path)["enum"])


def test_every_filter_is_one_of_the_service(client: Client) -> None:
    paths = client.get("openapi.json")["paths"]
    for method, path in (
        (client.conversations, "conversations"),
        (client.evaluations, "export"),
        (client.verdicts, "export"),
        (client.estimate, "estimate"),
        (client.failures, "failures"),
    ):
        known = {one["name"] for one in paths[f"/api/v1/{path}"]["get"]["parameters"]}
        assert set(method.__annotations__) - {"return"} - known == set()
