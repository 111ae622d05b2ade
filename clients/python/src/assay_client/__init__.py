"""Assay for agents in Python. docs/start/python.md of the project shows how each part is used."""

from .client import Client, Pages
from .conversations import (
    ConversationScope,
    ConversationSpanProcessor,
    attach_truth,
    carry,
    conversation,
    conversation_id,
    end_conversation,
    feedback,
    record_state,
)
from .errors import AssayError, BadRequest, Busy, NotAllowed, NotFound, Unreachable
from .telemetry import TelemetryMissing, instrument

__all__ = [
    "AssayError",
    "BadRequest",
    "Busy",
    "Client",
    "ConversationScope",
    "ConversationSpanProcessor",
    "NotAllowed",
    "NotFound",
    "Pages",
    "TelemetryMissing",
    "Unreachable",
    "attach_truth",
    "carry",
    "conversation",
    "conversation_id",
    "end_conversation",
    "feedback",
    "instrument",
    "record_state",
]
