#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send.sh - nodometer-send copes with an archive that appears, grows, rotates, disappears, has an
# incomplete record group, or a clock that is set back
. "$(dirname "$0")/send_lib.sh"

sends
receive

# The sender starts before the agent. It sends the first record groups, but no incomplete record
# group, and continues although the hostname of one destination is unknown.
launch_sender
wait_until 5 grep -q 'waiting for it' "$log"
file 1000.5
sent 1000
printf '\n1001 -\nvm - 1001\n' >>"$current"
sleep 0.3
sent 1000
printf 'block - 5\nnodometer - 1 2 3 4\n' >>"$current"
sent 1000 1001
grep -qx 'block./dev/x\\075y.b 1000' "$taken" || fail 'a device with an odd name'
grep -qx 'jobs.1.id /8' "$taken" || fail 'the second job'

# The archive gets another file; then its clock is set back; then its folder is replaced.
file 1002
sent 1000 1001 1002
group 500
sent 1000 1001 1002 500
# When several files appear at once, the sink xrootd skips to the end and sends only the newest
# record.
mv "$archive/$host" "$scratch/gone"
file 501
sent 1000 1001 1002 500 501

# After the sender was down, it sends the newest of the records written meanwhile. --once always
# sends the last record group.
saved 501
nodometer status >"$scratch/said" 2>/dev/null
line='xrootd: sent up to 1970-01-01 00:08:21, lag 0 s, .* errors, .*fails: nowhere.invalid:1: '
grep -q "^sink  *$line" "$scratch/said" || fail "status: $(cat "$scratch/said")"
nodometer status --json 2>/dev/null |
	grep -q '"sender":true,"sinks":\[{"name":"xrootd","last":501,"lag":0,"records":' ||
	fail "status --json: $(nodometer status --json 2>/dev/null)"
grep -qx 'nodometer-send  *runs' "$scratch/said" || fail 'the sender does not run'
end_sender
group 502
group 502.5

# nodometer status shows that records wait, and --dry-run neither sends them nor moves the cursor.
nodometer status >"$scratch/said" 2>/dev/null
grep -q '^sink  *xrootd: .* 00:08:21, lag [0-9]* s' "$scratch/said" ||
	fail "status without a sender: $(cat "$scratch/said")"
grep -qx 'nodometer-send  *does not run' "$scratch/said" || fail 'a sender that ended runs'
cp "$cursor" "$scratch/cursor"
expect 0 "$bin/nodometer-send" --config "$conf" --dry-run >"$scratch/said"
time='1970-01-01 00:08:22'
is '--dry-run' "$(cat "$scratch/said")" \
	"[sink xrootd] 1 records wait, from $time to $time; sending them takes 1 s at rate = 100"
cmp "$cursor" "$scratch/cursor" || fail '--dry-run moved the cursor'
expect 2 "$bin/nodometer-send" --config "$conf" --dry-run --once 2>/dev/null
expect 2 "$bin/nodometer-send" --config "$conf" --audit --once 2>/dev/null
expect 0 "$bin/nodometer-send" --config "$conf" --audit >"$scratch/said"
grep -q '^\[sink xrootd\] only a \[sink http\] .*ClickHouse' "$scratch/said" ||
	fail "--audit: $(cat "$scratch/said")"
expect 1 "$bin/nodometer-send" --config "$conf" --audit xrootd >"$scratch/said"
launch_sender
sent 1000 1001 1002 500 501 502
group 503
sent 1000 1001 1002 500 501 502 503
saved 503
kill -KILL "$sender"
wait "$sender" 2>/dev/null
forget "$sender"
sed -i 's/ nowhere.invalid:1//' "$conf"
expect 0 "$bin/nodometer-send" --config "$conf" --once
sent 1000 1001 1002 500 501 502 503 503

# The sink's interval is measured by the times of record groups, with a tolerance of a tenth. Only
# the configured type is sent, with the configured site.
: >"$taken"
sends 'interval = 10s' 'types = block' 'site = A B'
launch_sender
group 590
sent 590
saved 590
for time in 600 605 609.1 610 620 400; do group $time; done
sent 590 600 609 620 400
! grep '^vm' "$taken" || fail 'a type that is not wanted'
end_sender

# When 5000 records wait, among which the clock was set back, only the last record is sent.
awk 'BEGIN { for (i = 0; i < 5000; i++) {
	printf "\n%d 7\nvm - 1\nblock - 1\nnodometer - 1 2 3 3\n", 5000 + i * 7919 % 5000
} }' >>"$current"
: >"$taken"
sends
launch_sender
sent 7081

# listens: succeed if a receiver is bound to $port
listens() {
	cat /proc/net/udp /proc/net/udp6 2>/dev/null |
		awk -v port=":$(printf %04X "$port")" 'substr($2, length($2) - 4) == port { n++ }
			END { exit !n }'
}

# The receiver ends, and another one starts on the same port.
group 700
sent 7081 700
kill -TERM "$receiver"
wait_until 5 gone "$receiver"
forget "$receiver"
time=701
is_refused() {	# the sender learns of a refused packet only when it sends the next one
	group $time
	time=$((time + 1))
	grep -q "127.0.0.1:$port: .*Connection refused" "$log"
}
wait_until 5 is_refused
receive
wait_until 5 listens
group 9000
is_back() {	# refused packets may be sent again before this one
	arrived | grep -Eqx '7081 700 ([0-9]+ )*9000 '
}
wait_until 20 is_back
end_sender
