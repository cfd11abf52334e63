#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send.sh - nodometer-send and an archive that appears, grows, tears, rotates, disappears, goes back
. "$(dirname "$0")/lib.sh"
has mpxstats || skip 'built without xrootd'
port=$(free_port)
taken=$scratch/taken
current=$archive/$host/current

state=$scratch/state
cursor=$state/$host/xrootd

# sends [LINE...]: write the configuration with these lines in its section [sink xrootd]
sends() {
	write_config '[send]' "state-dir = $state" '[sink xrootd]' \
		"destination = 127.0.0.1:$port nowhere.invalid:1" "$@"
}

# file TIME: make a new file with one group, and link "current" as the agent does
file() {
	mkdir -p "$archive/$host"
	printf '%s\n' "\$hpcperfstats 2.3.5" "\$hostname $host" '!vm a,E' '!block b,E' \
		'!nodometer cpu,E bytes,E rows more' >"$archive/$host/new"
	group "$1" "$archive/$host/new"
	mv "$archive/$host/new" "$archive/$host/${1%.*}"
	ln "$archive/$host/${1%.*}" "$archive/$host/current.new"
	mv "$archive/$host/current.new" "$current"
}

# group TIME [FILE]: append a group
group() {
	printf '\n%s 7,/8\nvm - %s\nblock /dev/x=y %s\n' "$1" "${1%.*}" "${1%.*}" >>"${2:-$current}"
	printf 'nodometer - 1 2 3 4\n' >>"${2:-$current}"
}

# saved TIME: wait until the cursor is after this group
saved() { wait_until 10 grep -q "^time_us ${1}000000\$" "$cursor"; }

end_sender() { end_program 5 "$sender" "the sender"; }

arrived() { sed -n 's/^tod //p' "$taken" | tr '\n' ' '; }
has_times() { [ "$(arrived)" = "$1 " ]; }
# sent TIME...: these records, and no others, have arrived so far
sent() {
	wait_until 20 has_times "$*" || fail "sent $(arrived), not $*"
}

