"""Containers: how spans are wrapped. JSON ones are tried in the order of the table, the strictest first."""

from __future__ import annotations

from .interface import JsonContainer
from .otlp_json import OtlpJson
from .span_json import SpanJson

JSON_CONTAINERS: tuple[JsonContainer, ...] = (OtlpJson(), SpanJson())

__all__ = ["JSON_CONTAINERS"]
