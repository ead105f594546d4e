"""What `mypy --strict` must refuse; the error that it gives stands beside each line."""

from pathlib import Path

import extractor

KEY = "workspace.key"

extractor.extract("a.jsonl", "6d383010")  # E: call-arg
extractor.extract(trace_id="6d383010", key=KEY)  # E: call-arg
extractor.extract("a.jsonl", trace_id=6, key=KEY)  # E: arg-type
extractor.extract("a.jsonl", trace_id="6d383010", key=b"secret")  # E: arg-type
extractor.extract("a.jsonl", trace_id="6d383010", key=KEY, at_most="40%")  # E: arg-type
extractor.extract("a.jsonl", trace_id="6d383010", key=KEY, colour=True)  # E: call-arg
extractor.redact(b"text", key=KEY)  # E: call-overload
extractor.redact("text", KEY)  # E: call-overload
extractor.redact({"a": {1, 2}}, key=KEY)  # E: dict-item
made = extractor.extract("a.jsonl", trace_id="6d383010", key=KEY)
made.path = Path()  # E: misc
made.proof  # E: attr-defined
whole: bytes = extractor.redact("text", key=KEY).value  # E: assignment
extractor.schemas.load("fixtures")  # E: arg-type
extractor.extrcat  # E: attr-defined
