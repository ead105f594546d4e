"""HTML as a browser would take it apart, with the standard library's parser: elements, attributes, ids, text."""

from __future__ import annotations

from html.parser import HTMLParser

_SILENT = {"style", "script", "title"}


class Parsed(HTMLParser):
    """A page taken apart. ``names`` are the elements' names in order, ``all`` their attributes."""

    def __init__(self, content: str) -> None:
        super().__init__(convert_charrefs=True)
        self.names: list[str] = []
        self.all: list[dict[str, str]] = []
        self.ids: list[str] = []
        self.comments: list[str] = []
        self._said: list[str] = []
        self._open: list[str] = []
        self._fields: dict[str, str] = {}
        self._field = ""
        self.feed(content)
        self.close()

    @property
    def text(self) -> str:
        return "".join(self._said)

    def elements(self, name: str) -> list[dict[str, str]]:
        return [attributes for one, attributes in zip(self.names, self.all, strict=True) if one == name]

    def fields(self) -> dict[str, str]:
        """Return what a form would send of its text fields."""
        values = {
            one["name"]: one.get("value", "")
            for one in self.elements("input")
            if one.get("type") is None and "name" in one
        }
        return {**values, **{name: said.removeprefix("\n") for name, said in self._fields.items()}}

    def handle_starttag(self, tag, attrs):
        attributes = {name: value or "" for name, value in attrs}
        self.names.append(tag)
        self.all.append(attributes)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        if tag in _SILENT:
            self._open.append(tag)
        if tag == "textarea":
            self._field = attributes["name"]
            self._fields[self._field] = ""

    def handle_endtag(self, tag):
        if self._open and self._open[-1] == tag:
            self._open.pop()
        if tag == "textarea":
            self._field = ""

    def handle_data(self, data):
        if self._field:
            self._fields[self._field] += data
        if not self._open:
            self._said.append(data)

    def handle_comment(self, data):
        self.comments.append(data)