# refused TEXT [LINE...]: with these lines, sender and checks exit with status 2 and this text
refused() {
	text=$1
	shift
	write_config "$@"
	expect 2 "$bin/nodometer-send" --config "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "not said: $text: $(cat "$scratch/said")"
	[ $# -gt 0 ] || return 0
	expect 1 "$bin/nodometer-send" --check --config "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "--check: not said: $text"
	expect 1 "$bin/nodometer" config check "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "config check: not said: $text"
}

mkdir -p "$scratch"
refused 'no section [sink NAME] is there'
refused "$conf:13: [sink xrootd] destination is not set" '[sink xrootd]'
refused 'want HOST:PORT, of IPv6 [ADDRESS]:PORT, 16 of them at most, not "::1:3"' \
	'[sink xrootd]' 'destination = a:1 ::1:3'
refused "$conf:15: types: unknown type \"vn\"; \"nodometer types\" lists them" \
	'[sink xrootd]' 'destination = a:1' 'types = vm, vn'
refused "$conf:15: packet-size = 9000: want 1K to 8190" \
	'[sink xrootd]' 'destination = a:1' 'packet-size = 9000'
refused "$conf:14: unknown key destinatoin in [sink xrootd wlcg]; did you mean destination?" \
	'[sink xrootd wlcg]' 'destinatoin = a:1'
refused "$conf:13: unknown sink xrotd; did you mean [sink xrootd]?" '[sink xrotd]' 'site = a'
refused "$conf:13: [sink xrootd ../x]: want letters, digits, - and _" '[sink xrootd ../x]'
refused "$conf:13: section [summary] is [sink xrootd] now" '[summary]' 'destination = a:1'
refused "$conf:15: drop: unknown type" '[sink http]' 'url = http://localhost/' 'drop = ps vn'
refused "$conf:15: drop: type vm has no key \"pgfaul\"" '[sink http]' 'url = http://localhost/' \
	'drop = ps, vm.pgfaul'
refused "$conf:15: [sink xrootd] drop: this sink leaves out whole types only" '[sink xrootd]' \
	'destination = a:1' 'drop = vm.pgfault'
for key in 'types = vm' 'drop = vm' 'labels = cluster=a' 'interval = 1h'; do
	refused "$conf:15: ${key%% *}: [sink archive] takes files as they are" \
		'[sink archive]' 'dir = /central' "$key"
done
sends
expect 0 "$bin/nodometer" config check "$conf" >"$scratch/said"
grep -qx "$conf: no errors" "$scratch/said" || fail "config check: $(cat "$scratch/said")"
expect 2 "$bin/nodometer-send" --config "$conf" word 2>/dev/null
expect 1 "$bin/nodometer-send" --config "$conf" --once 2>"$scratch/said"
grep -q 'No such file' "$scratch/said" || fail 'no word on an archive that is not there'

receive() {
	"$bin/nodometer-mpxstats" -f flat -p "$port" -o "$taken" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
}
receive
wait_until 5 test -e "$taken"

# The sender starts before the agent. It sends the first groups but not half a group, and continues
# without an address for an unknown name.
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

# The archive gets another file, a clock that is set back, and another folder.
file 1002
sent 1000 1001 1002
group 500
sent 1000 1001 1002 500
# When several files appear at once, this sink catches up and only sends the newest record.
mv "$archive/$host" "$scratch/gone"
file 501
sent 1000 1001 1002 500 501

# Records that were written while the sender was down are not skipped: the newest is sent. --once
# sends the last group.
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

# The status shows waiting records, and --dry-run leaves them waiting.
nodometer status >"$scratch/said" 2>/dev/null
grep -q '^sink  *xrootd: .* 00:08:21, lag [0-9]* s' "$scratch/said" ||
	fail "status without a sender: $(cat "$scratch/said")"
grep -qx 'nodometer-send  *does not run' "$scratch/said" || fail 'a sender that ended runs'
cp "$cursor" "$scratch/cursor"
expect 0 "$bin/nodometer-send" --config "$conf" --dry-run >"$scratch/said"
time='1970-01-01 00:08:22'
is '--dry-run' "$(cat "$scratch/said")" \
	"[sink xrootd] records that wait: 1, of $time to $time; 1 s at rate = 100"
cmp "$cursor" "$scratch/cursor" || fail '--dry-run moved the cursor'
expect 2 "$bin/nodometer-send" --config "$conf" --dry-run --once 2>/dev/null
expect 2 "$bin/nodometer-send" --config "$conf" --audit --once 2>/dev/null
expect 0 "$bin/nodometer-send" --config "$conf" --audit >"$scratch/said"
grep -q '^\[sink xrootd\] only \[sink http\] to ClickHouse can be asked' "$scratch/said" ||
	fail "--audit: $(cat "$scratch/said")"
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

# Intervals are measured by the times of groups, with a tolerance of a tenth; only one type is sent,
# with its site.
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

# A reload applies a good configuration, refuses a bad one, and loses no record.
: >"$taken"
sends
launch_sender
group 630
sent 630
echo 'types = vn' >>"$conf"
kill -s HUP "$sender"
wait_until 5 grep -q 'the configuration stays as it was' "$log"
group 640
sent 630 640
! grep -q 'configuration read again' "$log" || fail 'a wrong configuration is taken'
sends 'types = block'
kill -s HUP "$sender"
wait_until 5 grep -q 'configuration read again: 1 sinks' "$log"
: >"$taken"
group 650
sent 650
! grep '^vm' "$taken" || fail 'the types are as they were before the reload'
expect 0 "$bin/nodometer-send" --config "$conf" --dry-run >"$scratch/said"

# Two senders would deliver each record twice: the second waits for the end of the first.
first=$sender
launch_sender
wait_until 5 grep -q 'another nodometer-send delivers these records' "$log"
end_sender
sender=$first
group 660
sent 650 660
end_sender

# A reload while the root folder is missing is refused, and the sender continues unchanged.
: >"$taken"
: >"$log"
mkdir "$scratch/root"
launch_sender --root "$scratch/root"
group 670
sent 670
mv "$scratch/root" "$scratch/away"
kill -s HUP "$sender"
wait_until 5 grep -q 'the configuration stays as it was' "$log"
grep -q "$scratch/root: No such file" "$log" || fail 'not said why it is refused'
group 680
sent 670 680
mv "$scratch/away" "$scratch/root"
kill -s HUP "$sender"
wait_until 5 grep -q 'configuration read again' "$log"
group 690
sent 670 680 690
end_sender

# Of a day of records, during which the clock was set back, only the last record is sent.
awk 'BEGIN { for (i = 0; i < 5000; i++) {
	printf "\n%d 7\nvm - 1\nblock - 1\nnodometer - 1 2 3 3\n", 5000 + i * 7919 % 5000
} }' >>"$current"
: >"$taken"
sends
launch_sender
sent 7081

