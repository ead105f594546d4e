"""A JSON Schema (2020-12) as closures over the standard library alone: the keywords that our own schemas use, and no other.

Importing jsonschema takes half a second and asking it ten milliseconds a case, which a pre-commit hook has not. What is
compiled here gives the same faults, place by place and rule by rule; tests hold it to jsonschema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from extractor.model.json import JsonValue

__all__ = ["Check", "Fault", "Faults", "NotCompiled", "compile_schema"]

Fault: TypeAlias = tuple[tuple[str | int, ...], str]
"""Where (member names and positions), and the rule that failed."""
Faults: TypeAlias = tuple[Fault, ...]
Check: TypeAlias = Callable[[JsonValue], Faults]
_Schema: TypeAlias = "dict[str, JsonValue]"


class NotCompiled(ValueError):
    """The schema uses a keyword, or a form of one, that is not known here: better none than a check that looks away."""


def compile_schema(schema: JsonValue) -> Check:
    """Return what lists a value's faults, none when it fits; raises `NotCompiled`."""
    return _Compiler(schema).check(schema)


class _Compiler:
    def __init__(self, root: JsonValue) -> None:
        self.root = root
        self.targets: dict[str, Check] = {}
        self.open: set[str] = set()

    def check(self, schema: JsonValue) -> Check:
        if schema is True:
            return _anything
        if schema is False:
            return lambda _value: (((), "false"),)
        if not isinstance(schema, dict):
            raise NotCompiled("a schema must be an object or a boolean")
        unknown = sorted(schema.keys() - _KEYWORDS.keys() - _INERT)
        if unknown:
            raise NotCompiled(f"unknown keywords: {unknown}")
        made = (_KEYWORDS[name](self, schema) for name in schema if name in _KEYWORDS)
        return _all(tuple(check for check in made if check is not _anything))

    def target(self, reference: str) -> Check:
        """Return the check that a local reference names; one that is still being made is looked up when it is asked."""
        if reference in self.targets:
            return self.targets[reference]
        if reference in self.open:

            def later(value: JsonValue) -> Faults:
                return self.targets[reference](value)

            return later
        self.open.add(reference)
        self.targets[reference] = self.check(self._found(reference))
        return self.targets[reference]

    def _found(self, reference: str) -> JsonValue:
        start, *steps = reference.split("/")
        node = self.root
        for step in steps:
            if start != "#" or "~" in step or "%" in step or not isinstance(node, dict) or step not in node:
                raise NotCompiled("a reference leads out of the schema, or nowhere")
            node = node[step]
        return node


def _anything(_value: JsonValue) -> Faults:
    return ()


def _all(checks: tuple[Check, ...]) -> Check:
    if len(checks) < 2:
        return checks[0] if checks else _anything

    def check(value: JsonValue) -> Faults:
        faults: Faults = ()
        for one in checks:
            found = one(value)
            if found:
                faults += found
        return faults

    return check


def _below(step: str | int, faults: Faults) -> Faults:
    return tuple(((step, *path), rule) for path, rule in faults)


def _reference(compiler: _Compiler, schema: _Schema) -> Check:
    return compiler.target(_text(schema["$ref"]))


# A boolean is an int to Python and none to JSON; 1.0 is an integer to JSON Schema.
_TYPES: Final[Mapping[str, Callable[[JsonValue], bool]]] = {
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: (
        (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, float) and value.is_integer())
    ),
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "string": lambda value: isinstance(value, str),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}
_CLASSES: Final[Mapping[str, type]] = {
    "null": type(None),
    "boolean": bool,
    "integer": int,
    "string": str,
    "array": list,
    "object": dict,
}


def _type(_compiler: _Compiler, schema: _Schema) -> Check:
    named = schema["type"]
    names = [_text(name) for name in (named if isinstance(named, list) else [named])]
    if not names or not set(names) <= _TYPES.keys():
        raise NotCompiled("unknown type")
    # The class alone answers for almost every value; what it leaves open is asked by the rules of JSON.
    classes = frozenset(_CLASSES[name] for name in names if name in _CLASSES)
    tests = tuple(_TYPES[name] for name in names)

    def check(value: JsonValue) -> Faults:
        if type(value) in classes or any(test(value) for test in tests):
            return ()
        return (((), "type"),)

    return check


def _const(_compiler: _Compiler, schema: _Schema) -> Check:
    same = _equal_to(schema["const"])
    return lambda value: () if same(value) else (((), "const"),)


