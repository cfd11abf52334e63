#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rogue_broker.sh - a broker that sends broken frames costs the sender only a connection
. "$(dirname "$0")/lib.sh"
grep -q '^#define HAVE_RABBITMQ 1' config.h || skip 'built without librabbitmq'
perl -MSocket -e 1 2>/dev/null || skip 'no perl'
mkdir -p "$scratch"
(umask 077; echo secret >"$scratch/password")
write_config
expect 0 nodometer collect >/dev/null

# sends_to STATUS [STEP]: send the last record to a broker that sends a broken frame at STEP, or
# none without STEP; the sender must exit with STATUS
sends_to() {
	: >"$scratch/port"
	perl "$srcdir/tests/e2e/rogue_broker.pl" ${2:+"$2"} >"$scratch/port" 3>&- &
	broker=$!
	pids="$pids $broker"
	wait_until 10 test -s "$scratch/port"
	write_config '[send]' "state-dir = $scratch/state" '[sink amqp]' 'user = a' 'tls = no' \
		"broker = 127.0.0.1:$(cat "$scratch/port")" "password-file = $scratch/password"
	expect "$1" "$bin/nodometer-send" --once --config "$conf" 2>"$scratch/said"
	kill "$broker"
	wait "$broker" 2>/dev/null
	forget "$broker"
}

# Without a broken frame, the broker accepts the message, which shows that the test's broker follows
# the protocol.
sends_to 0

# Step N breaks one frame of the broker: start, tune, open-ok, channel.open-ok, confirm.select-ok or
# basic.ack.
for step in 0 1 2 3 4 5; do
	sends_to 1 $step
	grep -q 'sink amqp.*127.0.0.1:[0-9]*: ' "$scratch/said" ||
		fail "step $step: $(cat "$scratch/said")"
done
