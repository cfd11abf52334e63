#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# receiver.sh - nodometer xrootd at a port keeps its archive in bounds
. "$(dirname "$0")/lib.sh"
port=$((20000 + $$ % 20000))
captured=$srcdir/tests/tracers/frm.dgram

# keep: a run that reads a capture into the archive
keep() {
	expect 0 nodometer xrootd --read "$captured" --raw -o "$archive/" 2>>"$log"
}

receive() {
	"$bin/nodometer-xrootd" -p $port --bind 127.0.0.1 "$@" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
}

end_receiver() { end_program 10 "$receiver" "the receiver"; }

zstd=$(grep -c '^#define HAVE_ZSTD' config.h)	# else closed files stay as they are
# more_than LINES FILE
more_than() { [ "$(wc -l <"$2")" -gt "$1" ]; }

packed() { [ "$zstd" = 0 ] || { [ -f "$folder/$1.zst" ] && [ ! -f "$folder/$1" ]; }; }
removed() { [ ! -e "$folder/$1" ] && [ ! -e "$folder/$1.zst" ]; }

mkdir -p "$scratch"
keep
folder=$(echo "$archive"/*)
for name in 1600000000 1600100000; do
	cp "$folder/current" "$folder/$name"
done
touch -d '3 days ago' "$folder/1600000000"

# Who reads a capture removes nothing; a receiver does, and packs.
keep
[ -f "$folder/1600000000" ] || fail 'reading a capture tidies'
receive --raw -o "$archive/" --retain-days 2
wait_until 10 packed 1600100000
wait_until 10 removed 1600000000
end_receiver
expect 0 nodometer check "$folder/current" "$folder"/1600100000* >"$scratch/checked"
grep -q "current: whole" "$scratch/checked" || fail "$(cat "$scratch/checked")"

# For ever is for ever.
touch -d '3000 days ago' "$folder"/1600100000*
cp "$folder/current" "$folder/1600200000"
rm "$folder/tidy"
receive --raw -o "$archive/" --retain-days 0
wait_until 10 test -e "$folder/tidy"
wait_until 10 packed 1600200000
end_receiver
removed 1600100000 && fail 'removed, though it is to stay for ever'
expect 2 nodometer xrootd -p $port --retain-days 1d 2>"$scratch/said"
grep -q -- '--retain-days 1d: not a number from 0 to 36500' "$scratch/said" ||
	fail "said: $(cat "$scratch/said")"

# A file that is there is gone on with: one line of names.
for _ in 1 2; do
	expect 0 nodometer xrootd --read "$captured" --events --csv -o "$scratch/csv" 2>>"$log"
done
is 'lines of names' "$(grep -c '^time,start,' "$scratch/csv")" 1

# What logrotate does: the file gets another name, and a new one is gone on with.
server_says() {	# who it is: of 64 bytes, started at 1
	perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		send($s, "=\0\0\100\0\0\0\1\0\0\0\0vm.1:2\@h\n" .
			"&pgm=xrootd&ver=5.5&inst=a&port=1094&site=X", 0,
			pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) == 64 or die' $port ||
		fail 'no datagram'
}
rotated() { [ -e "$scratch/$1" ]; }
for mode in '--events --csv' --raw; do
	rm -f "$scratch/out" "$scratch/out.1"
	# shellcheck disable=SC2086 # words
	receive $mode -o "$scratch/out"
	wait_until 10 rotated out
	server_says
	[ "$mode" = --raw ] || wait_until 10 more_than 1 "$scratch/out"
	mv "$scratch/out" "$scratch/out.1"
	kill -HUP "$receiver"
	wait_until 10 rotated out
	server_says
	[ "$mode" = --raw ] || wait_until 10 more_than 1 "$scratch/out"
	end_receiver
	if [ "$mode" = --raw ]; then
		expect 0 nodometer check "$scratch/out" >"$scratch/checked"
		grep -q '^xrootd_server h:1094 2 ' "$scratch/out" || fail 'sums are lost'
	else
		is 'the first line' "$(head -n 1 "$scratch/out")" "$(head -n 1 "$scratch/out.1")"
		is 'lines' "$(cat "$scratch/out" "$scratch/out.1" | wc -l)" 4
	fi
done
