"""Answers unchanged agents from a recording, below the provider SDKs: at the transports through which they speak HTTP."""

from __future__ import annotations

from .intercepting import NOT_INTERCEPTED, Intercepted, Interception, intercept

__all__ = ["NOT_INTERCEPTED", "Intercepted", "Interception", "intercept"]
