"""The client against a server that plays answers: paging, retries, errors, and bodies."""

from __future__ import annotations

import datetime
import inspect
import json
import socket
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, NamedTuple

import pytest

from assay_client import AssayError, BadRequest, Busy, Client, NotAllowed, NotFound, Unreachable


class Asked(NamedTuple):
    method: str
    path: str
    authorization: str | None
    body: Any


class Answer(NamedTuple):
    status: int
    body: Any
    headers: dict[str, str] = {}  # noqa: RUF012


class Server:
    """Gives the answers one after the other, the last of them for ever."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [Answer(200, {})]
        self.asked: list[Asked] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                length = int(self.headers.get("content-length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                server.asked.append(Asked(self.command, self.path, self.headers.get("authorization"), body))
                answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
                text = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                self.send_response(answer.status)
                for name, value in {"content-length": str(len(text)), **answer.headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_PUT = do_POST = _answer

            def log_message(self, *_: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    started = Server()
    yield started
    started.close()


@pytest.fixture
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Pauses, which the client's clock has passed and the test has not."""
    pauses: list[float] = []
    monkeypatch.setattr("assay_client._http.time.sleep", pauses.append)
    return pauses


def client_of(server: Server, pauses: list[float] | None = None, **options: Any) -> Client:
    client = Client(server.url, **options)
    if pauses is not None:
        http = client._http
        http._sleep = pauses.append
        http._clock = lambda: sum(pauses)
    return client


def item(name: str) -> dict[str, Any]:
    return {"conversation_id": name, "evaluations": [], "updated_at": "2026-01-02T03:04:05.678Z"}


def test_lists_are_read_a_page_at_a_time(server: Server) -> None:
    server.answers = [
        Answer(200, {"conversations": [item("a"), item("b")], "next": "7.1.2", "looked_at": 2}),
        Answer(200, {"conversations": [], "next": "8", "looked_at": 500}),
        Answer(200, {"conversations": [item("c")], "next": None, "looked_at": 1}),
    ]
    since = datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc)
    found = client_of(server, token="t").conversations(
        outcome=["hard_failure", "partial_failure"], labelled=True, since=since, agent="a&b"
    )
    assert server.asked == []
    assert [one["conversation_id"] for one in found] == ["a", "b", "c"]

    query = (
        "agent=a%26b&outcome=hard_failure&outcome=partial_failure&labelled=true"
        "&since=2026-01-02T00%3A00%3A00%2B00%3A00&limit=200"
    )
    assert [one.path for one in server.asked] == [
        f"/api/v1/conversations?{query}",
        f"/api/v1/conversations?{query}&cursor=7.1.2",
        f"/api/v1/conversations?{query}&cursor=8",
    ]
    assert {one.authorization for one in server.asked} == {"Bearer t"}


def test_first_reads_no_more_pages_than_it_needs(server: Server) -> None:
    server.answers = [Answer(200, {"conversations": [item("a"), item("b")], "next": "1", "looked_at": 2})]

    assert [one["conversation_id"] for one in client_of(server).conversations().first(2)] == ["a", "b"]
    assert client_of(server).conversations().first(0) == []
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_waits_as_long_as_it_is_asked_to(status: int, server: Server) -> None:
    pauses: list[float] = []
    server.answers = [
        Answer(status, {"error": "busy"}, {"retry-after": "7"}),
        Answer(status, {"error": "busy"}),
        Answer(200, {"next": None}),
    ]

    assert client_of(server, pauses).get("trend", since="7d") == {"next": None}
    assert pauses[0] == 7
    assert 0.5 <= pauses[1] <= 1
    assert len(server.asked) == 3


def test_a_date_in_retry_after_is_understood(server: Server) -> None:
    pauses: list[float] = []
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=9)
    server.answers = [
        Answer(503, {"error": "starting"}, {"retry-after": at.strftime("%a, %d %b %Y %H:%M:%S GMT")}),
        Answer(200, {}),
    ]

    client_of(server, pauses).get("facets")
    assert 5 < pauses[0] <= 9


def test_a_retry_that_would_be_too_late_is_not_made(server: Server) -> None:
    pauses: list[float] = []
    server.answers = [Answer(429, {"error": "two exports run already"}, {"retry-after": "40"})]

    with pytest.raises(Busy, match="two exports run already") as caught:
        client_of(server, pauses, retry_seconds=60).get("export")
    assert pauses == [40]
    assert caught.value.status == 429


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (
            400,
            {"error": "bad query", "problems": ["since: no time", "x: unknown"]},
            BadRequest,
            "since: no time; x: unk",
        ),
        (401, {"error": "no token"}, NotAllowed, "ASSAY_TOKEN"),
        (403, b"", NotAllowed, "token create --role review"),
        (404, {"error": "no conversation has the id"}, NotFound, "no conversation has the id"),
        (404, b"<html>nginx</html>", Unreachable, "port 4319 unless configured"),
        (200, b"<html>hello</html>", Unreachable, "not"),
        (302, b"", Unreachable, "redirects to http://elsewhere.example/"),
    ],
)
def test_errors_say_what_to_do(status: int, body: Any, kind: type[AssayError], said: str, server: Server) -> None:
    server.answers = [Answer(status, body, {"location": "http://elsewhere.example/"})]

    with pytest.raises(kind) as caught:
        client_of(server).get("facets")
    assert said in str(caught.value)
    assert len(server.asked) == 1


