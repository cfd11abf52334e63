#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# fleet.sh - cost of the senders of a thousand nodes, and of the databases and brokers that receive
#
# Runs in a build folder after "make tests/bench/fleet". Engines (databases and brokers) that are
# not installed are left out. Each engine runs on the loopback device in a scratch folder.
set -u
srcdir=$(cd "${srcdir:-$(dirname "$0")/../..}" && pwd)
nodes=${NODES:-1000} records=${RECORDS:-12}
tmp=$(mktemp -d -p "${TMPDIR:-/dev/shm}") engine='' pids=''
# shellcheck disable=SC2086 # process ids to split
clean_up()
{
	[ -z "$pids" ] || kill $pids 2>/dev/null
	wait
	rm -rf "$tmp"
}
trap clean_up EXIT
# shellcheck source=measure.sh
. "$srcdir/tests/bench/measure.sh"
# shellcheck source=../engines.sh
. "$srcdir/tests/engines.sh"
ulimit -n 20000 2>/dev/null || ulimit -n 8192 2>/dev/null

waits() { for _ in $(seq 300); do "$@" 2>/dev/null && return; sleep 0.1; done; return 1; }
listens() { grep -q ":$(printf %04X "$1") [0-9A-F]*:0000 0A" /proc/net/tcp /proc/net/tcp6; }
begin()	# PORT COMMAND...: start an engine; $engine is its process id
{
	local port=$1
	shift
	"$@" >>"$tmp/log" 2>&1 &
	engine=$!
	pids="$pids $engine"
	waits listens "$port" || { tail -n 3 "$tmp/log"; return 1; }
}
end()
{
	kill "$1" 2>/dev/null
	wait "$1" 2>/dev/null
}

vm_begin()
{
	begin 18428 victoria-metrics -storageDataPath="$tmp/vm" -retentionPeriod=10y \
		-httpListenAddr=127.0.0.1:18428 -loggerLevel=ERROR
}
clickhouse_begin()	# [LEVEL]: level of the log
{
	clickhouse_files "$tmp/ch"
	sed -i "s|<level>warning|<level>${1-warning}|" "$tmp/ch/server.xml"
	begin 18123 clickhouse-server --config-file="$tmp/ch/server.xml" &&
		clickhouse-client --port 19000 --multiquery \
			<"$srcdir/packaging/share/clickhouse.sql" >>"$tmp/log" 2>&1
}
rabbit_begin()
{
	mkdir -p "$tmp/mq"
	printf 'listeners.tcp.1 = 127.0.0.1:15674\n' >"$tmp/mq/rabbitmq.conf"
	(umask 077 && echo guest >"$tmp/mq/password")
	epmd -port 14370 >>"$tmp/log" 2>&1 &
	pids="$pids $!"
	begin 15674 rabbit || return 1
	engine=$(cat "$tmp/mq/pid")
	pids="$engine $pids"
}
rabbit()	# replaces this process; call it in a subshell
{
	rabbit_environment "$tmp/mq"
	ERL_EPMD_PORT=14370 exec "$(rabbit_broker)"
}

# take NAME BEGIN SINK KEY=VALUE...: start an engine with the function BEGIN, deliver to the engine,
# and print a line of the table
take()
{
	local name=$1 start=$2 before after
	shift 2
	"$start" || { printf '%-28s not here\n' "$name"; return; }
	sleep 2
	before=$(run_time "$engine")
	./tests/bench/fleet -n "$nodes" -r "$records" "$raw" "$@" >"$tmp/said" || {
		printf '%-28s failed\n' "$name"
		end "$engine"
		return
	}
	after=$(run_time "$engine")
	read -r samples seconds cpu bytes _ <"$tmp/said"
	awk -v name="$name" -v n="$samples" -v s="$seconds" -v cpu="$cpu" -v bytes="$bytes" \
		-v engine=$((after - before)) 'BEGIN {
		printf "%-28s %9.0f %10.0f %11.0f %10.0f %9.1f\n", name, n / s, cpu / n / 1000,
			bytes / n, engine / n / 1000, n / (engine / 1e9) / 1000 }'
	end "$engine"
}

