"""Fixtures for pytest. Only tests that use them set up a provider."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .capture import Capture


@pytest.fixture(scope="session")
def assay_tracer_provider() -> Any:
    """The provider whose spans are captured. Override it where the agent does not use the global one."""
    return None


@pytest.fixture
def assay_capture(assay_tracer_provider: Any) -> Iterator[Capture]:
    """Spans that begin during the test."""
    from .capture import capturing_processor

    with capturing_processor(assay_tracer_provider).capturing() as capture:
        yield capture