def test_problems_of_a_request_are_listed(server: Server) -> None:
    server.answers = [Answer(400, {"error": "bad", "problems": ["one", "two"]})]

    with pytest.raises(BadRequest) as caught:
        client_of(server).get("facets")
    assert caught.value.problems == ("one", "two")


def test_a_role_that_is_not_enough_is_named(server: Server) -> None:
    server.answers = [Answer(403, {"error": "takes the role review"})]

    with pytest.raises(NotAllowed, match=r"takes the role review\. The role of the token is not enough"):
        client_of(server, token="t").set_truth("c", {})


def test_the_token_does_not_follow_a_redirect(server: Server) -> None:
    thief = Server()
    server.answers = [Answer(307, b"", {"location": f"{thief.url}/api/v1/facets"})]

    with pytest.raises(Unreachable):
        client_of(server, token="secret").get("facets")
    assert thief.asked == []
    thief.close()


def test_a_server_that_is_not_there_is_named_after_some_seconds() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    client = Client(url)
    pauses: list[float] = []
    client._http._sleep = pauses.append
    client._http._clock = lambda: sum(pauses)

    with pytest.raises(Unreachable, match="nothing listens at"):
        client.get("facets")
    assert 1 < sum(pauses) <= 5


def test_an_answer_that_does_not_come_is_given_up() -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        client = Client(f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.1, retry_seconds=0)

        began = time.monotonic()
        with pytest.raises(Unreachable, match=r"did not answer within 0\.1 s"):
            client.get("facets")
        assert time.monotonic() - began < 5