# Compare one node's CPU time for sampling with that for sending: all types, at 1 Hz.
beside()
{
	local agent sender a b c d groups
	mkdir -p "$tmp/archive" "$tmp/run"
	printf '%s\n' '[agent]' "dir = $tmp/archive" "runtime-dir = $tmp/run" 'interval = 1s' \
		'hostname = bench' 'job-file =' '[send]' "state-dir = $tmp/state" '[sink http]' \
		'url = http://127.0.0.1:18428/write' >"$tmp/conf"
	vm_begin || { echo 'sender against sampling: no VictoriaMetrics here'; return; }
	./nodometerd --foreground --config "$tmp/conf" 2>>"$tmp/log" &
	agent=$!
	sleep 2
	./nodometer-send --config "$tmp/conf" 2>>"$tmp/log" &
	sender=$!
	pids="$pids $agent $sender"
	sleep 3
	delivered() { sed -n 's/^groups //p' "$tmp/state/bench/http"; }
	a=$(run_time $agent) c=$(run_time $sender) groups=$(delivered)
	sleep "${SECONDS_EACH:-30}"
	b=$(run_time $agent) d=$(run_time $sender) groups=$(($(delivered) - groups))
	awk -v a=$((b - a)) -v s=$((d - c)) -v n=$groups 'BEGIN {
		printf "a sample: %.0f us of CPU time to take it and write it, ", a / n / 1000
		printf "%.0f us to deliver it: %.2f times\n", s / n / 1000, s / a }'
	end $sender
	end $agent
	end "$engine"
}

# Measure how soon all nodes have delivered after an engine that was down works again.
storm()
{
	local fleet
	: >"$tmp/said"
	./tests/bench/fleet -b -n "$nodes" -r 1 "$raw" http url=http://127.0.0.1:18428/write \
		>"$tmp/said" &
	fleet=$!
	pids="$pids $fleet"
	sleep 20
	vm_begin || return
	began=$SECONDS
	wait $fleet
	read -r samples _ _ _ failures most <"$tmp/said"
	echo "an outage of 20 s: $samples nodes have delivered $((SECONDS - began)) s after it," \
		"$failures attempts failed, at most $most in one second but the first ten"
	end "$engine"
}

# Measure the busiest second when all nodes sample at the same time, and each node posts its sample
# after its own delay.
spread()
{
	local many=${POSTS:-10000} delay=${DELAY:-60}
	vm_begin || { echo 'posts of all nodes: no VictoriaMetrics here'; return; }
	./tests/bench/fleet -n "$many" -r 1 -d "$delay" "$raw" http \
		url=http://127.0.0.1:18428/write >"$tmp/said" || echo 'posts failed'
	read -r samples _ _ _ _ most <"$tmp/said"
	awk -v n="$samples" -v delay="$delay" -v most="$most" 'BEGIN {
		printf "%d nodes that post a sample with delay = %ds: at most %d are due in ", n,
			delay, most
		printf "a second, %.2f times the mean; bar 2: %s\n", most * delay / n,
			most * delay <= 2 * n ? "held" : "not held" }'
	end "$engine"
}

# Query the ten worst runs of a month by a figure; print the median time of five queries.
worst()
{
	local runs=${RUNS:-10000000} month figure i
	clickhouse_begin || { echo 'runs in ClickHouse: not here'; return; }
	clickhouse-client --port 19000 --max_memory_usage 4000000000 --query "
		INSERT INTO nodometer.runs (job, start, length, user, samples, figure, value)
		SELECT toString(number), 1700000000 + number * 31536000 / $runs, 3600,
			concat('u', toString(number % 500)), 100, ['cpu.user', 'net.rx_bytes'],
			[cityHash64(number) % 1000000 / 7, number / 3] FROM numbers($runs)" ||
		return
	for figure in cpu.user net.rx_bytes; do
		month="name = '$figure' AND toYYYYMM(day) = 202405"
		for i in 1 2 3 4 5; do
			clickhouse-client --port 19000 --time --query "
				SELECT job, user, number FROM nodometer.run_figures FINAL
				WHERE $month ORDER BY number DESC LIMIT 10" \
				2>&1 >"$tmp/worst" | tail -n 1
		done | sort -n | awk -v runs="$runs" -v figure=$figure 'NR == 3 {
			printf "%d runs in ClickHouse: the worst ten of a month by %s take %.2f s",
				runs, figure, $1
			printf "; bar 0.5: %s\n", $1 <= 0.5 ? "held" : "not held" }'
		[ "$(wc -l <"$tmp/worst")" = 10 ] || echo 'they are not ten'
	done
	end "$engine"
}

