#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send.sh - nodometer-send beside an archive that comes, grows, tears, rotates, goes, turns back
. "$(dirname "$0")/lib.sh"
port=$((20000 + $$ % 20000))
taken=$scratch/taken
current=$archive/$host/current

# sends [LINE...]: writes the configuration with these lines in its section [summary]
sends() {
	write_config '[summary]' "destination = 127.0.0.1:$port nowhere.invalid:1" "$@"
}

# file TIME: a new file, of one group or, without TIME, none; the agent links one in like that
file() {
	mkdir -p "$archive/$host"
	printf '%s\n' "\$hpcperfstats 2.3.5" "\$hostname $host" '!vm a,E' '!block b,E' \
		'!nodometer cpu,E bytes,E rows more' >"$archive/$host/new"
	[ -z "${1-}" ] || group "$1" "$archive/$host/new"
	mv "$archive/$host/new" "$current"
}

# group TIME [FILE]
group() {
	printf '\n%s 7,/8\nvm - %s\nblock /dev/x=y %s\n' "$1" "${1%.*}" "${1%.*}" >>"${2:-$current}"
	printf 'nodometer - 1 2 3 4\n' >>"${2:-$current}"
}

launch() {
	"$bin/nodometer-send" --config "$conf" "$@" 2>>"$log" 3>&- &
	sender=$!
	pids="$pids $sender"
}

# What the file has then is the past.
launch_beside_file() {
	launch
	wait_until 10 has_open current
	sleep 0.3
}
# shellcheck disable=SC2010 # links, not names of files
has_open() { ls -l "/proc/$sender/fd" | grep -q "/$1\$"; }

end_sender() { end_program 5 "$sender" "the sender"; }

arrived() { sed -n 's/^tod //p' "$taken" | tr '\n' ' '; }
has_times() { [ "$(arrived)" = "$1 " ]; }
# sent TIME...: all that arrived until now
sent() {
	wait_until 20 has_times "$*" || fail "sent $(arrived), not $*"
}

# refused TEXT [LINE...]: with these lines of [summary], it ends with status 2 and says so
refused() {
	text=$1
	shift
	write_config '[summary]' "$@"
	expect 2 "$bin/nodometer-send" --config "$conf" 2>"$scratch/said"
	grep -qF -- "$text" "$scratch/said" || fail "not said: $text: $(cat "$scratch/said")"
}

mkdir -p "$scratch"
refused 'destination is not set'
refused 'want HOST:PORT, of IPv6 [ADDRESS]:PORT, 16 of them at most, not "::1:3"' \
	'destination = a:1 ::1:3'
refused 'unknown type "vn"; "nodometer types" lists them' 'destination = a:1' 'types = vm, vn'
refused 'want 1K to 8190' 'destination = a:1' 'packet-size = 9000'
sends
expect 2 "$bin/nodometer-send" --config "$conf" word 2>/dev/null
expect 1 "$bin/nodometer-send" --config "$conf" --once 2>"$scratch/said"
grep -q 'No such file' "$scratch/said" || fail 'no word on an archive that is not there'

receive() {
	"$bin/nodometer-mpxstats" -f flat -p $port -o "$taken" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
}
receive
wait_until 5 test -e "$taken"

# Before the agent; its first groups are new, half of one is none, an unknown name hinders nobody.
launch
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

# Another file, a clock that is set back, another folder.
file
group 1002
sent 1000 1001 1002
group 500
sent 1000 1001 1002 500
rm -rf "${archive:?}/$host"
file 501
sent 1000 1001 1002 500 501

# What was there before is the past; --once sends its last group.
end_sender
group 502
launch_beside_file
group 503
sent 1000 1001 1002 500 501 503
kill -KILL "$sender"
wait "$sender" 2>/dev/null
forget "$sender"
sed -i 's/ nowhere.invalid:1//' "$conf"
expect 0 "$bin/nodometer-send" --config "$conf" --once
sent 1000 1001 1002 500 501 503 503

# By the groups' own times, nine tenths of the interval are enough; one type, under its site.
: >"$taken"
sends 'interval = 10s' 'types = block' 'site = A B'
launch_beside_file
for time in 600 605 609.1 610 620 400; do group $time; done
sent 600 609 620 400
! grep '^vm' "$taken" || fail 'a type that is not wanted'
end_sender

# A day of records, in which the clock was set back, is the past, too.
awk 'BEGIN { for (i = 0; i < 5000; i++) {
	printf "\n%d 7\nvm - 1\nblock - 1\nnodometer - 1 2 3 3\n", 5000 + i * 7919 % 5000
} }' >>"$current"
: >"$taken"
sends
launch_beside_file

# An address of its own, not the one that the sender is connected to.
listens() {
	cat /proc/net/udp /proc/net/udp6 2>/dev/null |
		awk -v port=":$(printf %04X $port)" 'substr($2, length($2) - 4) == port { n++ }
			END { exit !n }'
}

# The receiver goes, and comes back at the same port.
group 700
sent 700
kill -TERM "$receiver"
wait_until 5 gone "$receiver"
forget "$receiver"
for time in 701 702; do	# the answer to the first is known when the second is sent
	group $time
	sleep 0.3
done
wait_until 5 grep -q "127.0.0.1:$port: .*Connection refused" "$log"
receive
wait_until 5 listens
group 703
sent 700 703
end_sender