def _enum(_compiler: _Compiler, schema: _Schema) -> Check:
    allowed = schema["enum"]
    if not isinstance(allowed, list):
        raise NotCompiled("enum must be a list")
    texts = frozenset(one for one in allowed if isinstance(one, str))
    others = tuple(_equal_to(one) for one in allowed if not isinstance(one, str))

    def check(value: JsonValue) -> Faults:
        fits = value in texts if isinstance(value, str) else any(same(value) for same in others)
        return () if fits else (((), "enum"),)

    return check


def _equal_to(wanted: JsonValue) -> Callable[[JsonValue], bool]:
    if isinstance(wanted, (dict, list)):
        raise NotCompiled("const and enum of containers")
    if wanted is None or isinstance(wanted, bool):
        return lambda value: value is wanted
    return lambda value: not isinstance(value, bool) and value == wanted


def _pattern(_compiler: _Compiler, schema: _Schema) -> Check:
    search = re.compile(_text(schema["pattern"])).search
    return lambda value: (((), "pattern"),) if isinstance(value, str) and not search(value) else ()


def _min_length(_compiler: _Compiler, schema: _Schema) -> Check:
    least = _number(schema["minLength"])
    return lambda value: (((), "minLength"),) if isinstance(value, str) and len(value) < least else ()


def _minimum(_compiler: _Compiler, schema: _Schema) -> Check:
    least = _number(schema["minimum"])

    def check(value: JsonValue) -> Faults:
        below = isinstance(value, (int, float)) and not isinstance(value, bool) and value < least
        return (((), "minimum"),) if below else ()

    return check


def _required(_compiler: _Compiler, schema: _Schema) -> Check:
    listed = schema["required"]
    if not isinstance(listed, list):
        raise NotCompiled("required must be a list")
    names = tuple(_text(name) for name in listed)
    wanted = frozenset(names)

    def check(value: JsonValue) -> Faults:
        if not isinstance(value, dict) or value.keys() >= wanted:
            return ()
        return (((), f"required {[name for name in names if name not in value]}"),)

    return check


def _properties(compiler: _Compiler, schema: _Schema) -> Check:
    compiled = [(name, compiler.check(child)) for name, child in _object(schema["properties"]).items()]
    checks = tuple((name, check) for name, check in compiled if check is not _anything)

    def check(value: JsonValue) -> Faults:
        faults: Faults = ()
        if isinstance(value, dict):
            for name, inner in checks:
                if name in value:
                    found = inner(value[name])
                    if found:
                        faults += _below(name, found)
        return faults

    return check


def _additional(compiler: _Compiler, schema: _Schema) -> Check:
    known = _object(schema.get("properties", {})).keys()
    if schema["additionalProperties"] is False:
        return lambda value: (((), "additionalProperties"),) if isinstance(value, dict) and value.keys() - known else ()
    inner = compiler.check(schema["additionalProperties"])
    if inner is _anything:
        return _anything

    def check(value: JsonValue) -> Faults:
        if not isinstance(value, dict):
            return ()
        return tuple(
            fault for name, child in value.items() if name not in known for fault in _below(name, inner(child))
        )

    return check


def _items(compiler: _Compiler, schema: _Schema) -> Check:
    if schema["items"] is False:
        return lambda value: (((), "items"),) if isinstance(value, list) and value else ()
    inner = compiler.check(schema["items"])
    if inner is _anything:
        return _anything

    def check(value: JsonValue) -> Faults:
        faults: Faults = ()
        if isinstance(value, list):
            for position, item in enumerate(value):
                found = inner(item)
                if found:
                    faults += _below(position, found)
        return faults

    return check


def _not(compiler: _Compiler, schema: _Schema) -> Check:
    inner = compiler.check(schema["not"])
    return lambda value: () if inner(value) else (((), "not"),)


def _if(compiler: _Compiler, schema: _Schema) -> Check:
    asked = compiler.check(schema["if"])
    then, other = compiler.check(schema.get("then", True)), compiler.check(schema.get("else", True))
    return lambda value: (other if asked(value) else then)(value)


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise NotCompiled("a text is expected")
    return value


def _number(value: JsonValue) -> int | float:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        raise NotCompiled("a number is expected")
    return value


def _object(value: JsonValue) -> _Schema:
    if not isinstance(value, dict):
        raise NotCompiled("an object is expected")
    return value


_KEYWORDS: Final[Mapping[str, Callable[[_Compiler, _Schema], Check]]] = {
    "$ref": _reference,
    "type": _type,
    "const": _const,
    "enum": _enum,
    "pattern": _pattern,
    "minLength": _min_length,
    "minimum": _minimum,
    "required": _required,
    "properties": _properties,
    "additionalProperties": _additional,
    "items": _items,
    "not": _not,
    "if": _if,
}
# What says nothing of a value by itself.
_INERT: Final = frozenset({"$schema", "$id", "$defs", "$comment", "title", "description", "then", "else"})
