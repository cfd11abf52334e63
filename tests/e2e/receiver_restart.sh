#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# receiver_restart.sh - a restart of nodometer xrootd loses no open access, no sum, and no message
# of the shoveler
. "$(dirname "$0")/receiver_lib.sh"
. "$srcdir/tests/e2e/lib_clock.sh"

# After a restart, open accesses continue, and no access is reported twice.
if command -v jq >/dev/null; then
	expect 0 nodometer xrootd --read "$s2" 2>>"$log" |
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

# Kill a receiver that has written ends of accesses since it last saved its state: the next receiver
# does not write these ends again, and counts no losses. To save the state, which happens once a
# minute, set the clock ahead.
if command -v jq >/dev/null && make_clock_shim; then
	LD_PRELOAD=$scratch/clock.so CLOCK_OFFSET=$scratch/offset receive -o "$scratch/killed"
	wait_until 60 bound "$port"
	play 0 44
	wait_until 60 more_than 7 "$scratch/killed"
	set_clock 61
	wait_until 60 test -s "$scratch/killed.state"
	play 44 60
	wait_until 60 more_than 15 "$scratch/killed"
	kill -KILL "$receiver"
	wait "$receiver" 2>/dev/null
	receive -o "$scratch/killed" --final
	wait_until 60 bound "$port"
	play 60 1000
	end_receiver
	contains log 'killed has the ends of [1-9]'
	is 'accesses' "$(wc -l <"$scratch/killed")" "$(wc -l <"$scratch/want")"
	tail -n 1 "$log" | grep -q ' 0 lost,' || fail "losses: $(tail -n 1 "$log")"
fi

# Sums in a folder are the same with and without a restart of the receiver.
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

# The receiver reads messages of the shoveler as they arrive. On SIGTERM, it still reads everything
# that is in the pipe.
mkfifo "$scratch/pipe"
perl "$srcdir/tests/tracers/shovel.pl" <"$s2" \
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
	tail -n 1 "$log" | grep -q 'standard input: 1 of 41 lines are not messages' ||
		fail "$(tail -n 2 "$log")"
fi
expect 2 nodometer xrootd --messages --read "$s2" 2>"$scratch/said"

# When a broker gives 10000 messages and then waits, the receiver saves its state and acknowledges
# the messages at once, not only after a minute.
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

	# Only 10 messages are not acknowledged before the state is saved, a minute later.
	sed -i 's/10000$/10/' "$scratch/queue/nodometer-xrootd-queue"
	: >"$scratch/acknowledged"
	: >"$log"
	"$scratch/queue/nodometer-xrootd" --messages amqps://guest@localhost --queue q \
		--ca-file "$conf" --password-file "$scratch/password" -o "$scratch/few" \
		2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
	began=$(date +%s)
	tells_all() {
		kill -USR1 "$receiver" && log_says ': 10 datagrams, '
	}
	wait_until 60 eval 'of "$receiver" SigCgt | grep -q "[2367abef]..\$"'
	wait_until 60 tells_all
	[ ! -s "$scratch/acknowledged" ] || [ $(($(date +%s) - began)) -gt 50 ] ||
		fail 'messages are acknowledged before the state is saved'
	end_receiver
	is 'messages acknowledged' "$(tail -n 1 "$scratch/acknowledged")" 10
fi
