#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_lines.sh - each line of a file reaches a sink once, despite rotations, restarts and a kill
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_CURL' config.h || skip 'built without libcurl'
command -v perl >/dev/null || skip 'no perl'
perl -MIO::Socket::INET -MSocket -e 1 2>/dev/null || skip 'no IO::Socket::INET'
lines=$scratch/lines/transfers.json
port=$(free_port)
mkdir -p "$scratch/lines" "$archive/$host"
: >"$lines"

write_config '[sink xrootd]' 'destination = a:1' "lines = $lines"
expect 1 "$bin/nodometer-send" --check --config "$conf" 2>"$scratch/said"
grep -q '\[sink xrootd\] lines: this sink can send only records' "$scratch/said" ||
	fail "$(cat "$scratch/said")"
write_config '[sink http]' 'url = http://a/' 'runs = yes'
expect 1 "$bin/nodometer-send" --check --config "$conf" 2>"$scratch/said"
grep -q '\[sink http\] runs: \[agent\] summary-dir, the folder' "$scratch/said" ||
	fail "$(cat "$scratch/said")"
write_config '[send]' "state-dir = $scratch/state" '[sink http transfers]' \
	"url = http://127.0.0.1:$port/x" 'compress = no' 'format = jsonl' \
	"lines = $lines"

serve() { keep_posts "$scratch/taken"; }
n=0
more() { for _ in $(seq "$1"); do n=$((n + 1)); echo "{\"n\":$n}"; done >>"$lines"; }
taken() { [ "$(sort -u "$scratch/taken" 2>/dev/null | wc -l)" = "$1" ]; }

echo '{"n":"old"}' >>"$lines"
serve
launch_sender
wait_until 10 test -s "$scratch/state/$host/http.transfers"
more 10
wait_until 20 taken 10
printf '{"n":' >>"$lines"	# half a line is not sent yet
sleep 1
n=11
echo '11}' >>"$lines"
wait_until 20 taken 11

# The file is rotated while the server is down and the sender is killed: the sender still reads the
# old file to its end.
kill "$server"
forget "$server"
more 50
sleep 1
# shellcheck disable=SC2046 # numbers: the process of the sink
kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
forget "$sender"
more 10
mv "$lines" "$lines.1"
more 20
serve
launch_sender
wait_until 30 taken 91
# Rotate the file while the sender runs.
mv "$lines" "$lines.2"
more 30
wait_until 30 taken 121
"$bin/nodometer" --config "$conf" status 2>/dev/null | grep '^sink ' >"$scratch/said"
grep -q 'http transfers: sent up to ' "$scratch/said" || fail "$(cat "$scratch/said")"
end_program 10 "$sender" 'the sender'
sort -u "$scratch/taken" >"$scratch/got"
for i in $(seq $n); do echo "{\"n\":$i}"; done | sort >"$scratch/want"
cp "$scratch/taken" "$scratch/before"
cmp "$scratch/want" "$scratch/got" || fail "$(diff "$scratch/want" "$scratch/got" | head -n 5)"

# Rotate and compress the file several times while no sender runs, as logrotate does.
more 5
rm -f "$lines".?
for k in 3 2 1; do
	mv "$lines" "$lines.$k"
	more 10
done
! grep -q '^#define HAVE_ZLIB' config.h || ! command -v gzip >/dev/null ||
	gzip "$lines.3" "$lines.2"
"$bin/nodometer-send" --config "$conf" --dry-run >"$scratch/said" 2>&1
grep -q ' 35 records wait, .* at rate = 10000$' "$scratch/said" ||
	fail "$(cat "$scratch/said")"

# If the file is truncated before its lines were read, they are reported as lost, even if the file
# has grown again.
launch_sender
wait_until 30 taken $n
: >"$lines"
wait_until 10 grep -q 'transfers.json: the file was truncated after byte' "$log"
more 5
wait_until 10 taken $n
# shellcheck disable=SC2046 # a number: the process of the sink
kill -STOP $(cat "/proc/$sender/task/$sender/children")
: >"$lines"
more 100
# shellcheck disable=SC2046
kill -CONT $(cat "/proc/$sender/task/$sender/children")
wait_until 10 taken $n
is 'reports of truncation' "$(grep -c 'the file was truncated' "$log")" 2
nodometer status >"$scratch/said" 2>/dev/null
grep -q '2 files removed or truncated before' "$scratch/said" || fail "$(cat "$scratch/said")"
end_program 10 "$sender" 'the sender'
cp "$scratch/taken" "$scratch/before"

# If the file is removed, this is reported, even if a longer new file gets its inode. The sender
# then reads the new file from its start.
rm -f "$lines".*
inode=$(stat -c %i "$lines")
: >"$lines"
more 200
is "the inode of another file" "$(stat -c %i "$lines")" "$inode"
launch_sender
wait_until 10 grep -q 'the file that was read last no longer exists under any name' "$log"
wait_until 10 grep -q "{\"n\":$n}" "$scratch/taken"
is "lines of that file" "$(grep -c . "$scratch/taken")" $(($(wc -l <"$scratch/before") + 200))
end_program 10 "$sender" 'the sender'
