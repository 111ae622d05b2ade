"""Writes spans of the SDK as an OTLP request in JSON, which `assay score` reads."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping
from typing import Any

_KINDS = {"INTERNAL": 1, "SERVER": 2, "CLIENT": 3, "PRODUCER": 4, "CONSUMER": 5}
_STATUS = {"UNSET": 0, "OK": 1, "ERROR": 2}
_INTEGER_BITS = 63


def to_otlp_json(spans: Iterable[Any]) -> dict[str, Any]:
    """Groups spans by resource and scope, in the order of their first span."""
    resources: dict[int, tuple[Any, dict[tuple[str, str], list[Any]]]] = {}
    for span in spans:
        resource = span.resource
        scope = span.instrumentation_scope
        key = ("", "") if scope is None else (scope.name or "", scope.version or "")
        _, scopes = resources.setdefault(id(resource), (resource, {}))
        scopes.setdefault(key, []).append(span)
    return {
        "resourceSpans": [
            {
                "resource": {"attributes": _attributes(resource.attributes)},
                "scopeSpans": [
                    {"scope": {"name": name, "version": version}, "spans": [_span(one) for one in of_scope]}
                    for (name, version), of_scope in scopes.items()
                ],
            }
            for resource, scopes in resources.values()
        ]
    }


def _span(span: Any) -> dict[str, Any]:
    own = span.get_span_context()
    written = {
        "traceId": f"{own.trace_id:032x}",
        "spanId": f"{own.span_id:016x}",
        "name": span.name,
        "kind": _KINDS.get(span.kind.name, 1),
        "startTimeUnixNano": str(span.start_time),
        "endTimeUnixNano": str(span.end_time),
        "attributes": _attributes(span.attributes),
        "droppedAttributesCount": getattr(span, "dropped_attributes", 0),
        "events": [
            {"timeUnixNano": str(event.timestamp), "name": event.name, "attributes": _attributes(event.attributes)}
            for event in span.events
        ],
        "links": [
            {
                "traceId": f"{link.context.trace_id:032x}",
                "spanId": f"{link.context.span_id:016x}",
                "attributes": _attributes(link.attributes),
            }
            for link in span.links
        ],
        "status": {
            "code": _STATUS.get(span.status.status_code.name, 0),
            **({"message": span.status.description} if span.status.description else {}),
        },
    }
    if span.parent is not None:
        written["parentSpanId"] = f"{span.parent.span_id:016x}"
    return written


def _attributes(attributes: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    return [{"key": key, "value": _value(value)} for key, value in (attributes or {}).items()]


def _value(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, int):
        return {"intValue": str(value)} if value.bit_length() <= _INTEGER_BITS else {"stringValue": str(value)}
    if isinstance(value, float):
        is_number = value == value and value not in (float("inf"), float("-inf"))
        return {"doubleValue": value if is_number else str(value)}
    if isinstance(value, (bytes, bytearray)):
        return {"bytesValue": base64.b64encode(value).decode()}
    if isinstance(value, Mapping):
        return {"kvlistValue": {"values": _attributes(value)}}
    if isinstance(value, (list, tuple)):
        return {"arrayValue": {"values": [_value(one) for one in value]}}
    return {"stringValue": str(value)}