@pytest.mark.parametrize("url", ["localhost:4319", "ftp://localhost", "", "http://"])
def test_an_address_that_is_none_is_refused(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_URL", url or "nothing")
    with pytest.raises(ValueError, match="is no address of Assay"):
        Client(url)


def test_what_is_written(server: Server) -> None:
    kept = {"id": "f1", "conversation_id": "c", "polarity": "positive", "result": "kept"}
    server.answers = [*[Answer(200, {})] * 5, Answer(200, {"results": [kept]})]
    client = client_of(server)
    client.label("a/b c", "support", "polite", "fail", by="ana", note="rude")
    client.label("c", "support", "polite", None)
    client.set_truth("c", {"time": datetime.datetime(2026, 1, 2)})
    client.set_truth("c", None)
    client.outcome("c", "refunded", False, value="30")
    at = datetime.datetime(2026, 1, 2, 3, tzinfo=datetime.timezone.utc)
    assert kept == client.feedback("c", score=4, scale=(1, 5), comment="quick", user="u", id="f1", at=at)

    assert [one[:2] for one in server.asked] == [
        ("PUT", "/v1/labels/a%2Fb%20c"),
        ("PUT", "/v1/labels/c"),
        ("PUT", "/v1/truth/c"),
        ("PUT", "/v1/truth/c"),
        ("PUT", "/v1/outcomes"),
        ("POST", "/api/v1/feedback"),
    ]
    assert [one.body for one in server.asked] == [
        [{"suite": "support", "criterion": "polite", "label": "fail", "by": "ana", "note": "rude"}],
        [{"suite": "support", "criterion": "polite", "label": None}],
        {"time": "2026-01-02T00:00:00"},
        None,
        [{"conversation_id": "c", "label": "refunded", "good": False, "value": "30"}],
        {
            "feedback": [
                {
                    "conversation_id": "c",
                    "score": 4,
                    "comment": "quick",
                    "user": "u",
                    "id": "f1",
                    "scale": [1, 5],
                    "at": "2026-01-02T03:00:00+00:00",
                }
            ]
        },
    ]


def test_many_are_written_in_parts(server: Server) -> None:
    client_of(server).outcomes({"conversation_id": f"c{at}", "label": "won", "good": True} for at in range(1001))

    assert [len(one.body) for one in server.asked] == [500, 500, 1]


COUNTED = {
    **{"conversation_id": "c1", "agent": "a", "agent_version": "1", "environment": "test", "segment": None},
    **{"suite_version": "3", "scope": "conversation", "turn_id": None, "revision": 1},
    "evaluated_at": "2026-01-02T03:04:05Z",
}
EXPORTED = [
    {
        **COUNTED,
        **{
            "suite": suite,
            "began_at": None,
            "scored_at": None,
            "outcome": "partial_failure",
            "success": success,
            "score": score,
        },
        **{"decided_share": 1, "about": None, "because": None, "ending": None, "explanation": "…"},
        **{"steps": 3, "tokens": None, "cost_usd": 0.25, "duration_ms": 1200},
    }
    for suite, score, success in (("support", 0.5, True), ("default", None, None))
]


def lines_of(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def test_verdicts_take_the_filters_of_evaluations(server: Server) -> None:
    of_evaluations, of_verdicts = (inspect.signature(of).parameters for of in (Client.evaluations, Client.verdicts))
    assert list(of_verdicts) == list(of_evaluations)

    server.answers = [Answer(200, b"")]
    assert list(client_of(server).verdicts(feedback="negative", labelled=True, score_below=0.5)) == []
    assert [one.path for one in server.asked] == [
        "/api/v1/export?score_below=0.5&labelled=true&feedback=negative&table=verdicts",
    ]


def test_evaluations_and_verdicts_are_the_rows_of_the_tables(server: Server) -> None:
    verdict = {**COUNTED, "suite": "support", "criterion": "polite", "verdict": "fail", "passed": False}
    server.answers = [Answer(200, lines_of(EXPORTED)), Answer(200, lines_of([verdict]))]
    client = client_of(server)

    assert list(client.evaluations(since="24h")) == EXPORTED
    assert list(client.verdicts(suite="support")) == [verdict]
    assert [one.path for one in server.asked] == [
        "/api/v1/export?since=24h&table=evaluations",
        "/api/v1/export?suite=support&table=verdicts",
    ]


def test_tables_have_times_and_missing_scores(server: Server) -> None:
    pandas = pytest.importorskip("pandas")
    server.answers = [Answer(200, lines_of(EXPORTED))]

    table = client_of(server).evaluations().to_pandas()
    assert list(table["suite"]) == ["support", "default"]
    assert table["score"].isna().tolist() == [False, True]
    assert table["evaluated_at"][0] == pandas.Timestamp("2026-01-02T03:04:05Z")
    means = table.groupby("agent_version")[["score", "success", "tokens"]].mean()
    assert means.loc["1", ["score", "success"]].tolist() == [0.5, 1.0]
    assert means["tokens"].isna().all()


def test_tables_without_rows_have_their_columns(server: Server) -> None:
    pytest.importorskip("pandas")
    server.answers = [Answer(200, b"")] * 3 + [Answer(200, {"conversations": [], "next": None})]
    client = client_of(server)

    table = client.evaluations(since="7d").to_pandas()
    assert set(table.columns) == set(EXPORTED[0])
    grouped = table.groupby(["suite", "agent_version"])["score"].agg(["mean", "count"])
    assert (len(grouped), list(grouped.columns)) == (0, ["mean", "count"])
    assert str(table["evaluated_at"].dtype).endswith("UTC]")
    assert client.verdicts().to_pandas().groupby("criterion")["passed"].mean().empty
    assert "evaluations" in client.export().to_pandas().columns
    assert {"conversation_id", "agent", "updated_at"} <= set(client.conversations().to_pandas().columns)


def broken(send: Callable[[socket.socket], None]) -> str:
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listening, listening.accept()[0] as connection:
            connection.recv(65536)
            send(connection)

    threading.Thread(target=serve, daemon=True).start()
    return f"http://127.0.0.1:{listening.getsockname()[1]}"


LINE = lines_of(EXPORTED[:1])
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: application/jsonl\r\n"


@pytest.mark.parametrize(
    "sent",
    [
        HEAD + b"transfer-encoding: chunked\r\n\r\n" + f"{len(LINE):x}\r\n".encode() + LINE + b"\r\n",
        HEAD + b"transfer-encoding: chunked\r\n\r\n" + f"{len(LINE) * 2:x}\r\n".encode() + LINE + LINE[:9],
        HEAD + b"connection: close\r\n\r\n" + LINE + LINE[:20],
    ],
    ids=["between chunks", "within a chunk", "within a line"],
)
def test_an_export_that_breaks_off_is_an_error(sent: bytes) -> None:
    rows = []

    def read() -> None:
        rows.extend(one["suite"] for one in Client(broken(lambda to: to.sendall(sent))).evaluations())

    with pytest.raises(Unreachable, match="broke off"):
        read()


def test_a_port_that_speaks_no_http_is_named_without_its_bytes() -> None:
    url = broken(lambda to: to.sendall(b"\x00\x00\x12\x04\x00\x1b[31m\r\n\r\n"))

    with pytest.raises(Unreachable, match=r"speaks no HTTP \(BadStatusLine\): give the address of the API"):
        Client(url, retry_seconds=0).get("facets")


def test_waiting_for_a_conversation_ends(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = {"state": "open", "evaluations": []}
    begun = {"state": "open", "evaluations": [{"suite": "default"}]}
    ended = {"state": "scored", "evaluations": [{"suite": "default"}]}
    answers = [Answer(404, {"error": "none"}), *(Answer(200, body) for body in (waiting, begun, ended))]
    server.answers = list(answers)
    assert client_of(server).wait_for("c") == begun
    server.answers = list(answers)
    assert client_of(server).wait_for("c", over=True) == ended

    server.answers = [Answer(404, {"error": "none"})]
    with pytest.raises(TimeoutError, match="no span of it was understood: `npx assay doctor`"):
        client_of(server).wait_for("c", timeout=0.2)
