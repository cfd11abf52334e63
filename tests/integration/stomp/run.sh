#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink stomp] delivers to a real RabbitMQ with its STOMP plugin, with TLS and a login
packages='rabbitmq-server amqp-tools openssl jq python3'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
host=n1.example.org
listener=stomp.listeners.ssl.1 port=61614
# shellcheck source=../rabbitmq.sh
. "$top/tests/integration/rabbitmq.sh"
echo wrong >"$scratch/wrong"
echo '[rabbitmq_stomp].' >"$scratch/plugins"
broker_start
say 'the broker is up'

login="broker = localhost
user = guest
password-file = $scratch/password
ca-file = $scratch/cert.pem
rate = 10000"
: >"$scratch/transfers"
sending $host <<X
[sink stomp]
$login
[sink stomp transfers]
$login
destination = /queue/transfers
lines = $scratch/transfers
X
cursor_at() { grep -q "^time_us ${1}000000\$" "$scratch/state/$host/stomp"; }

# A new sink gets only records that are written from now on.
sender
wait_until test -e "$scratch/state/$host/stomp" || die 'the sender saved no cursor'
stop "$sender"

# refused SED TEXT: with the configuration changed by sed SED, nothing may be sent, and the log must
# have TEXT
refused()
{
	sed "$1" "$conf" >"$scratch/changed"
	timeout 40 "$bin/nodometer-send" --config "$scratch/changed" --once 2>"$scratch/log" &&
		fail "$1: it gets records"
	grep -qi "localhost: .*$2" "$scratch/log" || fail "$1: $(cat "$scratch/log")"
}
records 1 30 >>"$raw"
refused "s|^ca-file.*|ca-file = $scratch/other.pem|" '\(verif\|certif\|ssl\)'
refused "s|^password-file.*|password-file = $scratch/wrong|" 'the broker says: Bad CONNECT'

# The sink must give up a server that sends only newlines, like heartbeats of a broker, after half a
# minute. Other checks run in the meantime.
background python3 "$top/tests/integration/brokers/mute.py" 61700 beats
wait_until listens 61700 || die 'nobody sends newlines'
sed 's/^broker.*/broker = localhost:61700\ntls = no/; /^\[sink stomp transfers\]/,$d' "$conf" \
	>"$scratch/beats"
background timeout 120 "$bin/nodometer-send" --config "$scratch/beats" --once \
	2>"$scratch/beats.log"
beats=$started

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

# XRootD's datagrams arrive unchanged after they were converted to messages of the shoveler and read
# back.
capture=$top/tests/tracers/s2_io_http.dgram
"$bin/nodometer-xrootd" --read "$capture" --shovel "$scratch/shoveled" 2>"$scratch/log" ||
	die "$(cat "$scratch/log")"
cat "$scratch/shoveled" >>"$scratch/transfers"
count() { rabbit_ctl list_queues name messages 2>"$scratch/log"; }
all_there() { count | grep -q "^transfers[[:space:]]$(wc -l <"$scratch/shoveled")\$"; }
wait_until all_there || fail "messages: $(count)"
take_all transfers "$scratch/back"
for of in shoveled back; do
	grep . "$scratch/$of" | "$bin/nodometer-xrootd" --read - 2>"$scratch/log" |
		jq -cS . | sort >"$scratch/$of.lines"
done
[ -s "$scratch/back.lines" ] && cmp "$scratch/shoveled.lines" "$scratch/back.lines" ||
	fail "by the queue: $(diff "$scratch/shoveled.lines" "$scratch/back.lines" | head -n 4)"
say "$(wc -l <"$scratch/shoveled") datagrams, $(wc -l <"$scratch/back.lines") transfers"
stop "$sender"

wait "$beats" && fail 'a broker of newlines gets records'
grep -q 'localhost:61700: no answer in time' "$scratch/beats.log" ||
	fail "of newlines: $(cat "$scratch/beats.log")"
finish
