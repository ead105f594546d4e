"""Containers: how spans are wrapped. JSON ones are tried in the order of the table, the strictest first."""

from __future__ import annotations

from .braintrust import Braintrust
from .datadog_llmobs import DatadogLlmObs
from .deepeval import DeepEval
from .interface import JsonContainer
from .langfuse import Langfuse
from .langsmith import LangSmith
from .mlflow import MLflow
from .openai_agents import OpenAIAgents
from .otlp_json import OtlpJson
from .phoenix import Phoenix
from .span_json import SpanJson

_VENDORS: tuple[JsonContainer, ...] = (
    OpenAIAgents(),
    MLflow(),
    LangSmith(),
    Braintrust(),
    DatadogLlmObs(),
    Phoenix(),
    DeepEval(),
    Langfuse(),
)
JSON_CONTAINERS: tuple[JsonContainer, ...] = (OtlpJson(), *_VENDORS, SpanJson())

__all__ = ["JSON_CONTAINERS"]
