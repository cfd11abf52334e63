#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink amqp] and nodometer xrootd --messages with a real RabbitMQ
packages='rabbitmq-server amqp-tools openssl jq'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
grep -q '^#define HAVE_RABBITMQ ' "$bin/config.h" || skip 'built without librabbitmq'
host=n1.example.org
listener=listeners.ssl.1 port=5671
# shellcheck source=../rabbitmq.sh
. "$top/tests/integration/rabbitmq.sh"
broker_start
say 'the broker is up'

sending $host <<X
[sink amqp]
broker = localhost:5671
user = guest
password-file = $scratch/password
ca-file = $scratch/cert.pem
declare = yes
rate = 10000
[sink amqp raw]
broker = localhost:5671
user = guest
password-file = $scratch/password
ca-file = $scratch/cert.pem
routing-key = hpcperfstats
declare = yes
format = raw
rate = 10000
X
cursor_at() { grep -q "^time_us ${1}000000\$" "$scratch/state/$host/amqp"; }

# A new sink gets only records that are written from now on.
sender
wait_until test -e "$scratch/state/$host/amqp" -a -e "$scratch/state/$host/amqp.raw" ||
	die 'the sender saved no cursor'
stop "$sender"

# The sink sends no password to a broker whose certificate is not trusted, and reports this.
sed "s|^ca-file.*|ca-file = $scratch/other.pem|" "$conf" >"$scratch/distrusts"
records 1 30 >>"$raw"
timeout 20 "$bin/nodometer-send" --config "$scratch/distrusts" --once 2>"$scratch/log" &&
	fail 'a broker that is not trusted gets records'
grep -qi 'localhost:5671: .*\(verif\|certif\|ssl\)' "$scratch/log" ||
	fail "of a certificate: $(cat "$scratch/log")"

# All records arrive, although the broker and the sender are killed, and some messages are consumed
# before.
sender
wait_until cursor_at $((1700000000 + 600 * 29)) ||
	die "no records: $(tail -n 3 "$scratch/send.log")"
at amqp-consume -q nodometer -c 7 -- sh -c 'cat; echo' >"$scratch/lines" ||
	fail 'the queue gives none'
broker_kill
records 31 60 >>"$raw"
sleep 1
# shellcheck disable=SC2046 # numbers: the process of the sink
kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
records 61 90 >>"$raw"
sender
broker_start
# The sink doubles its wait after each failure: the wait is half a minute if the broker takes that
# long to start.
wait_times 6 cursor_at $((1700000000 + 600 * 89)) ||
	die "after the outage: $(tail -n 3 "$scratch/send.log")"
take_all nodometer "$scratch/lines"
jq -r 'select(.type == "cpu") | "\(.time) \(.value[0]) \(.value[1])"' "$scratch/lines" |
	sort -u >"$scratch/got"
for i in $(seq 1 89); do echo "$((1700000000 + 600 * i)) $i $((i * 2))"; done >"$scratch/want"
cmp "$scratch/want" "$scratch/got" || fail "$(diff "$scratch/want" "$scratch/got" | head -n 4)"
say "$(wc -l <"$scratch/got") records, in $(jq -c 'select(.type == "cpu")' "$scratch/lines" |
	wc -l) messages"

# A broker that is short of memory stops reading. The sink reports this, and nothing is lost.
ctl() { rabbit_ctl "$@" >"$scratch/log" 2>&1; }
ctl set_vm_memory_high_watermark absolute 1024 || fail "no alarm: $(cat "$scratch/log")"
records 91 110 >>"$raw"
says_blocked() { "$bin/nodometer" status --config "$conf" 2>"$scratch/err" | grep -q 'fails: '; }
wait_times 2 says_blocked ||
	fail 'a broker that reads nothing is not said'
ctl set_vm_memory_high_watermark 0.4 || fail "the alarm stays: $(cat "$scratch/log")"
last=$((1700000000 + 600 * 109))
wait_times 2 cursor_at $last ||
	fail "after the alarm: $(tail -n 3 "$scratch/send.log")"
rm "$scratch/lines"
take_all nodometer "$scratch/lines"
for i in $(seq 90 109); do
	grep -q "\"time\":$((1700000000 + 600 * i)),.*\"type\":\"cpu\"" "$scratch/lines" ||
		fail "record $i is lost"
done
say 'an alarm of the broker is over'
grep -q "^time_us $last" "$scratch/state/$host/amqp.raw" ||
	wait_until grep -q "^time_us $last" "$scratch/state/$host/amqp.raw" ||
	fail 'raw text is late'

# The sink uses an existing queue as it is: to declare a quorum queue with another type would fail.
ctl eval 'rabbit_amqqueue:declare(rabbit_misc:r(<<"/">>, queue, <<"quorum">>), true, false,
	[{<<"x-queue-type">>, longstr, <<"quorum">>}], none, <<"test">>).' ||
	fail "no quorum queue: $(cat "$scratch/log")"
