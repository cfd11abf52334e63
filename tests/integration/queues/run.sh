#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - test [sink amqp] and [sink kafka] by feed.sh, with RabbitMQ and librdkafka's own mock
# broker
packages='rabbitmq-server amqp-tools kcat python3 zstd'
namespaces='--net --mount --map-root-user'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../feed.sh
. "$top/tests/integration/feed.sh"
[ "$(grep -c -e '^#define HAVE_R[AD][BK][A-Z]* ' -e '^#define HAVE_ZSTD ' "$bin/config.h")" = 3 ] ||
	skip 'built without librabbitmq, librdkafka or libzstd'
ip link set lo up || skip 'no network namespace'
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
host=n1.example.org
umask 077
echo guest >"$scratch/password"
mkdir "$scratch/amqp" "$scratch/kafka"

# Start each broker, and a consumer of its messages; the mock broker runs inside its consumer.
broker=$(rabbit_broker)
[ -x "$broker" ] || skip 'no rabbitmq-server'
echo 'listeners.tcp.1 = 127.0.0.1:5672' >"$scratch/rabbitmq.conf"
rabbit_environment "$scratch"
background epmd	# otherwise the broker starts an epmd that stays
background "$broker" >"$scratch/broker.out" 2>&1
background kcat -C -X test.mock.num.brokers=1 -b mock -t nodometer -o beginning -u -f %s \
	>"$scratch/kafka/10" 2>"$scratch/kafka.err"
mock() { sed -n 's/.*replaced with \(127[0-9.:]*\).*/\1/p' "$scratch/kafka.err"; }
mocks() { [ -n "$(mock)" ]; }
wait_until mocks || die "no mock broker: $(cat "$scratch/kafka.err")"
wait_times 6 listens 5672 || die "no RabbitMQ: $(tail -n 3 "$scratch/broker.out")"
pids="$(cat "$scratch/pid") $pids"
url=amqp://guest:guest@127.0.0.1
amqp-declare-queue --url=$url -q nodometer -d >"$scratch/log" || die "$(cat "$scratch/log")"
background amqp-consume --url=$url -q nodometer -p 1000 cat >"$scratch/amqp/10"

sending $host <<X
[sink amqp]
broker = 127.0.0.1:5672
tls = no
user = guest
password-file = $scratch/password
rate = 100000
[sink kafka]
brokers = $(mock)
tls = no
rate = 100000
X
sinks='amqp kafka'
counted()
{
	sink=$1
	shift
	python3 "$top/tests/integration/drills/count.py" "$scratch/$sink" "$@" >"$scratch/said"
}

first_records
full_disk
waiting_day
clock_set_back
finish
