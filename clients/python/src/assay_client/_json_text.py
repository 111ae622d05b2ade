"""Writes values as JSON text: what JSON holds, and the classes in which Python programs usually keep such values."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import pathlib
import uuid
from collections.abc import Mapping
from typing import Any


def to_json_text(value: object) -> str:
    """Returns JSON text. Raises TypeError, ValueError or RecursionError for a value that has none, such as NaN."""
    return json.dumps(value, default=_plain, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, type):
        raise TypeError(f"{value!r} is a class: give an instance")
    if callable(getattr(value, "model_dump", None)):  # A model of pydantic.
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    if isinstance(value, decimal.Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    if isinstance(value, Mapping):
        return dict(value)
    if callable(getattr(value, "tolist", None)):  # A number or an array of numpy.
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no form in JSON")