sed -n '/^\[sink amqp\]/,/^declare/p' "$conf" | sed 's/^declare.*/routing-key = quorum/' \
	>"$scratch/section"
{
	sed '/^\[sink/,$d' "$conf" | sed "s|$scratch/state|$scratch/state.quorum|"
	cat "$scratch/section"
	echo 'declare = yes'
} >"$scratch/quorum"
"$bin/nodometer-send" --config "$scratch/quorum" --once 2>"$scratch/err" ||
	fail "a quorum queue: $(cat "$scratch/err")"
has_message() { ctl list_queues name messages && grep -q '^quorum[[:space:]]*1$' "$scratch/log"; }
wait_until has_message || fail "the quorum queue has nothing: $(cat "$scratch/log")"

# When the password file is replaced, as for tokens, the sink connects again with the new password,
# and then closes the old connection.
connections() { ctl list_connections pid && sort "$scratch/log"; }
before=$(connections)
ctl change_password guest renewed || fail "no other password: $(cat "$scratch/log")"
echo renewed >"$scratch/password"
records 111 113 >>"$raw"
last=$((1700000000 + 600 * 112))
wait_times 2 cursor_at $last &&
	wait_until grep -q "^time_us $last" "$scratch/state/$host/amqp.raw" ||
	fail "with another password: $(tail -n 3 "$scratch/send.log")"
[ -n "$before" ] && [ "$(connections)" != "$before" ] || fail "the same connections: $before"
ctl change_password guest guest || fail "not the first password: $(cat "$scratch/log")"
stop "$sender"

# Messages of format raw are as hpcperfstats' consumer expects: header lines begin with "$", other
# lines have the host as third word.
mkdir "$scratch/texts"
# shellcheck disable=SC2016 # the inner shell expands it
take_all hpcperfstats "$scratch/texts" sh -c 'cat >"$0/$(date +%s%N)"' "$scratch/texts"
for message in "$scratch/texts"/*; do
	if [ "$(head -c 1 "$message")" = '$' ]; then
		[ "$(sed -n 2p "$message")" = "\$hostname $host" ] ||
			fail "header: $(head -n 2 "$message")"
	else
		[ "$(awk 'NF { print $3; exit }' "$message")" = $host ] ||
			fail "host: $(cat "$message")"
	fi
	cat "$message"
done >"$scratch/raw.joined"
[ "$(head -c 14 "$scratch/raw.joined")" = '$hpcperfstats ' ] ||
	fail 'the first message is no header'
"$bin/nodometer" check "$scratch/raw.joined" >"$scratch/log" || fail "$(cat "$scratch/log")"
for i in $(seq 1 112); do echo "$((1700000000 + 600 * i)) $i $((i * 2))"; done >"$scratch/want"
awk '/^[0-9]/ { t = $1 } /^cpu 0 / { print t, $3, $4 }' "$scratch/raw.joined" |
	sort -u >"$scratch/got"
cmp "$scratch/want" "$scratch/got" || fail "raw: $(diff "$scratch/want" "$scratch/got" | head -n 4)"
say "$(find "$scratch/texts" -type f | wc -l) messages of raw text are a whole raw file"

# nodometer xrootd takes the shoveler's messages from a queue, and continues after a restart.
capture=$top/tests/tracers/s2_io_http.dgram
perl "$top/tests/tracers/shovel.pl" <"$capture" >"$scratch/messages" || die 'no messages'
at amqp-declare-queue -q xrootd -d >"$scratch/log" || fail "no queue: $(cat "$scratch/log")"
at amqp-publish -l -p -r xrootd <"$scratch/messages" || fail 'not published'
n=$(wc -l <"$scratch/messages")
# from_queue MESSAGES OPTION...: let nodometer xrootd read MESSAGES messages of the queue
from_queue()
{
	count=$1
	shift
	at amqp-consume -q xrootd -c "$count" -p 10 -- sh -c 'cat; echo' |
		"$bin/nodometer-xrootd" --messages -o "$scratch/transfers" "$@" 2>>"$scratch/log"
}
from_queue 44
[ -s "$scratch/transfers.state" ] || fail 'no state after the first half of the queue'
from_queue $((n - 44)) --final
"$bin/nodometer-xrootd" --read "$capture" 2>>"$scratch/log" | jq -cS . | sort >"$scratch/want"
jq -cS . "$scratch/transfers" | sort >"$scratch/got"
[ -s "$scratch/want" ] && cmp "$scratch/want" "$scratch/got" ||
	fail "by the queue: $(diff "$scratch/want" "$scratch/got" | head -n 4)"
say "$n messages, $(wc -l <"$scratch/got") transfers: as from the capture"
finish
