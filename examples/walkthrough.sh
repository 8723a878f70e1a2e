#!/usr/bin/env bash
# A walk through the whole API with curl, and a receiver of webhooks that verifies what it is sent.
#
#   CITEWELL_WEBHOOKS__ALLOWED_NETWORKS='["127.0.0.0/8"]' citewell up      (in another terminal)
#   examples/walkthrough.sh
#
# CITEWELL_URL names another server, CITEWELL_API_KEY is sent when it is set, PYTHON is one that has `standardwebhooks`.
set -euo pipefail
url=${CITEWELL_URL:-http://127.0.0.1:8000}
python=${PYTHON:-python3}
port=${RECEIVER_PORT:-8799}
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
receiver=
trap 'test -z "$receiver" || kill "$receiver"; rm -rf "$work"' EXIT

call() { # call METHOD PATH [JSON]: prints the body, fails on an error
  curl --silent --show-error --fail-with-body --request "$1" "$url$2" \
    ${CITEWELL_API_KEY:+--header "Authorization: Bearer $CITEWELL_API_KEY"} \
    ${3:+--header "Content-Type: application/json" --data "$3"}
}
field() { "$python" -c 'import json, sys; print(eval("answer" + sys.argv[1], {"answer": json.load(sys.stdin)}))' "$1"; }
has() { # has NAME FIELDS…: the JSON object on stdin has these fields
  "$python" -c '
import json, sys
answer, name, wanted = json.load(sys.stdin), sys.argv[1], set(sys.argv[2:])
missing = wanted - answer.keys()
sys.exit(f"{name}: no {sorted(missing)} in {sorted(answer)}") if missing else print(f"{name}: {sorted(wanted)}")' "$@"
}
events() { "$python" -c 'import sys; print(*dict.fromkeys(l[7:].strip() for l in sys.stdin if l.startswith("event: ")))'; }

echo "== a document"
document=$(call POST /v1/documents '{"filename": "refund-policy.md", "workspace": "walkthrough",
  "text": "# Refund policy\n\nAll returns must be made within 30 days of the purchase date. A receipt is required for every return. Refunds are paid to the original payment method within 10 business days."}' | field '["id"]')
until test "$(call GET "/v1/documents/$document" | field '["status"]')" = ready; do sleep 0.2; done
echo "$document is ready"

echo "== somebody who wants to be called back"
secret=$(call GET /v1/webhooks/callback-secret | field '["secret"]')
"$python" "$here/webhook_receiver.py" "$port" "$secret" > "$work/received" & receiver=$!
for _ in $(seq 150); do curl --silent --output /dev/null "http://127.0.0.1:$port/" && break; sleep 0.2; done

echo "== submit, poll, stream"
question='"question": "Within how many days must returns be made?", "workspace": "walkthrough"'
query=$(call POST /v1/queries "{$question, \"callback_url\": \"http://127.0.0.1:$port/citewell\"}" | field '["id"]')
echo "events: $(curl --silent --no-buffer --max-time 60 "$url/v1/queries/$query/events" \
  ${CITEWELL_API_KEY:+--header "Authorization: Bearer $CITEWELL_API_KEY"} | events)"
call GET "/v1/queries/$query?wait=30" > "$work/query"
test "$(field '["status"]' < "$work/query")" = succeeded
echo "answer: $(field '["answer"]' < "$work/query")"
has "GET /v1/queries/{id}" answer citations references removed_citations sources verification usage timings < "$work/query"
call GET "/v1/queries/$query/verifications" | has "its history" verifications steps model_calls events
for _ in $(seq 150); do grep --quiet "verified: query.succeeded $query" "$work/received" && break; sleep 0.2; done
grep "$query" "$work/received"
call GET "/v1/queries/$query/deliveries" | has "its deliveries" deliveries

echo "== an answer of another system"
call POST "/v1/verifications?wait=30" '{"question": "When must I return it?",
  "answer": "Returns must be made within 60 days [1]. A receipt is required [1].",
  "sources": [{"title": "Refund policy", "text": "All returns must be made within 30 days of the purchase date. A receipt is required for every return."}]}' \
  | has "POST /v1/verifications" repaired_answer changed sentences citations verification

echo "== the seeds' own endpoints"
call POST /query '{"query": "Is a receipt required?", "workspace": "walkthrough"}' | has "POST /query" answer sources verification
call POST /chat '{"prompt": "Is a receipt required?", "workspace": "walkthrough"}' | has "POST /chat" content model workspace verification
call POST /agent/chat '{"question": "Is a receipt required?", "inference_mode": "balanced", "workspace": "walkthrough"}' \
  | has "POST /agent/chat" answer citations
call POST /agentic/chat '{"question": "Is a receipt required?", "workspace": "walkthrough"}' | has "POST /agentic/chat" answer citations
call POST /multiagent/chat '{"question": "Is a receipt required?", "workspace": "walkthrough"}' | has "POST /multiagent/chat" answer citations
call POST /query/verified '{"question": "Is a receipt required?", "mode": "hybrid", "confidence_threshold": 0.7, "workspace": "walkthrough"}' \
  | has "POST /query/verified" original_answer corrected_answer mode sources removed_citations accuracy_rate verification_log processing_time_ms
call POST /api/verify-citation "{\"document_id\": \"$document\", \"chunk_index\": 0, \"claim_text\": \"Returns must be made within 30 days\",
  \"expected_text_span\": \"All returns must be made within 30 days\"}" \
  | has "POST /api/verify-citation" source_text context confidence_score is_accurate citation issues
call POST /api/query '{"query": "Is a receipt required?", "workspace": "walkthrough"}' \
  | grep '"type": "final"' | cut -c 7- | has "POST /api/query" type data sources citations

echo "== a workspace as a model"
call POST /v1/chat/completions '{"model": "walkthrough", "messages": [{"role": "user", "content": "Is a receipt required?"}]}' \
  | has "POST /v1/chat/completions" id object model choices usage citewell
echo "done"