# engine_s LINE: print the seconds of all queries that ClickHouse has logged since this line
engine_s() { tail -n +$(($1 + 1)) "$tmp/ch/log.all" | awk '/executeQuery: Read / {
	sub(/.* in /, ""); sum += $1 } END { print sum + 0 }'; }

# Report a job of a day on 64 hosts from a database that has hourly records of many hosts for a
# year.
job_from()
{
	local hosts=${FROM_HOSTS:-2000} hours=${FROM_HOURS:-8760} first=1717200000 i at into
	clickhouse_begin information || { echo 'a job from ClickHouse: not here'; return; }
	into='INSERT INTO nodometer.records'
	for i in $(seq 64); do
		mkdir -p "$tmp/job/h$i"
		awk -v H="h$i" -v FIRST=$first -v N=144 -f "$srcdir/tests/formats/shipped.awk" \
			/dev/null >"$tmp/job/h$i/$first"
		./nodometer-cat --monotonic --to records "$tmp/job/h$i/$first"
	done | clickhouse-client --port 19000 --query "$into FORMAT JSONEachRow" || return
	for ((i = 0; i < hours; i += 730)); do	# a month at a time
		clickhouse-client --port 19000 --query "
			$into (time, host, jobs, line, restart, header, head, marks, rows)
			SELECT $first - 1800 - 3600 * intDiv(number, $hosts), concat('h', toString(
				number % $hosts)), [toString(100 + number % 977)], number, 0,
				'', '', '', '' FROM numbers($((i * hosts)), $((hosts *
				(hours - i < 730 ? hours - i : 730))))" || return
	done
	./nodometer-report --dir "$tmp/job" --json 7 >"$tmp/want"
	for i in 1 2 3 4 5; do
		at=$(wc -l <"$tmp/ch/log.all")
		/usr/bin/time -f %e -o "$tmp/took" ./nodometer-report --json 7 \
			--from http://127.0.0.1:18123 >"$tmp/said" 2>>"$tmp/log"
		sleep 0.5
		echo "$(cat "$tmp/took") $(engine_s "$at")"
	done | sort -n | awk -v hosts="$hosts" 'NR == 3 {
		printf "report --from of a job of 64 nodes of %d: %.2f s, of which the engine has ",
			hosts, $1
		printf "%.2f; bar 1 s beside it: %s\n", $2, $1 - $2 <= 1 ? "held" : "not held" }'
	cmp -s "$tmp/want" "$tmp/said" || echo 'it is not the report of the files'
	end "$engine"
}

