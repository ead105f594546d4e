"""Record all samples anew: ``python -m sample_traces.make [FOLDER]``. Same bytes on every run."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from sample_traces.recording.loopback import ENVIRONMENT

EXPORTS = Path(__file__).parent / "exports"


def main(folder: Path = EXPORTS) -> None:
    """Write every export below ``folder``."""
    os.environ |= ENVIRONMENT  # the instrumentation reads it when the first client is made
    from sample_traces.duplicate_shipment import record as duplicate_shipment
    from sample_traces.foreign_order_refund import record as foreign_order_refund
    from sample_traces.racing_refund import record as racing_refund
    from sample_traces.recording.otlp import batches, gzipped, json_lines, protobuf, zstd
    from sample_traces.recovery_dst import record as recovery_dst
    from sample_traces.refund_timeout import record as refund_timeout
    from sample_traces.weather import record as weather

    folder.mkdir(parents=True, exist_ok=True)
    refunds = batches(refund_timeout.spans())
    shipments = batches(duplicate_shipment.spans())
    recoveries = batches(recovery_dst.spans())
    foreign = batches(foreign_order_refund.spans())
    racing = batches(racing_refund.spans())
    exports: dict[str, bytes] = {
        "refund-timeout.otlp.jsonl": json_lines(refunds),
        "duplicate-shipment.otlp.jsonl.gz": gzipped(json_lines(shipments)),
        "recovery-dst.otlp.jsonl.zst": zstd(json_lines(recoveries)),
        "foreign-order-refund.otlp.binpb": protobuf(foreign),
        "racing-refund.otlp.jsonl": json_lines(racing),
    }
    for name, content in exports.items():
        (folder / name).write_bytes(content)
        print(f"{len(content):>8,} bytes  {folder / name}")
    seam = folder / "weather.otlp.jsonl"
    weather.record(seam)  # by the seam, which writes its file itself
    seam.chmod(0o644)  # nobody's data
    print(f"{seam.stat().st_size:>8,} bytes  {seam}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
