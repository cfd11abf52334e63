#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# receiver.sh - nodometer xrootd on a port limits the size of its archive
. "$(dirname "$0")/lib.sh"
port=$(free_port)
captured=$srcdir/tests/tracers/frm.dgram

# keep: read a capture and write sums to the archive
keep() {
	expect 0 nodometer xrootd --read "$captured" --raw -o "$archive/" 2>>"$log"
}

receive() {
	"$bin/nodometer-xrootd" -p "$port" --bind 127.0.0.1 "$@" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
}

end_receiver() { end_program 60 "$receiver" "the receiver"; }

zstd=$(grep -c '^#define HAVE_ZSTD' config.h)	# else closed files stay as they are
# more_than LINES FILE: FILE has more than LINES lines
more_than() { [ "$(wc -l <"$2")" -gt "$1" ]; }

packed() { [ "$zstd" = 0 ] || { [ -f "$folder/$1.zst" ] && [ ! -f "$folder/$1" ]; }; }
removed() { [ ! -e "$folder/$1" ] && [ ! -e "$folder/$1.zst" ]; }

mkdir -p "$scratch"
for_receivers "$scratch"
keep
folder=$(echo "$archive"/*)
for name in 1600000000 1600100000; do
	cp -p "$folder/current" "$folder/$name"
done
touch -d '3 days ago' "$folder/1600000000"

# A reader of a capture removes nothing; a receiver removes and compresses files.
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
grep -q -- '--retain-days 1d: not a number from 0 to 36500' "$scratch/said" ||
	fail "said: $(cat "$scratch/said")"

# An existing file is continued, with only one line of names.
for _ in 1 2; do
	expect 0 nodometer xrootd --read "$captured" --events --csv -o "$scratch/csv" 2>>"$log"
done
is 'lines of names' "$(grep -c '^time,start,' "$scratch/csv")" 1

# logrotate renames the file, and a new file is continued.
server_says() {	# who it is: of 64 bytes, started at 1
	perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		send($s, "=\0\0\100\0\0\0\1\0\0\0\0vm.1:2\@h\n" .
			"&pgm=xrootd&ver=5.5&inst=a&port=1094&site=X", 0,
			pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) == 64 or die' "$port" ||
		fail 'no datagram'
}
rotated() { [ -e "$scratch/$1" ]; }
for mode in '--events --csv' --raw; do
	rm -f "$scratch/out" "$scratch/out.1"
	# shellcheck disable=SC2086 # words
	receive $mode --final -o "$scratch/out"
	wait_until 60 rotated out
	wait_until 60 bound "$port"	# opened after the file
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

# logrotate may send SIGHUP as soon as the file exists: a pipe stops the program at this place.
heeds_hangup() {	# the shell did, before it became the program
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

# The receiver logs its health and continues.
told_health() { grep -q 'h:1094: 1 packets, 1 records, 0 lost in 0 gaps, 0 damaged,' "$log"; }
rm -f "$scratch/out"
receive --events --final -o "$scratch/out"
wait_until 60 bound "$port"
server_says
wait_until 60 more_than 0 "$scratch/out"
kill -USR1 "$receiver"
wait_until 60 told_health
server_says
wait_until 60 more_than 1 "$scratch/out"
end_receiver

# A restart: open accesses continue, and nothing is reported twice.
source=$(free_port)
play() {	# FROM TO: these datagrams of the capture
	perl -MSocket -e 'my ($file, $from, $to, $port, $own_port) = @ARGV;
		socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		bind($s, pack_sockaddr_in($own_port, INADDR_LOOPBACK)) or die;
		open(my $f, "<:raw", $file) or die;
		read($f, my $head, 8);
		for (my $i = 0; read($f, $head, 24) == 24; $i++) {
			read($f, my $data, unpack("x16N", $head));
			next if $i < $from || $i >= $to;
			send($s, $data, 0, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die;
			select(undef, undef, undef, 0.001);
		}' "$srcdir/tests/tracers/s2_io_http.dgram" "$1" "$2" "$port" "$source" ||
		fail 'no datagrams'
}
told_of() { jq -cS 'del(.serverID)' "$@" | sort; }
if command -v jq >/dev/null; then
	expect 0 nodometer xrootd --read "$srcdir/tests/tracers/s2_io_http.dgram" 2>>"$log" |
		told_of - >"$scratch/want"
	receive -o "$scratch/transfers"
	wait_until 60 bound "$port"
	play 0 44
	end_receiver
	[ -s "$scratch/transfers.state" ] || fail 'no state'
	receive -o "$scratch/transfers" --final
	wait_until 60 bound "$port"
	play 44 1000
	end_receiver
	told_of "$scratch/transfers" >"$scratch/got"
	cmp -s "$scratch/want" "$scratch/got" ||
		fail "$(diff "$scratch/want" "$scratch/got" | head -n 4)"
	[ ! -e "$scratch/transfers.state" ] || fail 'a state stays after --final'
fi

# Sums in a folder are the same with a restart as without.
state=$scratch/sums/again/.xrootd-state
for step in 'once 0 1000 --final' 'again 0 44' 'again 44 1000 --final'; do
	# shellcheck disable=SC2086 # words
	set -- $step
	name=$1 from=$2 to=$3
	shift 3
	receive --raw -o "$scratch/sums/$name/" "$@"
	wait_until 60 bound "$port"
	play "$from" "$to"
	end_receiver
	[ "$step" != 'again 0 44' ] || [ -s "$state" ] || fail 'no state of sums'
	awk '/^[0-9]/ { rows = "" } /^xrootd/ { rows = rows $0 "\n" } END { printf "%s", rows }' \
		"$scratch/sums/$name"/*/current >"$scratch/sums.$name"
done
[ ! -e "$state" ] || fail 'a state of sums stays after --final'
grep -q '^xrootd vm:23011 22 4 19 22 0 37987657 ' "$scratch/sums.once" ||
	fail "sums: $(cat "$scratch/sums.once")"
cmp -s "$scratch/sums.once" "$scratch/sums.again" ||
	fail "$(diff "$scratch/sums.once" "$scratch/sums.again")"

# Messages of the shoveler are read as they arrive, and all that is in the pipe when the program is
# ended.
mkfifo "$scratch/pipe"
perl "$srcdir/tests/tracers/shovel.pl" <"$srcdir/tests/tracers/s2_io_http.dgram" \
	>"$scratch/messages" || fail 'no messages'
receive_messages() {
	"$bin/nodometer-xrootd" --messages -o "$scratch/shoveled" "$@" <"$scratch/pipe" 2>>"$log" \
		3>&- &
	receiver=$!
	pids="$pids $receiver"
	exec 4>"$scratch/pipe"
}
if command -v jq >/dev/null; then
	receive_messages
	head -n 40 "$scratch/messages" >&4
	wait_until 60 test -s "$scratch/shoveled"
	kill -STOP "$receiver"
	sed -n 41,44p "$scratch/messages" >&4
	kill -TERM "$receiver"
	kill -CONT "$receiver"
	end_receiver
	exec 4>&-
	receive_messages --final
	{ echo rubbish; tail -n +45 "$scratch/messages"; } >&4
	exec 4>&-
	wait "$receiver" || fail "the end of messages: status $?"
	told_of "$scratch/shoveled" >"$scratch/got"
	cmp -s "$scratch/want" "$scratch/got" ||
		fail "$(diff "$scratch/want" "$scratch/got" | head -n 4)"
	tail -n 1 "$log" | grep -q 'standard input: 1 of 41 lines are no messages' ||
		fail "$(tail -n 2 "$log")"
fi
expect 2 nodometer xrootd --messages --read "$captured" 2>"$scratch/said"

# A broker gives 10000 messages and then waits: the state is saved, and the messages are
# acknowledged, without waiting for the next minute.
if grep -q '^#define HAVE_RABBITMQ ' config.h; then
	mkdir "$scratch/queue"
	cp "$bin/nodometer-xrootd" "$scratch/queue"
	cat >"$scratch/queue/nodometer-xrootd-queue" <<-END
		#!/bin/sh
		yes "\$(head -n 1 "$scratch/messages")" 2>/dev/null | head -n 10000
		cat >"$scratch/acknowledged"	# the shell keeps the other end of the messages open
	END
	chmod +x "$scratch/queue/nodometer-xrootd-queue"
	echo secret >"$scratch/password"
	chmod 600 "$scratch/password"
	began=$(date +%s)
	"$scratch/queue/nodometer-xrootd" --messages amqps://guest@localhost --queue q \
		--ca-file "$conf" --password-file "$scratch/password" -o "$scratch/queued" \
		2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
	wait_until 60 grep -qs '000$' "$scratch/acknowledged"
	[ $(($(date +%s) - began)) -lt 50 ] || fail 'messages are acknowledged after a minute'
	end_receiver
	is 'messages acknowledged' "$(tail -n 1 "$scratch/acknowledged")" 10000
fi

# Only allowed networks are received; the socket may be opened before, as by systemd. Losses are
# logged once a minute, however many there are.
losses() { grep -c 'so far .* datagrams were lost' "$log"; }
loses_more() { [ "$(losses)" -gt "$lost" ]; }
rm -f "$scratch/events"
lost=$(losses)
receive --events --allow 127.0.0.2,10.0.0.0/8 -o "$scratch/events"
wait_until 60 bound "$port"
server_says
wait_until 60 loses_more
server_says
sleep 1.2	# the receiver looks for losses each second
end_receiver
[ ! -s "$scratch/events" ] || fail 'a datagram of a stranger is taken'
tail -n 1 "$log" | grep -q ' 2 datagrams refused' || fail "not counted: $(tail -n 1 "$log")"
is 'warnings of losses' $(($(losses) - lost)) 1
expect 2 nodometer xrootd -p "$port" --allow 10.0.0.0/33 2>"$scratch/said"
grep -q -- '--allow 10.0.0.0/33: not a network' "$scratch/said" || fail "$(cat "$scratch/said")"
perl -MSocket -e '$^F = 3; socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
	fileno($s) == 3 && bind($s, pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK)) or die;
	@ENV{"LISTEN_PID", "LISTEN_FDS"} = ($$, 1);
	exec($ARGV[1], "--events", "--buffer", 1024, "-o", $ARGV[2])' \
	"$port" "$bin/nodometer-xrootd" "$scratch/events" 2>>"$log" 3>&- &
