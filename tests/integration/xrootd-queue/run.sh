#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer xrootd --messages amqps:// takes each message of a RabbitMQ queue at least once
packages='rabbitmq-server amqp-tools openssl'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
grep -q '^#define HAVE_RABBITMQ ' "$bin/config.h" || skip 'built without librabbitmq'
listener=listeners.ssl.1 port=5671
# shellcheck source=../rabbitmq.sh
. "$top/tests/integration/rabbitmq.sh"
broker_start
say 'the broker is up'
all=20000
ctl() { rabbit_ctl "$@" 2>>"$scratch/log"; }
depth() { ctl list_queues name "$1" | sed -n 's/^xrootd[[:blank:]]*//p'; }
is_empty() { [ "$(depth messages)" = 0 ]; }

# messages FIRST LAST: print messages of a server: its identification, then opens and closes of
# files FIRST to LAST
messages()
{
	perl -MMIME::Base64 -e '
	my ($first, $last) = @ARGV;
	sub message {
		print "{\"remote\":\"192.0.2.1:1094\",\"version\":\"1.1.2\",\"data\":\"",
			encode_base64($_[0], ""), "\"}\n";
	}
	my $who = "vm.1:2\@h\n&pgm=xrootd&ver=v5.5.3&inst=a&port=1094&site=X";
	message(pack("aCnNN", "=", 0, 12 + length $who, 77, 0) . $who) if $first == 1;
	for my $i ($first .. $last) {
		my $path = "/f$i" . "\0" x (8 - (length($i) + 2) % 4);
		my $all = pack("CCnNQ>N", 1, 3, 20 + length $path, 100 + $i, 5000, 9) . $path .
			pack("CCnNQ>Q>Q>", 0, 0, 32, 100 + $i, 600, 400, 7);
		message(pack("aCnN", "f", ($i - 1) % 256, 32 + length $all, 77) .
			pack("CCnnnNNQ>", 2, 1, 24, 0, 2, 1700000000, 1700000005, 2) . $all);
	}' "$1" "$2"
}
publish() { messages "$1" "$2" | at amqp-publish -l -p -r xrootd || fail 'not published'; }

receive()
{
	background "$bin/nodometer-xrootd" --messages amqps://guest@localhost:5671 --queue xrootd \
		--password-file "$scratch/password" --ca-file "$scratch/cert.pem" \
		-o "$scratch/transfers" 2>>"$scratch/receiver.log"
	receiver=$started
}
lines() { [ ! -e "$scratch/transfers" ] || wc -l <"$scratch/transfers"; }
has_lines() { [ "$(lines || echo 0)" -ge "$1" ] 2>/dev/null; }

# The receiver reports an error that retries cannot cure, and exits.
at amqp-declare-queue -q xrootd -d >"$scratch/log" || fail "no queue: $(cat "$scratch/log")"
timeout 20 "$bin/nodometer-xrootd" --messages amqps://guest@localhost --queue xrootd \
	--password-file "$scratch/password" >"$scratch/said" 2>&1 && fail 'TLS without ca-file'
grep -q 'ca-file is not set: TLS needs' "$scratch/said" || fail "said: $(cat "$scratch/said")"
publish 1 2000

# Lines are written at once, but the receiver acknowledges no message before its state is saved.
receive
wait_times 2 has_lines 100 || die "no lines: $(tail -n 3 "$scratch/receiver.log")"
reader=$(cat "/proc/$receiver/task/$receiver/children")
for p in $receiver $reader; do
	grep -q '^NoNewPrivs:[[:blank:]]*1' "/proc/$p/status" || fail "process $p is not confined"
done
kill -KILL "$receiver"
reader_gone() { [ ! -d "/proc/${reader%% *}" ]; }
wait_until reader_gone || fail 'the reader outlives its receiver'
say "killed after $(lines) lines; the queue still has $(depth messages) messages"
[ "$(depth messages)" = 2001 ] || fail 'messages of a killed receiver are acknowledged'

# A new receiver gets the same messages again. Then the broker is killed and started again.
publish 2001 $((all / 2))
receive
wait_times 2 has_lines $((all / 4)) || die "no lines: $(tail -n 3 "$scratch/receiver.log")"
broker_kill
sleep 1
broker_start
publish $((all / 2 + 1)) $all
last_is_there() { grep -q "\"/f$all\"" "$scratch/transfers"; }
wait_times 4 last_is_there || die "the last is missing: $(tail -n 3 "$scratch/receiver.log")"

# When a receiver ends, it acknowledges all messages.
stop "$receiver"
wait_times 2 is_empty || fail "the queue still has $(depth messages) messages"
grep -o '"filename":"/f[0-9]*"' "$scratch/transfers" | sort | uniq -c >"$scratch/names"
found=$(wc -l <"$scratch/names")
say "$((all - found)) of $all messages lost, $(($(lines) - found)) lines repeated"
[ $(($(lines) - found)) -le $((all / 2)) ] || fail 'too many messages came again'
[ "$found" = $all ] || fail "$((all - found)) of $all messages are lost"
grep -q ' 0 lost,' "$scratch/receiver.log" || fail "losses: $(tail -n 3 "$scratch/receiver.log")"
finish
