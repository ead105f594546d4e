# What `before` in console.toml calls: things that a page takes for granted.

# sample_case NAME: a case of a sample incident in fixtures/, with all that sample_traces/incidents.toml says of it.
sample_case() {
  python - "$1" <<'PYTHON'
import subprocess, sys, tomllib
incident = tomllib.load(open("sample_traces/incidents.toml", "rb"))[sys.argv[1]]
about = {"trace_id", "source", "container", "dialect", "agent"}
words = ["extract-fixture", "--quiet", "--trace-id", incident["trace_id"], "sample_traces/" + incident["source"]]
for name, value in incident.items():
    for one in value if isinstance(value, list) else [value]:
        words += [] if name in about else ["--" + name.replace("_", "-"), one]
sys.exit(subprocess.run(words).returncode)
PYTHON
}

# people: a key to sign with for each of two people.
people() {
  for name in rana ines; do extract-fixture key new --signing --out $name --quiet || return; done
}

# approved: the cases in quarantine are approved by both.
approved() {
  for case in fixtures/quarantine/2*; do
    extract-fixture approve "$case" --role privacy --reviewer "Rana Okafor" --key rana --quiet &&
      extract-fixture approve "$case" --role incident-owner --reviewer "Ines Duarte" --key ines --grade confirmed --quiet || return
  done
}

# replayed: the refund incident, red on its old agent, green on its new one.
replayed() {
  local at=sample_traces.replaying
  extract-fixture replay fixtures/quarantine/2* --entrypoint $at:refund_timeout_buggy --version refund-flow@12 --expect red --quiet &&
    extract-fixture replay fixtures/quarantine/2* --entrypoint $at:refund_timeout_fixed --version refund-flow@13 --quiet
}

# checks_project: the project of docs/checks.md, with a run to reject and its accepted twin.
checks_project() {
  mkdir -p shop artifacts evals/fixtures/refund-wrong evals/fixtures/refund-fixed
  printf '[tool.extract-fixture.checks]\nmodule = "shop.checks"\n' > pyproject.toml
  touch shop/__init__.py
  cat > shop/checks.py <<'PYTHON'
def assert_refund(record, case):
    assert len(record.tool_calls) == 1
    (call,) = record.tool_calls
    assert call.name == "issue_refund"
    assert call.arguments_parsed["amount_cents"] == case.amount_cents
PYTHON
  local folder amount
  for folder in evals/fixtures/*; do
    amount=42; [ "$folder" = evals/fixtures/refund-wrong ] || amount=4200
    printf 'The refund was a hundredth.\n\nThe ticket is INC-1042.\n' > $folder/README.md
    printf 'incident_id: INC-1042\nnow: 2026-06-14T10:00:00Z\ninput: Please refund it.\nexpectations:\n  amount_cents: 4200\n' > $folder/case.yaml
    printf '{"tool_calls": [{"name": "issue_refund", "arguments": {"amount_cents": %s}}], "output": "Done."}\n' $amount > $folder/record.json
  done
  printf 'verdict: reject\nby: assert_refund\nreason: amount_cents\n' > evals/fixtures/refund-wrong/expect.yaml
  printf 'verdict: accept\nby: assert_refund\n' > evals/fixtures/refund-fixed/expect.yaml
}

# own_rules: the example of docs/rules.md as a project's rules, and a value to ask about.
own_rules() {
  mkdir our-rules
  cat > our-rules/team.toml <<'TOML'
[entity]
badge = { form = "id", rank = 50 }

[[rule]]
id = "team.badge"
entity = "badge"
why = "Badges of the staff."
names = ["badge", "*_badge"]
under = ["desk", "visitor"]
shape = '[A-Z]{3}-\d{4}'
matches = ["desk/badge=EMP-1234"]
non_matches = ["badge=EMP-1234", "desk/badge=none"]
TOML
  echo EMP-1234 > value.txt
}
