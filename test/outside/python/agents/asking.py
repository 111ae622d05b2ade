"""Telemetry as docs/start/python.md sets it up, and two turns of one conversation, the same for each framework."""

from typing import Callable

from assay_client import conversation, end_conversation, instrument, record_state

instrument("orders", service_version="1.0.0", environment="test")
looked_up: list[int] = []


def look_up(order: int) -> dict:
    looked_up.append(order)
    return {"status": "shipped"}


def ask_twice(framework: str, answer: Callable[[str], str]) -> None:
    for question in ("Where is order 17?", "Is that certain?"):
        with conversation(f"python-{framework}", user="u-17", truth={"order": 17}):
            print(answer(question))
            assert record_state({"found": True, "looked_up": looked_up})
            if question.startswith("Is"):
                assert end_conversation()
