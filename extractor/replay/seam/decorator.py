"""`observe`: a function as a call of the seam, without rewriting who calls it."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Literal, ParamSpec, TypeAlias, TypeVar, cast, get_args

from .calls import agent, model_awaited, model_called, tool_awaited, tool_called
from .messages import Returns, form_of
from .source import ModelCall, ToolCall
from .spans import span

P = ParamSpec("P")
T = TypeVar("T")
ObservedAs: TypeAlias = Literal["tool", "llm", "agent", "retriever", "chain", "span"]

_QUESTIONS = ("messages", "input", "prompt")


def observe(
    as_type: ObservedAs = "span", *, name: str | None = None, side_effect: bool = False, returns: Returns = "value"
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator. A ``tool`` or an ``llm`` is answered from the recording in a replay, and does not run then.

    Arguments are bound by the signature, defaults applied, ``self`` left out. The name is the function's own unless given;
    an ``llm`` takes its model from its argument ``model`` where it has one, and its question from ``messages``, ``input`` or
    ``prompt``, else from all arguments. An ``agent`` is a root; all other types run always and are spans alone.
    Raises `TypeError` for a type that is none (``@observe`` needs its parentheses), and for a generator function: what it
    yields bit by bit no recording can give back.
    """
    if as_type not in get_args(ObservedAs):
        raise TypeError("observe takes the type of what it observes: observe(as_type=…)")

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("a generator function cannot be observed: let it return its values at once")
        observed = _Observed(function, as_type, name or function.__name__, side_effect=side_effect, returns=returns)
        if not inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            def called(*args: P.args, **kwargs: P.kwargs) -> T:
                return cast("T", observed.call(args, kwargs))

            return called

        @functools.wraps(function)
        async def awaited(*args: P.args, **kwargs: P.kwargs) -> object:
            return await observed.acall(args, kwargs)

        return cast("Callable[P, T]", awaited)

    return decorate


class _Observed:
    def __init__(
        self,
        function: Callable[..., object],
        as_type: ObservedAs,
        name: str,
        *,
        side_effect: bool,
        returns: Returns,
    ) -> None:
        self._function = function
        self._signature = inspect.signature(function)
        self._as_type = as_type
        self._name = name
        self._side_effect = side_effect
        self._returns: Returns = returns

    def call(self, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        def run() -> object:
            return self._function(*args, **kwargs)

        if self._as_type == "tool":
            return tool_called(self._tool(args, kwargs), run, side_effect=self._side_effect)
        if self._as_type == "llm":
            return model_called(self._model(args, kwargs), run, usage=None)
        if self._as_type == "agent":
            with agent(self._name):
                return run()
        with span(self._name, {}):
            return run()

    async def acall(self, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        def run() -> Awaitable[object]:
            return cast("Awaitable[object]", self._function(*args, **kwargs))

        if self._as_type == "tool":
            return await tool_awaited(self._tool(args, kwargs), run, side_effect=self._side_effect)
        if self._as_type == "llm":
            return await model_awaited(self._model(args, kwargs), run, usage=None)
        if self._as_type == "agent":
            with agent(self._name):
                return await run()
        with span(self._name, {}):
            return await run()

    def _tool(self, args: tuple[object, ...], kwargs: dict[str, object]) -> ToolCall:
        given, defaulted = self._bound(args, kwargs)
        return ToolCall(name=self._name, args=given, defaulted=defaulted)

    def _model(self, args: tuple[object, ...], kwargs: dict[str, object]) -> ModelCall:
        given, _ = self._bound(args, kwargs)
        named = given.get("model")
        question = next((given[name] for name in _QUESTIONS if name in given), given)
        return ModelCall(
            model=named if isinstance(named, str) else self._name,
            input=question,
            returns=self._returns,
            form=form_of(question),
        )

    def _bound(self, args: tuple[object, ...], kwargs: dict[str, object]) -> tuple[dict[str, object], frozenset[str]]:
        """Return the arguments by name, and the names of those that were left to their defaults."""
        bound = self._signature.bind(*args, **kwargs)
        explicit = set(bound.arguments)
        bound.apply_defaults()
        arguments: dict[str, object] = {}
        for position, (name, value) in enumerate(bound.arguments.items()):
            kind = self._signature.parameters[name].kind
            if position == 0 and name in ("self", "cls"):
                continue
            if kind is inspect.Parameter.VAR_KEYWORD:
                arguments.update(value)
            elif kind is not inspect.Parameter.VAR_POSITIONAL or value:
                arguments[name] = value
        return arguments, frozenset(name for name in arguments if name in bound.arguments and name not in explicit)
