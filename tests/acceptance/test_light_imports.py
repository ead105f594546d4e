"""What a test suite imports from us needs nothing but the standard library. For the commands see tests/test_imports.py."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from .samples import ROOT

PROGRAM = """
import json, pkgutil, importlib, sys
sys.path.insert(0, sys.argv[1])
package = importlib.import_module(sys.argv[2])
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    importlib.import_module(module.name)
print(json.dumps(sorted(sys.modules)))
"""
ALLOWED = ("extractor", "extractor.version", "extractor.errors", "extractor.model", "extractor.replay")


@pytest.mark.parametrize("package", ["extractor.replay", "extractor.model"])
def test_replay_and_model_load_where_nothing_is_installed(package):
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROGRAM, str(ROOT), package], capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    ours = [name for name in loaded if name.partition(".")[0] == "extractor"]
    # zoneinfo asks how the interpreter was built; that module bears the platform in its name.
    own = {name for name in loaded if name.startswith("_sysconfigdata_")}
    assert {name.partition(".")[0] for name in loaded} <= sys.stdlib_module_names | own | {"__main__", "extractor"}
    assert [
        name for name in ours if not (name in ALLOWED or name.startswith(("extractor.model.", "extractor.replay.")))
    ] == []
