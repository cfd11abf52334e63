#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink amqp] beside a real RabbitMQ: every record, with TLS and without, through an outage
packages='rabbitmq-server amqp-tools openssl jq'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"

ip link set lo up || skip 'no network namespace'
host=n1.example.org
archive=$scratch/archive/$host
mkdir -p "$archive" "$scratch/log" || exit 1
raw=$archive/1700000000
sed -n '1,/^$/p' "$top/tests/formats/export/a.raw" >"$raw"
ln "$raw" "$archive/current"
records()	# FIRST LAST
{
	for i in $(seq "$1" "$2"); do
		printf '\n%s 7\ncpu 0 %s 1\n' $((1700000000 + 600 * i)) "$i"
	done
}

# A certificate of localhost, and who signed it.
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout "$scratch/ca.key" \
	-out "$scratch/ca.pem" 2>"$scratch/err" || die "openssl: $(cat "$scratch/err")"
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout "$scratch/key.pem" \
	-out "$scratch/csr.pem" 2>"$scratch/err"
echo 'subjectAltName = DNS:localhost' >"$scratch/ext"
openssl x509 -req -in "$scratch/csr.pem" -CA "$scratch/ca.pem" -CAkey "$scratch/ca.key" -days 2 \
	-CAcreateserial -extfile "$scratch/ext" -out "$scratch/cert.pem" 2>"$scratch/err"

echo '[].' >"$scratch/plugins"
cat >"$scratch/rabbit.conf" <<END
default_user = nodometer
default_pass = secret
loopback_users = none
listeners.tcp.1 = 127.0.0.1:5672
listeners.ssl.1 = 127.0.0.1:5671
ssl_options.cacertfile = $scratch/ca.pem
ssl_options.certfile = $scratch/cert.pem
ssl_options.keyfile = $scratch/key.pem
disk_free_limit.absolute = 10MB
END
# The command in /usr/sbin runs all as user rabbitmq; the script that it starts runs as anybody.
server=$(echo /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server)
[ -x "$server" ] || skip 'no rabbitmq-server where Debian has it'
export HOME="$scratch" RABBITMQ_NODENAME=nodometer@localhost RABBITMQ_LOG_BASE="$scratch/log" \
	RABBITMQ_MNESIA_BASE="$scratch/mnesia" RABBITMQ_LOGS="$scratch/log/rabbit.log" \
	RABBITMQ_CONFIG_FILE="$scratch/rabbit.conf" RABBITMQ_PID_FILE="$scratch/rabbit.pid" \
	RABBITMQ_ENABLED_PLUGINS_FILE="$scratch/plugins" ERL_EPMD_ADDRESS=127.0.0.1 \
	RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='+S 1:1'
url=amqp://nodometer:secret@127.0.0.1:5672
answers() { amqp-declare-queue -u $url -d -q "${1:-probe}" >"$scratch/out" 2>"$scratch/err"; }
# RabbitMQ needs 10 s to start, more on a busy machine.
patiently() { for _ in 1 2 3 4 5 6; do wait_until "$@" && return 0; done; return 1; }
rabbit_start()
{
	background "$server" >"$scratch/rabbit.out" 2>&1
	rabbit=$started
	patiently answers || die "no RabbitMQ: $(tail -3 "$scratch/rabbit.out")"
}
rabbit_start

echo secret >"$scratch/password"
chmod 600 "$scratch/password"
conf=$scratch/conf
cat >"$conf" <<END
[agent]
hostname = $host
dir = $scratch/archive
[send]
state-dir = $scratch/state
[sink amqp plain]
broker = 127.0.0.1
tls = no
user = nodometer
password-file = $scratch/password
routing-key = plain
declare = yes
labels = cluster=a
rate = 10000
[sink amqp tls]
broker = localhost:5671
ca-file = $scratch/ca.pem
user = nodometer
password-file = $scratch/password
routing-key = tls
rate = 10000
END
sender()
{
	background "$bin/nodometer-send" --config "$conf" 2>>"$scratch/send.log"
	sender=$started
}
sender
wait_until test -e "$scratch/state/$host/amqp.tls" || die "no cursor: $(cat "$scratch/send.log")"
records 1 50 >>"$raw"

# What no queue takes is not lost: it is said, and comes when a queue is there.
said() { grep -q "$1" "$scratch/send.log"; }
wait_until said 'no queue has messages of exchange "", routing key "tls"' ||
	die "a message without a queue: $(cat "$scratch/send.log")"
answers tls || die 'no queue tls'
background amqp-consume -u $url -q tls cat >"$scratch/tls"
background amqp-consume -u $url -q plain cat >"$scratch/plain"
wanted() { jq -rn "range(1; $1 + 1) | \"\(1700000000 + 600 * .) \(.)\""; }
# has FILE LAST: all of them, as often as at least once
has()
{
	jq -r 'select(.type == "cpu") | "\(.time) \(.value[0])"' "$scratch/$1" 2>"$scratch/err" |
		sort -un >"$scratch/got"
	wanted "$2" | cmp -s - "$scratch/got"
}
for queue in plain tls; do
	patiently has $queue 49 ||
		die "$queue: $(wc -l <"$scratch/got"), $(tail -3 "$scratch/send.log")"
done
[ "$(jq -r 'select(.type == "cpu") | .time' "$scratch/plain" | wc -l)" = 49 ] ||
	die 'what was confirmed came twice'

# RabbitMQ is killed, the sender is killed, records come; all are there afterwards.
kill -9 "$(cat "$scratch/rabbit.pid")"
stop "$rabbit"
records 51 80 >>"$raw"
kill -9 "$sender"
records 81 100 >>"$raw"
sender
rabbit_start
background amqp-consume -u $url -q tls cat >>"$scratch/tls"
background amqp-consume -u $url -q plain cat >>"$scratch/plain"
for queue in plain tls; do
	patiently has $queue 99 ||
		die "$queue, outage: $(wc -l <"$scratch/got"), $(tail -3 "$scratch/send.log")"
done
stop "$sender"

# once LINE...: one record, with these lines in the place of those of the same keys
once()
{
	sed -e '/^\[sink amqp plain\]/,$d' "$conf" >"$scratch/once"
	printf '[sink amqp]\n' >>"$scratch/once"
	printf '%s\n' "$@" >>"$scratch/once"
	"$bin/nodometer-send" --config "$scratch/once" --once 2>"$scratch/err"
}
password="password-file = $scratch/password"
once 'broker = 127.0.0.1' 'tls = no' 'user = nodometer' "$password" 'declare = yes' ||
	die "--once: $(cat "$scratch/err")"
! once 'broker = 127.0.0.1' 'tls = no' 'user = somebody' "$password" ||
	die 'any user may publish'
grep -q 'ACCESS_REFUSED' "$scratch/err" || die "refused: $(cat "$scratch/err")"
! once 'broker = 127.0.0.1' "ca-file = $scratch/ca.pem" 'user = somebody' "$password" ||
	die 'the certificate is of another host'
grep -qi 'hostname' "$scratch/err" || die "other host: $(cat "$scratch/err")"
echo 'RabbitMQ has every record, with TLS and without, through an outage'