receiver=$!
pids="$pids $receiver"
wait_until 60 bound "$port"
server_says
wait_until 60 more_than 0 "$scratch/events"
end_receiver
grep -q "buffer is [0-9]* KB, not 1048576" "$log" || fail 'a small buffer is not said'

# Signals arrive together with datagrams.
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

# ps shows no server's name, and only the named ports are open.
"$bin/nodometer" xrootd -p "$port" -p $((port + 1)) --bind 127.0.0.1 >"$scratch/out" \
	2>>"$log" 3>&- &
receiver=$!
pids="$pids $receiver"
wait_until 60 bound "$port"
is 'its name' "$(tr '\0' ' ' <"/proc/$receiver/cmdline" | cut -d ' ' -f 1)" nodometer-xrootd
port=$((port + 1))
wait_until 60 bound $port
end_receiver

# Names of clients are looked up, if this machine has names.
if name=$(getent hosts 127.0.0.1) && command -v jq >/dev/null; then
	name=$(echo "$name" | awk '{ print $2 }')
	expect 0 nodometer xrootd --read "$srcdir/tests/tracers/s2_io_http.dgram" --names \
		2>>"$log" >"$scratch/named"
	is 'clients without a name' "$(jq -r 'select(.host_ip == "[::ffff:127.0.0.1]" and
		.host != "'"$name"'") | .host' "$scratch/named" | wc -l)" 0
fi
