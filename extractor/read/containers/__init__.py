"""Containers: how spans are wrapped. JSON ones are tried in the order of the table, the strictest first."""

from __future__ import annotations

from .bare import BareAttributes
from .braintrust import Braintrust
from .clickhouse import ClickHouse
from .datadog_llmobs import DatadogLlmObs
from .deepeval import DeepEval
from .honeycomb import Honeycomb
from .inspect_ai import InspectAI
from .interface import JsonContainer
from .jaeger import Jaeger
from .langfuse import Langfuse
from .langsmith import LangSmith
from .mlflow import MLflow
from .openai_agents import OpenAIAgents
from .otlp_json import OtlpJson
from .otlp_logs import OtlpLogs
from .phoenix import Phoenix
from .span_json import SpanJson
from .tracely import Tracely
from .zipkin import Zipkin

JSON_CONTAINERS: tuple[JsonContainer, ...] = (
    OtlpJson(),
    OtlpLogs(),
    Jaeger(),
    ClickHouse(),
    Honeycomb(),
    OpenAIAgents(),
    MLflow(),
    LangSmith(),
    Braintrust(),
    DatadogLlmObs(),
    Phoenix(),
    DeepEval(),
    InspectAI(),
    Tracely(),
    Langfuse(),
    Zipkin(),
    SpanJson(),
    BareAttributes(),
)
NAMES: tuple[str, ...] = (*(container.name for container in JSON_CONTAINERS), "otlp_proto")
"""What `--format` takes."""

__all__ = ["JSON_CONTAINERS", "NAMES"]
