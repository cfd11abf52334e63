#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink amqp] and [sink kafka] report a server that is no broker, and then delay no other
# sink
packages='python3 openssl'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
[ "$(grep -c '^#define HAVE_R[AD][BK][A-Z]* ' "$bin/config.h")" = 2 ] ||
	skip 'built without librabbitmq or librdkafka'
ip link set lo up || skip 'no network namespace'
host=n1.example.org
mkdir -p "$scratch/text"
umask 077
echo secret >"$scratch/password"

expired_certificate old

troubles='garbage mail silent drip'
port=18480
{
	for trouble in $troubles; do
		port=$((port + 1))
		cat <<X
[sink amqp $trouble]
broker = 127.0.0.1:$port
tls = no
user = a
password-file = $scratch/password
[sink kafka $trouble]
brokers = 127.0.0.1:$port
tls = no
X
	done
	cat <<X
[sink amqp nobody]
broker = nowhere.invalid
tls = no
user = a
password-file = $scratch/password
[sink kafka nobody]
brokers = nowhere.invalid:9092
tls = no
[sink amqp expired]
broker = localhost:18490
ca-file = $scratch/old.pem
user = a
password-file = $scratch/password
[sink kafka expired]
brokers = localhost:18490
ca-file = $scratch/old.pem
[sink metrics]
textfile-dir = $scratch/text
X
} >"$scratch/sections"
sending $host <"$scratch/sections"
port=18480
for trouble in $troubles; do
	port=$((port + 1))
	background python3 "$here/mute.py" "$port" "$trouble" 2>"$scratch/$trouble.err"
done
background openssl s_server -accept 18490 -cert "$scratch/old.pem" -key "$scratch/old.key" \
	-quiet >"$scratch/tls.log" 2>&1

sender
wait_until test -e "$scratch/state/$host/kafka.drip" || die 'the sender saved no cursor'
for i in 1 2 3; do
	printf '\n%s 7\njob 7 0 %s\n' $(($(date +%s) + i)) "$i"
done >>"$raw"

# Ten sinks that fail do not delay one sink that works.
page=$scratch/text/nodometer.prom
shown() { grep -q '^cgroup_memory_used_bytes{.*} 2' "$page" 2>"$scratch/err"; }
wait_until shown || die 'others hold up the sink that works'

status() { "$bin/nodometer" status --config "$conf" 2>"$scratch/err"; }
# fails SINK TEXT: succeed if the status reports an error of SINK that matches TEXT
fails() { status | grep "^sink *$1: .*fails: .*$2" >"$scratch/said"; }
for trouble in $troubles nobody expired; do
	for sink in amqp kafka; do
		wait_times 4 fails "$sink $trouble" . ||
			fail "not said of $sink $trouble: $(status)"
	done
done
fails 'amqp expired' '[cC]ertif\|[vV]erif\|SSL\|ssl' || fail "amqp: $(status | grep expired)"
fails 'kafka expired' '[cC]ertif\|[vV]erif\|SSL\|ssl' ||
	fail "kafka: $(status | grep expired)"
fails 'kafka nobody' '[rR]esolve' || fail "kafka: $(status | grep nobody)"
grep -q secret "$scratch/tls.log" && fail 'a password went to a server that is not trusted'

# Each sink's process is small, and ends on SIGTERM.
# shellcheck disable=SC2013 # numbers: the processes of the sinks
for p in $(cat "/proc/$sender/task/$sender/children"); do
	kb=$(awk '/^VmRSS/ { print $2 }' "/proc/$p/status")
	[ "${kb:-0}" -le 65536 ] || fail "$(cat "/proc/$p/comm") has $kb KB"
done
before=$(date +%s)
stop "$sender"
[ $(($(date +%s) - before)) -le 8 ] || fail 'SIGTERM waits for a broker that hangs'
say 'each of twelve is said, and none holds up another'
finish