missing() { clickhouse-client --port 19000 --query "
	SELECT $1 - uniq(time) FROM nodometer.rows WHERE host = 'bench' AND type = 'cpu'"; }

# Deliver through a proxy that refuses most requests, delete records at random, then run an audit.
audit()
{
	local n=${AUDITED:-1440} first=1700000400 sender clickhouse refused lost began
	if ! command -v nginx >/dev/null || ! clickhouse_begin; then
		echo 'audit: no ClickHouse or no nginx here'
		return
	fi
	refusing_files "$tmp" 70
	clickhouse=$engine
	begin 18080 nginx -c "$tmp/nginx.conf" || return
	printf '%s\n' '[agent]' "dir = $tmp/audited" 'hostname = bench' '[send]' \
		"state-dir = $tmp/audit" '[sink http]' 'format = jsonl' 'rate = 100000' \
		"url = http://127.0.0.1:18080/?$insert" >"$tmp/refused"
	sed 's/18080/18123/' "$tmp/refused" >"$tmp/direct"
	mkdir -p "$tmp/audited" "$tmp/new"
	./nodometer-send --config "$tmp/refused" 2>>"$tmp/log" &
	sender=$!
	pids="$pids $sender"
	waits test -e "$tmp/audit/bench/http"
	awk -v H=bench -v FIRST=$first -v N="$n" -f "$srcdir/tests/formats/shipped.awk" \
		/dev/null >"$tmp/new/$first"
	ln "$tmp/new/$first" "$tmp/new/current"
	mv "$tmp/new" "$tmp/audited/bench"
	waits grep -q "^time_us $((first + (n - 2) * 600))000000" "$tmp/audit/bench/http"
	end $sender
	refused=$(missing $((n - 1)))
	clickhouse-client --port 19000 --multiquery --query "
		CREATE TABLE nodometer.less AS nodometer.rows ENGINE = ReplacingMergeTree
			PARTITION BY toYYYYMM(day) ORDER BY (type, host, device, mark, time);
		INSERT INTO nodometer.less SELECT * FROM nodometer.rows FINAL
			WHERE time < $first + 6000 OR NOT (cityHash64(time) % 50 = 0
				OR intDiv(toUInt32(time) - $first, 60000) % 5 = 2);
		DROP TABLE nodometer.rows; RENAME TABLE nodometer.less TO nodometer.rows"
	lost=$(missing $((n - 1)))
	began=$(date +%s%N)
	./nodometer-send --config "$tmp/direct" --audit >"$tmp/said" 2>&1 || cat "$tmp/said"
	awk -v n=$((n - 1)) -v refused="$refused" -v lost="$lost" -v left="$(missing $((n - 1)))" \
		-v ns=$(($(date +%s%N) - began)) 'BEGIN {
		printf "audit of %d records, %d refused by the engine and %d lost: ", n, refused,
			lost - refused
		printf "%d of %d are there again, after %.1f s; bar 100 %%: %s\n", lost - left,
			lost, ns / 1e9, left == 0 ? "held" : "not held" }'
	began=$(date +%s%N)
	./nodometer-send --config "$tmp/direct" --audit >"$tmp/said" 2>&1 || cat "$tmp/said"
	awk -v ns=$(($(date +%s%N) - began)) 'BEGIN {
		printf "an audit that finds nothing takes %.1f s\n", ns / 1e9 }'
	end "$engine"
	end "$clickhouse"
}

./tests/bench/sample -n $((records + 1)) -i 50 -o "$tmp/samples" >"$tmp/log" 2>&1
raw=$(find "$tmp/samples" -name '[0-9]*' -not -name '*.lock' | head -n 1)
[ -s "$raw" ] || { echo 'no samples'; exit 1; }
echo "One sample of this node: $(awk '/^[0-9]/ { n++ } /^[a-z]/ { rows++ }
	END { printf "%.0f rows", rows / n }' "$raw")"
beside
echo
echo "$nodes nodes, $records samples of each, a request or message for each sample:"
printf '%-28s %9s %10s %11s %10s %9s\n' '' samples/s 'us of CPU' 'bytes on' 'us of CPU' 'thousands'
printf '%-28s %9s %10s %11s %10s %9s\n' '' 'in all' 'a sample' 'the wire' 'of engine' 'a CPU s'
take 'VictoriaMetrics, influx' vm_begin http url=http://127.0.0.1:18428/write
take '  not compressed' vm_begin http url=http://127.0.0.1:18428/write compress=no
take 'VictoriaMetrics, remote write' vm_begin http url=http://127.0.0.1:18428/api/v1/write \
	format=remote-write
insert='query=INSERT+INTO+nodometer.rows+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1'
take 'ClickHouse, jsonl' clickhouse_begin http format=jsonl "url=http://127.0.0.1:18123/?$insert"
take 'RabbitMQ, jsonl' rabbit_begin amqp broker=127.0.0.1:15674 tls=no user=guest \
	"password-file=$tmp/mq/password" declare=yes
echo
storm
spread
echo
worst
echo
job_from
echo
audit
echo
cat <<'X'
10,000 nodes with a sample each 10 s are 1,000 samples/s: the last column says how many CPUs of an
engine that is, the third what comes in (times 1,000 bytes/s). A sender that fails waits for up to
128 s, at a moment of chance: after a long outage 10,000 nodes come at some 80 in a second.
X
