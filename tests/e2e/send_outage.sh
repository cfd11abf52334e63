#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_outage.sh - no line is lost while the receiver is down for five rotations and the sender is
# killed
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h || skip 'built without libcurl'
perl -MIO::Socket::INET -e 1 2>/dev/null || skip 'no IO::Socket::INET'
lines=$scratch/lines/transfers.json
port=$(free_port)
all=${LINES_IN_ALL:-100000}
mkdir -p "$scratch/lines" "$archive/$host"
: >"$lines"
write_config '[send]' "state-dir = $scratch/state" '[sink http transfers]' \
	"url = http://127.0.0.1:$port/x" 'compress = no' 'format = jsonl' "lines = $lines"

serve() { keep_posts "$scratch/taken"; }
n=0
more() {
	seq -f '{"n":%.0f}' $((n + 1)) $((n + $1)) >>"$lines"
	n=$((n + $1))
}
got() { [ "$(wc -l 2>/dev/null <"$scratch/taken" || echo 0)" -ge "$1" ]; }

launch_sender
wait_until 10 test -s "$scratch/state/$host/http.transfers"
serve
more $((all / 10))
wait_until 30 got $((all / 20))

# Kill the receiver during a delivery. Then rotate the file five times, as logrotate with
# delaycompress does, and kill the sender after the third rotation.
kill -KILL "$server"
forget "$server"
zlib=$(grep -c '^#define HAVE_ZLIB' config.h)
for turn in 1 2 3 4 5; do
	more $((all / 10))
	for k in 5 4 3 2 1; do
		for suffix in '' .gz; do
			[ ! -e "$lines.$k$suffix" ] ||
				mv "$lines.$k$suffix" "$lines.$((k + 1))$suffix"
		done
	done
	mv "$lines" "$lines.1"
	: >"$lines"
	[ "$zlib" = 0 ] || [ ! -e "$lines.2" ] || gzip "$lines.2"
	[ $turn != 3 ] || { kill_sender; launch_sender; }
	sleep 1
done

# nodometer status shows the backlog while the receiver is down.
waits() {
	nodometer status 2>/dev/null | grep -q 'http transfers: .*bytes of lines wait'
}
wait_until 60 waits

# Start the receiver and the sender again, and kill the sender once more while it sends the backlog.
more $((all / 10))
kill_sender
before=$(wc -l <"$scratch/taken")
serve
launch_sender
wait_until 60 got $((before + all / 5))
kill_sender
launch_sender
more $((all - n))
wait_until 100 grep -qs "{\"n\":$all}" "$scratch/taken"
! waits || wait_until 10 eval '! waits'
end_program 10 "$sender" 'the sender'

# No line is lost, no part of a line arrives, and lines arrive in the order of the file, apart from
# repeated lines.
awk -v all="$all" '
	$0 !~ /^[{]"n":[0-9]+[}]$/ { print "no whole line: " $0; bad = 1; next }
	{
		v = substr($0, 6) + 0
		if (v in seen) {
			repeated++
			next
		}
		if (v < last) {
			print v " came first after " last
			bad = 1
		}
		seen[v] = 1
		last = v
		n++
	}
	END {
		print all - n " of " all " lines lost, " repeated + 0 " repeated"
		exit bad || n != all
	}' "$scratch/taken" >"$scratch/counts" || fail "$(cat "$scratch/counts")"
cat "$scratch/counts" >&3
! grep 'are lost to the sink' "$log" || fail 'the sender reports a loss'

# Lines may arrive twice, but the sender repeats only batches without an answer: one after each of
# three kills.
repeated=$(sed -n 's/.* lost, \([0-9]*\) repeated/\1/p' "$scratch/counts")
[ "$repeated" -le $((all * 3 / 10)) ] || fail "$repeated of $all lines were sent more than once"
