#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# receiver.sh - nodometer xrootd, receiving on a port, limits the size of its archive and supports
# logrotate
. "$(dirname "$0")/receiver_lib.sh"
captured=$srcdir/tests/tracers/frm.dgram

# keep: read the capture and write sums to the archive
keep() {
	expect 0 nodometer xrootd --read "$captured" --raw -o "$archive/" 2>>"$log"
}

zstd=$(grep -c '^#define HAVE_ZSTD' config.h)	# without zstd, closed files stay plain
packed() { [ "$zstd" = 0 ] || { [ -f "$folder/$1.zst" ] && [ ! -f "$folder/$1" ]; }; }
removed() { [ ! -e "$folder/$1" ] && [ ! -e "$folder/$1.zst" ]; }

keep
log_says ' 0 of summary data, 0 of these not read' || fail "$(tail -n 1 "$log")"
folder=$(echo "$archive"/*)
for name in 1600000000 1600100000; do
	cp -p "$folder/current" "$folder/$name"
done
touch -d '3 days ago' "$folder/1600000000"

# With --read, nodometer xrootd removes no files; as a receiver it removes old files and compresses
# closed ones.
keep
[ -f "$folder/1600000000" ] || fail 'reading a capture tidies'
receive --raw -o "$archive/" --retain-days 2
wait_until 60 packed 1600100000
wait_until 60 removed 1600000000
end_receiver
expect 0 nodometer check "$folder/current" "$folder"/1600100000* >"$scratch/checked"
grep -q "current: whole" "$scratch/checked" || fail "$(cat "$scratch/checked")"

# --retain-days 0 keeps files for ever.
touch -d '3000 days ago' "$folder"/1600100000*
cp -p "$folder/current" "$folder/1600200000"
rm "$folder/tidy"
receive --raw -o "$archive/" --retain-days 0
wait_until 60 test -e "$folder/tidy"
wait_until 60 packed 1600200000
end_receiver
removed 1600100000 && fail 'removed, though it is to stay for ever'
expect 2 nodometer xrootd -p "$port" --retain-days 1d 2>"$scratch/said"
contains said '--retain-days 1d: not a number from 0 to 36500'

# New records are appended to an existing file; column names are written only once.
for _ in 1 2; do
	expect 0 nodometer xrootd --read "$captured" --events --csv -o "$scratch/csv" 2>>"$log"
done
is 'lines of names' "$(grep -c '^time,start,' "$scratch/csv")" 1

# After logrotate renames the file and sends SIGHUP, the receiver continues in a new file.
rotated() { [ -e "$scratch/$1" ]; }
for mode in '--events --csv' --raw; do
	rm -f "$scratch/out" "$scratch/out.1"
	# shellcheck disable=SC2086 # words
	receive $mode --final -o "$scratch/out"
	wait_until 60 rotated out
	wait_until 60 bound "$port"	# the port is opened after the file
	server_says
	[ "$mode" = --raw ] || wait_until 60 more_than 1 "$scratch/out"
	mv "$scratch/out" "$scratch/out.1"
	kill -HUP "$receiver"
	wait_until 60 rotated out
	server_says
	[ "$mode" = --raw ] || wait_until 60 more_than 1 "$scratch/out"
	end_receiver
	if [ "$mode" = --raw ]; then
		expect 0 nodometer check "$scratch/out" >"$scratch/checked"
		grep -q '^xrootd_server h:1094 2 ' "$scratch/out" || fail 'sums are lost'
	else
		is 'the first line' "$(head -n 1 "$scratch/out")" "$(head -n 1 "$scratch/out.1")"
		is 'lines' "$(cat "$scratch/out" "$scratch/out.1" | wc -l)" 4
	fi
done

# logrotate may send SIGHUP as soon as the output file exists, so the program must handle SIGHUP
# already then. The test uses a pipe as the file, because opening the pipe blocks the program at
# this point.
heeds_hangup() {
	readlink "/proc/$receiver/exe" | grep -q "/nodometer-$program\$" &&
		of "$receiver" SigCgt | grep -q '[13579bdf]$'
}
holds_pipe() { [ -n "$(find "/proc/$receiver/fd" -lname "$scratch/held")" ]; }
mkfifo "$scratch/held"
for program in xrootd mpxstats; do
	"$bin/nodometer-$program" -p "$port" -o "$scratch/held" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
	wait_until 60 heeds_hangup
	kill -HUP "$receiver"
	cat "$scratch/held" >"$scratch/read" &
	reader=$!
	pids="$pids $reader"
	wait_until 60 holds_pipe
	wait_until 60 bound "$port"
	end_receiver
	wait "$reader"
	forget "$reader"
done
rm "$scratch/held"

# Signals are handled while datagrams arrive all the time.
rm -f "$scratch/events" "$scratch/events.1"
receive --events -o "$scratch/events"
wait_until 60 bound "$port"
server_says
wait_until 60 more_than 0 "$scratch/events"
flood "$port" "$(printf 'd\001%s' abcdefghijklmnop)"
sleep 0.3
mv "$scratch/events" "$scratch/events.1"
kill -HUP "$receiver"
wait_until 60 test -e "$scratch/events"
end_receiver
end_flood
