#!/usr/bin/env bash
# A sample incident becomes a case in a temporary folder. usage: docs/demo.sh [path of extract-fixture]
set -euo pipefail
cd "$(dirname "$0")/.."
tool=${1:-extract-fixture}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export EXTRACT_FIXTURE_KEY_FILE=$folder/workspace.key
"$tool" key new --out "$EXTRACT_FIXTURE_KEY_FILE" --quiet

echo '$ extract-fixture inspect sample_traces/exports/refund-timeout.otlp.jsonl --errors'
"$tool" inspect sample_traces/exports/refund-timeout.otlp.jsonl --errors

cat <<'EOF'

$ extract-fixture --trace-id 6d383010 sample_traces/exports/refund-timeout.otlp.jsonl \
    --incident INC-2041 \
    --failure "After both attempts timed out, the agent said that the refund had been completed." \
    --prohibit "the refund has been completed" \
    --evidence-needed "A result of refund.create with status completed." \
    --claim "has been completed" --unless "has not confirmed it yet" \
    --out fixtures
EOF
"$tool" --trace-id 6d383010 sample_traces/exports/refund-timeout.otlp.jsonl \
  --incident INC-2041 \
  --failure "After both attempts timed out, the agent said that the refund had been completed." \
  --prohibit "the refund has been completed" \
  --evidence-needed "A result of refund.create with status completed." \
  --claim "has been completed" --unless "has not confirmed it yet" \
  --out "$folder/fixtures" | sed "s#$folder/##"
case=$(echo "$folder"/fixtures/quarantine/2*)

echo
echo "\$ extract-fixture validate ${case#"$folder"/}"
"$tool" validate "$case"

echo
echo "\$ extract-fixture show ${case#"$folder"/}"
"$tool" show "$case" | sed "s#$folder/##"

cat <<'EOF'

The folder of this demo is gone again. Go on with docs/tutorial.md, or with a trace of your own, once the command is on the path:
  export PATH="$PWD/.venv/bin:$PATH"
EOF
