#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - tables of clickhouse.sql that are spread over two servers, and tables that read from
# Kafka
packages='clickhouse-server clickhouse-client curl kcat'
namespaces='--net'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
share=$top/packaging/share
ip link set lo up || skip 'no network namespace'

# Start two ClickHouse servers, each of which stores half of the hosts.
clickhouse_files "$scratch/ch"
clickhouse_files "$scratch/ch2"
sed -i "s/18123/18124/; s/19000/19001/" "$scratch/ch2/server.xml"
shard() { echo "<shard><replica><host>127.0.0.1</host><port>$1</port></replica></shard>"; }
oldest='<kafka><auto_offset_reset>smallest</auto_offset_reset></kafka>'
both=$(shard 19000)$(shard 19001)
for server in ch ch2; do
	sed -i "s|</yandex>|<remote_servers><two>$both</two></remote_servers>$oldest&|" \
		"$scratch/$server/server.xml"
	background clickhouse-server --config-file="$scratch/$server/server.xml" \
		>"$scratch/$server.out" 2>&1
done
awk -v CLUSTER=two -v REPLICATED=no -v OLD=yes -f "$share/clickhouse-cluster.awk" \
	"$share/clickhouse.sql" >"$scratch/cluster.sql" || die 'no SQL of a cluster'
for port in 1 2; do
	wait_until answers http://127.0.0.1:1812$((port + 2))/ping || die "no server $port"
	clickhouse-client --port 1900$((port - 1)) --multiquery <"$scratch/cluster.sql" \
		>"$scratch/log" 2>&1 || die "server $port: $(cat "$scratch/log")"
done
at() { clickhouse-client --port "1900$1" --query "$2"; }

# Insert the data of sixteen hosts into the tables with the usual names.
first=1700000400 archive=$scratch/archive from=http://127.0.0.1:18123
for n in $(seq 16); do
	mkdir -p "$archive/n$n"
	awk -v H="n$n" -v FIRST=$first -v N=24 -f "$top/tests/formats/shipped.awk" /dev/null \
		>"$archive/n$n/$first"
done
settings='insert_distributed_sync=1&input_format_skip_unknown_fields=1'
# insert TABLE: insert standard input
insert()
{
	curl --fail-with-body -sS --data-binary @- \
		"$from/?$settings&query=INSERT+INTO+nodometer.$1+FORMAT+JSONEachRow" ||
		fail "$1 takes nothing"
}
"$bin/nodometer" export --to records "$archive"/*/$first | insert records
"$bin/nodometer" export --to jsonl "$archive"/*/$first | insert rows
"$bin/nodometer" jobs --dir "$archive" --append "$scratch/runs" >"$scratch/log" ||
	fail "no runs: $(cat "$scratch/log")"
insert runs <"$scratch/runs"
for table in records rows; do
	one=$(at 0 "SELECT uniqExact(host) FROM nodometer.${table}_local")
	two=$(at 1 "SELECT uniqExact(host) FROM nodometer.${table}_local")
	[ "$one" -gt 0 ] && [ "$two" -gt 0 ] && [ $((one + two)) = 16 ] ||
		fail "$table: $one hosts and $two hosts"
done
got=$(at 1 "SELECT nodes, ended - began FROM nodometer.jobs WHERE job = '7'")
[ "$got" = "$(printf '16\t13800')" ] || fail "view jobs: $got"
[ "$(at 1 'SELECT count() FROM nodometer.runs')" = 1 ] || fail 'not one run'
at 1 "SELECT count() > 3 FROM nodometer.run_figures WHERE job = '7'" | grep -qx 1 ||
	fail 'no figures'
at 0 "SELECT uniqExact(host) FROM nodometer.hours WHERE metric = 'MemFree'" | grep -qx 16 ||
	fail 'not the hours of each host'

# same COMMAND...: nodometer COMMAND must print the same from the archive and from each server
same()
{
	"$bin/nodometer" "$@" --dir "$archive" >"$scratch/want" 2>"$scratch/err" ||
		die "$*: $(cat "$scratch/err")"
	[ -s "$scratch/want" ] || die "$*: nothing"
	for port in 18123 18124; do
		"$bin/nodometer" "$@" --from http://127.0.0.1:$port >"$scratch/got" \
			2>"$scratch/err" || fail "$* --from $port: $(cat "$scratch/err")"
		cmp -s "$scratch/want" "$scratch/got" ||
			fail "$* --from $port: $(diff "$scratch/want" "$scratch/got" |
				cut -c 1-300 | head -n 5)"
	done
}
same report 7 --json
same jobs --json
same cat --host n5
say 'two servers say what the archive says'

# By statements in the comments of clickhouse.sql, ClickHouse reads from Kafka what [sink kafka]
# sends. The broker is librdkafka's mock broker, which runs inside a consumer.
grep -q '^#define HAVE_RDKAFKA ' "$bin/config.h" || { say 'Kafka is not tried'; finish; }
background kcat -C -X test.mock.num.brokers=1 -b mock -t nodometer -o beginning -u -f %s \
	>"$scratch/messages" 2>"$scratch/kafka.err"
mock() { sed -n 's/.*replaced with \(127[0-9.:]*\).*/\1/p' "$scratch/kafka.err"; }
mocks() { [ -n "$(mock)" ]; }
wait_until mocks || die "no mock broker: $(cat "$scratch/kafka.err")"
mkdir "$scratch/sent"
cat >"$scratch/conf" <<X
[agent]
hostname = n17
dir = $scratch/sent
[send]
state-dir = $scratch/state
[sink kafka]
brokers = $(mock)
tls = no
rate = 100000
X
conf=$scratch/conf
sender
wait_until test -e "$scratch/state/n17/kafka" || die "no cursor: $(cat "$scratch/send.log")"
sed -n '/^-- From Kafka/,/^-- The same for/s/^--   //p' "$share/clickhouse.sql" |
	sed "s/k1[.]example[.]org:9092/$(mock)/" >"$scratch/kafka.sql"
grep -c ';$' "$scratch/kafka.sql" | grep -qx 2 || die 'not two statements for Kafka'
clickhouse-client --port 19000 --multiquery <"$scratch/kafka.sql" >"$scratch/log" 2>&1 ||
	fail "tables for Kafka: $(cat "$scratch/log")"
mkdir "$scratch/n17"
awk -v H=n17 -v FIRST=$first -v N=24 -f "$top/tests/formats/shipped.awk" /dev/null \
	>"$scratch/n17/$first"
ln "$scratch/n17/$first" "$scratch/n17/current"
mv "$scratch/n17" "$scratch/sent/n17"
"$bin/nodometer" export --to jsonl "$scratch/sent/n17/$first" >"$scratch/want"
rows_of() { at "$1" "SELECT count() FROM nodometer.rows WHERE host = 'n17' AND time < $2"; }
# the newest record may still grow and is not sent
last=$((first + 23 * 600))
want=$(awk -v LAST=$last '{ split($0, a, /[:,]/) } a[2] < LAST' "$scratch/want" | wc -l)
arrived() { [ "$(rows_of 0 $last)" -ge "$want" ]; }
wait_times 6 arrived || fail "of $want rows through Kafka came $(rows_of 0 $last): $(
	tail -n 3 "$scratch/ch/log.errors" "$scratch/send.log")"
[ "$(rows_of 1 $last)" = "$want" ] || fail 'the rows from Kafka are not on both servers'
say "$want rows came through Kafka"
finish
