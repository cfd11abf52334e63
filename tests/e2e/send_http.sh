#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_http.sh - a server gets each record, also of a sender that was killed while it waited
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h || skip 'built without libcurl'
command -v perl >/dev/null || skip 'no perl'
perl -MIO::Socket::INET -MSocket -e 1 2>/dev/null || skip 'no IO::Socket::INET'
port=$((10000 + $$ % 10000))
taken=$scratch/taken
cursor=$scratch/state/$host/http
mkdir -p "$scratch"

launch() {
	"$bin/nodometer-send" --config "$conf" 2>>"$log" 3>&- &
	sender=$!
	pids="$pids $sender"
}
kill_sender() {
	# shellcheck disable=SC2046 # numbers: the processes of sinks
	kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
	wait "$sender" 2>/dev/null
	forget "$sender"
}
# arrived: of the records that arrived; written: of those of the archive
arrived() { sed -n 's/^{"time":\([0-9.]*\),.*/\1/p' "$taken" 2>/dev/null | sort -u; }
written() { raw_text | sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' | sort -u; }
all_arrived() { [ "$(arrived)" = "$(written)" ]; }

perl "$srcdir/tests/e2e/keep_posts.pl" "$port" "$taken" 3>&- &
server=$!
pids="$pids $server"

# Sender and agent are started together, and the sender is killed before it sees an archive.
write_config '[send]' "state-dir = $scratch/state" '[sink http]' "url = http://127.0.0.1:$port/x" \
	'compress = no' 'format = jsonl' 'types = vm' 'rate = 100000'
launch
wait_until 10 grep -q 'waiting for it' "$log"
wait_until 10 test -s "$cursor"
kill_sender
start_agent
for i in 1 2 3; do expect 0 nodometer mark "early $i"; done
launch
wait_until 20 all_arrived
[ "$(arrived | wc -l)" -ge 4 ] || fail "records: $(arrived)"
