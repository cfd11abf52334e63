#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_http.sh - an HTTP server gets all records but those that it refuses, even if the sender is
# killed
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h || skip 'built without libcurl'
command -v perl >/dev/null || skip 'no perl'
perl -MIO::Socket::INET -MSocket -MTime::HiRes -e 1 2>/dev/null || skip 'no IO::Socket::INET'
port=$(free_port)
taken=$scratch/taken
cursor=$scratch/state/$host/http
mkdir -p "$scratch"

# seven_marks WORD: kill the sender, then write seven marks that begin with WORD
seven_marks() {
	kill_sender
	for i in 1 2 3 4 5 6 7; do expect 0 nodometer mark "$1 $i"; done
}
# launch_refused EXPRESSION: start a sender; the server refuses requests with a record that matches
# EXPRESSION
launch_refused() {
	echo "$1" >"$taken.refused"
	: >"$taken.answers"
	launch_sender
}
# arrived: print the times of the records that arrived; written: print the times of the records in
# the archive
arrived() { sed -n 's/^{"time":\([0-9.]*\),.*/\1/p' "$taken" 2>/dev/null | sort -u; }
written() { raw_text | sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' | sort -u; }
all_arrived() { [ "$(arrived)" = "$(written)" ]; }

keep_posts "$taken"

# Start the sender before the agent, and kill it before it sees an archive.
write_config '[send]' "state-dir = $scratch/state" '[sink http]' "url = http://127.0.0.1:$port/x" \
	'compress = no' 'format = jsonl' 'types = vm ps' 'drop = ps vm.pgfault' \
	'rate = 100000'
launch_sender
wait_until 10 grep -q 'waiting for it' "$log"
wait_until 10 test -s "$cursor"
kill_sender
start_agent
for i in 1 2 3; do expect 0 nodometer mark "early $i"; done
launch_sender
wait_until 20 all_arrived
[ "$(arrived | wc -l)" -ge 4 ] || fail "records: $(arrived)"

# The server refuses one of about eight records: the sender finds it by bisection and skips it;
# status shows the reason.
seven_marks late
bad=$(written | tail -n 4 | head -n 1)
launch_refused "\"time\":$bad,"
all_but_bad() { [ "$(arrived)" = "$(written | grep -vxF "$bad")" ]; }
wait_until 20 all_but_bad
wait_until 10 grep -qx 'refused 1' "$cursor"
answers() { grep -cx "$1" "$taken.answers"; }
# Bisection needs 2 * log2(n) + 1 requests; n is at most 16 records here.
[ "$(grep -c . "$taken.answers")" -le 9 ] || fail "$(sort "$taken.answers" | uniq -c)"
says() { nodometer status 2>/dev/null | grep -q "^sink  *http: .*$1"; }
says ' 1 records refused, refuses: http.* answers 400 out of bounds$' ||
	fail "status: $(nodometer status 2>&1)"
expect 1 nodometer status --check >"$scratch/said"
grep -q 'WARNING - sink http refuses [0-9.]* % of the records: .*out of bounds' "$scratch/said" ||
	fail "--check: $(cat "$scratch/said")"

# If the server refuses all records, the sender skips none of them soon, and does not flood the
# server.
rm "$taken.refused"
expect 0 nodometer mark good
wait_until 20 all_but_bad
good() { nodometer status --check >"$scratch/said" 2>&1; }
wait_until 10 good
before=$(grep -E '^(time_us|success_us|groups|offset|refused) ' "$cursor")
echo . >"$taken.refused"
: >"$taken.answers"
expect 0 nodometer mark held
wait_until 10 says 'refuses: http.* answers 400 out of bounds$'
sleep 2
expect 1 nodometer status --check >"$scratch/said"
grep -q 'http refuses 100.0 % of the records: ' "$scratch/said" || fail "$(cat "$scratch/said")"
is 'the cursor' "$(grep -E '^(time_us|success_us|groups|offset|refused) ' "$cursor")" "$before"
[ "$(answers 400)" -le 8 ] || fail "$(answers 400) requests in seconds"
rm "$taken.refused"
wait_until 20 all_but_bad
wait_until 10 good

# If the server accepts the first record and refuses the six others, the sender skips these one by
# one.
seven_marks last
first=$(written | tail -n 7 | head -n 1)
launch_refused "\"time\":(?!$first,)"
wait_until 20 grep -qx 'refused 7' "$cursor"
arrived | grep -qxF "$first" || fail "a good record before bad ones is left out"
[ "$(grep -c . "$taken.answers")" -le 11 ] || fail "$(sort "$taken.answers" | uniq -c)"

# The sender leaves a busy server alone for the time that the server asks for, 4 s, which is longer
# than the first backoff.
rm "$taken.refused"
echo 4 >"$taken.busy"
: >"$taken.times"
: >"$taken.answers"
expect 0 nodometer mark busy
wait_until 20 grep -qx 204 "$taken.answers"
is 'answers' "$(tr '\n' ' ' <"$taken.answers")" '503 204 '
awk 'NR > 1 && $1 < before + 4 { exit 1 } { before = $1 }' "$taken.times" ||
	fail "the receiver is not left alone: $(cat "$taken.times")"

# Types and keys in "drop" never arrive.
grep -q '"type":"vm".*"pgmajfault"' "$taken" || fail 'no type vm'
grep -n '"type":"ps"\|"pgfault"' "$taken" && fail 'came, though it is dropped'

# The syntax of "headers" is checked before anything is sent.
sed 's/^format = jsonl/&\nheaders = X-Scope-OrgID:hpc/' "$conf" >"$scratch/wrong.conf"
expect 1 "$bin/nodometer-send" --check --config "$scratch/wrong.conf" >"$scratch/said" 2>&1
grep -q 'headers = X-Scope-OrgID:hpc: expected NAME=VALUE' "$scratch/said" ||
	fail "$(cat "$scratch/said")"
