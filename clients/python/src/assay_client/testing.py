"""Suites as assertions, scored by the engine of `assay score`:

    def test_books_what_was_asked_for(assay_capture):
        answer("Book half an hour with Ana, Monday at ten.")
        assert_passes(assay_capture, "scheduling", truth={"participants": ["ana"], "time": "2026-03-02T10:00"})

Each assertion starts the command once (about half a second); `assert_all_pass` once for many conversations.
"""

from __future__ import annotations

import json
import os
import pathlib
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

from . import _names as names
from ._command import AssayCommandFailed, assay_command, score
from .capture import Capture, CapturingSpanProcessor, capturing_processor

__all__ = [
    "AssayCommandFailed",
    "Capture",
    "CapturingSpanProcessor",
    "assay_command",
    "assert_all_pass",
    "assert_fails",
    "assert_passes",
    "capturing_processor",
    "evaluations_of",
]

Subject = Union[Capture, str, "os.PathLike[str]"]
_STEP_NAMES = ("gen_ai.tool.name", "tool.name")


def assert_passes(
    subject: Subject,
    suite: str,
    *,
    id: str | None = None,
    truth: object = None,
    ignoring: Iterable[str] = (),
    at_least: float | None = None,
    outcome: str | None = None,
    config: str | None = None,
) -> None:
    """Fails unless every conversation passes the suite: no criterion fails, and at least one is decided.

    `suite` is a file, a built-in suite, or the name of one in `assay.yaml`. `ignoring` names criteria that may fail;
    `at_least` asks for a score instead, from 0 to 1, and `outcome` for an outcome. `id` chooses a conversation where
    there are several. `truth` is the ground truth of captured spans. A path is a recording that `assay score` reads.
    """
    __tracebackhide__ = True
    found = _Scored([subject], suite, truth=truth, id=id, config=config)
    _known(ignoring, found)
    problems = found.missing()
    for evaluation in found.evaluations:
        problems += _problems(evaluation, found, set(ignoring), at_least, outcome)
    if problems:
        raise AssertionError("\n".join([f"expected the conversation to pass {suite}", "", *problems]))


def assert_all_pass(
    subjects: Iterable[Subject], suite: str, *, ignoring: Iterable[str] = (), config: str | None = None
) -> None:
    """Fails unless all of them pass, each with an id of its own, and names all that do not. Runs one process."""
    __tracebackhide__ = True
    found = _Scored(list(subjects), suite, truth=None, id=None, config=config)
    _known(ignoring, found)
    problems = found.missing()
    for evaluation in found.evaluations:
        problems += _problems(evaluation, found, set(ignoring), None, None)
    if problems:
        raise AssertionError("\n".join([f"expected all conversations to pass {suite}", "", *problems]))


def assert_fails(
    subject: Subject,
    suite: str,
    criteria: str | Sequence[str] = (),
    *,
    id: str | None = None,
    truth: object = None,
    config: str | None = None,
) -> None:
    """Fails unless each of the criteria fails; where none is named, any."""
    __tracebackhide__ = True
    wanted = [criteria] if isinstance(criteria, str) else list(criteria)
    found = _Scored([subject], suite, truth=truth, id=id, config=config)
    _known(wanted, found)
    failed = {
        name
        for evaluation in found.evaluations
        for name, verdict in evaluation["verdicts"].items()
        if verdict["verdict"] == "fail"
    }
    absent = [name for name in wanted if name not in failed]
    problems = found.missing()
    if not problems and (absent or not failed):
        problems = [
            line
            for evaluation in found.evaluations
            for line in [_head(evaluation), *_lines(evaluation, found, absent or evaluation["verdicts"])]
        ]
    if problems:
        what = f"{', '.join(wanted)} of {suite}" if wanted else suite
        raise AssertionError("\n".join([f"expected the conversation to fail {what}", "", *problems]))


def evaluations_of(
    subject: Subject, suite: str, *, id: str | None = None, truth: object = None, config: str | None = None
) -> list[dict[str, Any]]:
    """Returns the evaluations, as `assay score --json` prints them."""
    return _Scored([subject], suite, truth=truth, id=id, config=config).evaluations


