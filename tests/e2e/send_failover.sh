#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_failover.sh - with two receivers, each record arrives as long as one of them runs
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h || skip 'built without libcurl'
perl -MIO::Socket::INET -MSocket -MTime::HiRes -e 1 2>/dev/null || skip 'no IO::Socket::INET'
one=$scratch/one two=$scratch/two
mkdir -p "$scratch"
first=$(free_port)
second=$(free_port)
port=$first
keep_posts "$one"
server_one=$server
port=$second
keep_posts "$two"
server_two=$server

sent_times() { sed -n 's/^{"time":\([0-9.]*\),.*/\1/p' "$@" 2>/dev/null | sort -u; }
written() { raw_text | sed -n 's/^\([0-9][0-9.]*\) .*/\1/p' | sort -u; }
all_arrived() { [ "$(sent_times "$one" "$two")" = "$(written)" ]; }
marks() { for i in 1 2 3; do expect 0 nodometer mark "$1 $i"; done; }
end_server() {
	kill "$1"
	wait "$1" 2>/dev/null
}
shows() { nodometer status 2>/dev/null | grep -q "^sink  *http: .*, uses URL $1, $2 failovers"; }

write_config '[send]' "state-dir = $scratch/state" '[sink http]' \
	"url = http://127.0.0.1:$first/x http://127.0.0.1:$second/x" 'compress = no' \
	'format = jsonl' 'types = vm ps' 'rate = 100000'
launch_sender
wait_until 10 test -s "$scratch/state/$host/http"
start_agent
marks early
wait_until 20 all_arrived
[ -s "$one" ] || fail 'the first receiver got nothing'
[ -s "$two" ] && fail 'the second receiver got records, though the first one runs'
wait_until 10 shows 1 0

# The first receiver ends: the second one gets all further records.
end_server "$server_one"
marks alone
wait_until 20 all_arrived
[ -s "$two" ] || fail 'the second receiver got nothing'
wait_until 10 shows 2 1
said="\[sink http\] http://127.0.0.1:$first/x: .*; records now go to http://127.0.0.1:$second/x"
grep -q "$said" "$log" || fail "log: $(cat "$log")"
is 'failures' "$(grep -c 'retrying' "$log")" 0

# While no receiver runs, records wait. When the first receiver starts again, it gets all of them.
end_server "$server_two"
before=$(sent_times "$one")
marks waiting
retry_is_logged() { grep -q 'retrying' "$log"; }
wait_until 20 retry_is_logged
port=$first
keep_posts "$one"
wait_until 60 all_arrived
[ "$(sent_times "$one")" = "$before" ] && fail 'the first receiver got nothing of what waited'
wait_until 10 shows 1 2