# listens: receive on an address of its own, to which the sender is not connected
listens() {
	cat /proc/net/udp /proc/net/udp6 2>/dev/null |
		awk -v port=":$(printf %04X "$port")" 'substr($2, length($2) - 4) == port { n++ }
			END { exit !n }'
}

# The receiver disappears, and returns on the same port.
group 700
sent 7081 700
kill -TERM "$receiver"
wait_until 5 gone "$receiver"
forget "$receiver"
time=701
is_refused() {	# the answer to one is known when the next is sent
	group $time
	time=$((time + 1))
	grep -q "127.0.0.1:$port: .*Connection refused" "$log"
}
wait_until 5 is_refused
receive
wait_until 5 listens
group 9000
is_back() {	# what was refused may be sent again before it
	arrived | grep -Eqx '7081 700 ([0-9]+ )*9000 '
}
wait_until 20 is_back
end_sender

# Two sinks: one hangs and does not delay the other; one dies and is started again.
: >"$taken"
{ echo '[sink xrootd second]'; echo "destination = 127.0.0.1:$port"; } >>"$conf"
child() {	# NAME
	grep -lx "Name:[[:blank:]]*$1" /proc/[0-9]*/status 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|' | while read -r p; do
			! grep -q "^PPid:[[:blank:]]*$sender\$" "/proc/$p/status" || echo "$p"
		done
}
has_child() { [ "$(child "$1")" ]; }
launch_sender
wait_until 10 has_child 'xrootd'
wait_until 10 has_child 'xrootd second'
wait_until 10 test -e "$cursor.second"
second=$(child 'xrootd second')
kill -s STOP "$second"
group 710
sent 710
saved 710
! grep -q '^time_us 710' "$cursor.second" || fail 'a process that is stopped has sent'
kill -s CONT "$second"
sent 710 710
cursor=$cursor.second
saved 710
kill -s KILL "$second"
wait_until 5 grep -q 'xrootd second. its process was ended by signal 9; it is started again' "$log"
end_sender
! kill -0 "$second" 2>/dev/null || fail 'a process is left'

# A reload with an unusable state-dir changes nothing; a reload with a good one takes effect.
cursor=$state/$host/xrootd
: >"$taken"
sends
launch_sender
group 720
sent 720
saved 720
: >"$state/file"
sed -i "s|^state-dir = .*|state-dir = $state/file/state|" "$conf"
kill -s HUP "$sender"
wait_until 10 grep -q "$state/file/state/$host: .*state-dir" "$log"
group 721
sent 720 721
saved 721
sed -i "s|^state-dir = .*|state-dir = $state/other|" "$conf"
kill -s HUP "$sender"
wait_until 10 test -e "$state/other/$host/xrootd"
group 722
cursor=$state/other/$host/xrootd
saved 722
end_sender

# The lag is the age of the oldest record that was not sent, for a sink that starts in the middle of
# a file, at the next file, and without a file.
now=$(date +%s)
rm "$current"
file $((now - 7200))
size=$(($(wc -c <"$current")))
group $((now - 5))
group $((now - 2))
begun() {	# OFFSET
	printf '%s\n' 'nodometer cursor 1' "file $((now - 7200))" "offset $1" end >"$cursor"
	nodometer status >"$scratch/said" 2>/dev/null
}
lags() {
	sed -n 's/^sink  *xrootd: nothing sent yet, lag \([0-9]*\) s.*/\1/p' "$scratch/said"
}
begun "$size"
[ "$(lags)" -ge 5 ] && [ "$(lags)" -lt 3600 ] || fail "a sink that is new: $(cat "$scratch/said")"
begun 9000
is 'the lag of one that has sent all' "$(lags)" 0
file $((now - 1))
begun 9000
[ "$(lags)" -ge 1 ] && [ "$(lags)" -lt 3600 ] || fail "the next file: $(cat "$scratch/said")"
