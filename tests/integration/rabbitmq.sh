# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# shellcheck disable=SC2154 # of those who source it, and of lib.sh
# rabbitmq.sh - start a RabbitMQ broker for a test: with TLS for the sender, without TLS for local
# consumers
#
# Source this file after lib.sh, in a network namespace, with $listener set to the key of
# rabbitmq.conf for the TLS listener.
ip link set lo up || skip 'no network namespace'
# shellcheck source=../engines.sh
. "$top/tests/engines.sh"
broker=$(rabbit_broker)
[ -x "$broker" ] || skip 'no rabbitmq-server'
url=amqp://guest:guest@127.0.0.1

umask 077
certificate cert
certificate other
echo guest >"$scratch/password"
cat >"$scratch/rabbitmq.conf" <<X
listeners.tcp.1 = 127.0.0.1:5672
$listener = 127.0.0.1:$port
ssl_options.cacertfile = $scratch/cert.pem
ssl_options.certfile = $scratch/cert.pem
ssl_options.keyfile = $scratch/cert.key
X
rabbit_environment "$scratch"
background epmd	# otherwise the broker starts an epmd that stays

# broker_start: start the broker; its pid is $broker_pid
broker_start()
{
	rm -f "$scratch/pid"
	background "$broker" >"$scratch/broker.out" 2>&1
	wait_times 6 listens 5672 && wait_times 6 listens "$port" ||
		die "no RabbitMQ: $(tail -n 3 "$scratch/broker.out")"
	broker_pid=$(cat "$scratch/pid")
	pids="$broker_pid $pids"
}

# rabbit_ctl ARGUMENT...: run rabbitmqctl of the broker
rabbit_ctl() { "$(dirname "$broker")/rabbitmqctl" -q "$@"; }

# broker_kill: kill the broker with SIGKILL, after making Mnesia, its database, write its log.
# Mnesia stores a new queue only after some seconds: a broker killed before loses the queue, with
# all messages that it has confirmed.
broker_kill()
{
	rabbit_ctl eval 'ok = mnesia:sync_log().' >"$scratch/sync.log" 2>&1 ||
		die "Mnesia: $(cat "$scratch/sync.log")"
	kill -KILL "$broker_pid"
}

# at TOOL ARGUMENT...: run TOOL, a program of amqp-tools, with the URL of the broker and its login
at()
{
	tool=$1
	shift
	"$tool" --url=$url "$@"
}

# take_all QUEUE PATH [COMMAND...]: consume the messages of QUEUE until none arrives for five
# seconds. Append them to the file PATH, one per line, or let COMMAND read each message and store it
# below PATH.
take_all()
{
	queue=$1 path=$2 now=
	shift 2
	# shellcheck disable=SC2016 # the inner shell expands it
	[ $# -gt 0 ] || set -- sh -c '{ cat; echo; } >>"$0"' "$path"
	background amqp-consume --url=$url -q "$queue" -p 1000 -- "$@"
	for _ in $(seq 60); do
		sleep 5
		was=$now now=$(find "$path" -type f -printf '%s ' 2>/dev/null)
		[ -z "$now" ] || [ "$now" != "$was" ] || break
	done
	stop "$started"
}

# records FIRST LAST: print records number FIRST to LAST, ten minutes apart
records()
{
	for i in $(seq "$1" "$2"); do
		printf '\n%s 7\ncpu 0 %s %s\n' $((1700000000 + 600 * i)) "$i" $((i * 2))
	done
}