class _Scored:
    """Output of the command, with the names of captured steps."""

    def __init__(
        self, subjects: Sequence[Subject], suite: str, *, truth: object, id: str | None, config: str | None
    ) -> None:
        __tracebackhide__ = True
        if not subjects:
            raise ValueError("there are no conversations to score")
        self.suite = suite
        self.wanted = id
        self.steps: dict[str, str] = {}
        self.span_count = 0
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            files = [self._file(one, pathlib.Path(folder), number, truth) for number, one in enumerate(subjects)]
            self.output = score(files, suite, config=config)
        self.evaluations: list[dict[str, Any]] = [
            one for one in self.output["evaluations"] if id is None or one["conversation_id"] in (id, f"trace:{id}")
        ]

    def _file(self, subject: Subject, folder: pathlib.Path, number: int, truth: object) -> pathlib.Path:
        __tracebackhide__ = True
        if not isinstance(subject, Capture):
            if truth is not None:
                raise ValueError("a recording has its own ground truth: `truth` is for captured spans")
            path = pathlib.Path(subject)
            if not path.exists():
                raise FileNotFoundError(f"there is no recording {path}")
            return path.resolve()
        request = subject.otlp_json(truth)
        spans = subject.spans
        if not spans:
            raise AssertionError(
                "no span was captured: is the framework instrumented, and for this provider? "
                "Override the fixture `assay_tracer_provider` if it is not the global one"
            )
        self.span_count += len(spans)
        for span in spans:
            own = span.get_span_context()
            attributes = span.attributes or {}
            tool = next((attributes[name] for name in _STEP_NAMES if name in attributes), None)
            if own is not None and span.name not in (names.MARK_SPAN, names.FEEDBACK_EVENT):
                self.steps[f"{own.span_id:016x}"] = span.name if tool is None else f"tool {tool}"
        file = folder / f"{number}.jsonl"
        file.write_text(f"{json.dumps(request)}\n", encoding="utf-8")
        return file

    def missing(self) -> list[str]:
        if self.evaluations:
            return []
        read = self.output["input"]
        if self.wanted is not None and self.output["evaluations"]:
            ids = sorted({one["conversation_id"] for one in self.output["evaluations"]})
            return [f"  there is no conversation {self.wanted!r}; there are {', '.join(ids[:5])}"]
        if read["turns"] == 0:
            return [
                "  nothing of an agent was found in the spans: write them with "
                "`assay_capture.write('spans.jsonl')`, and `assay inspect spans.jsonl` shows what is understood"
            ]
        return [f"  {self.suite} is not for it: its `match` does not find it"]


def _problems(
    evaluation: Mapping[str, Any], found: _Scored, ignoring: set[str], at_least: float | None, outcome: str | None
) -> list[str]:
    verdicts: Mapping[str, Any] = evaluation["verdicts"]
    failed = [name for name, one in verdicts.items() if one["verdict"] in ("fail", "error")]
    wrong = [name for name in failed if name not in ignoring]
    score = evaluation["score"]
    told: list[str] = []
    if at_least is not None and (score is None or score < at_least):
        told.append(f"    score {_number(score)}, expected at least {at_least:g}")
    if outcome is not None and evaluation["outcome"] != outcome:
        told.append(f"    outcome {evaluation['outcome']}, expected {outcome}")
    asks_for_all = at_least is None and outcome is None
    if told or (asks_for_all and wrong):
        return [_head(evaluation), *told, *_lines(evaluation, found, wrong if asks_for_all else failed)]
    if not any(one["verdict"] in ("pass", "fail") for one in verdicts.values()):
        return [_head(evaluation), "    no criterion could be decided", *_lines(evaluation, found, verdicts)]
    return []


def _head(evaluation: Mapping[str, Any]) -> str:
    suite = f"{evaluation['suite']} {evaluation['suite_version']}"
    score = _number(evaluation["score"])
    kind = f" ({evaluation['because']})" if "because" in evaluation else ""
    return f"  {evaluation['conversation_id']}: {suite} says {evaluation['outcome']}{kind}, score {score}"


def _lines(evaluation: Mapping[str, Any], found: _Scored, criteria: Iterable[str]) -> list[str]:
    lines = []
    for name in criteria:
        verdict = evaluation["verdicts"].get(name)
        if verdict is None:
            continue
        step = next((found.steps[span] for span in verdict["evidence"] if span in found.steps), None)
        lines.append(f"    {name} {verdict['verdict']}: {verdict['reason']}{'' if step is None else f' ({step})'}")
    return lines


def _number(score: float | None) -> str:
    return "none" if score is None else f"{score:.3g}"


def _known(criteria: Iterable[str], found: _Scored) -> None:
    __tracebackhide__ = True
    known = {name for evaluation in found.evaluations for name in evaluation["verdicts"]}
    for name in criteria:
        if known and name not in known:
            raise ValueError(f"{found.suite} has no criterion {name!r}: there are {', '.join(sorted(known))}")
