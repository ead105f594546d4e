"""``extract-fixture`` and ``python -m extractor``."""

from __future__ import annotations

import sys

from extractor.cli.app import run


def main() -> None:
    """Run the command line and end the process with its exit status."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
