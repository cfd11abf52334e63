#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - use the tables of clickhouse.sql on two shards, of which the first has two replicas, with
# a real ZooKeeper
packages='clickhouse-server clickhouse-client zookeeper curl'
namespaces='--net'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
share=$top/packaging/share
ip link set lo up || skip 'no network namespace'

# Start ZooKeeper, by which the replicas agree on the parts of the tables.
mkdir -p "$scratch/zk"
cat >"$scratch/zk/zoo.cfg" <<Z
tickTime=500
dataDir=$scratch/zk
clientPort=12181
clientPortAddress=127.0.0.1
admin.enableServer=false
4lw.commands.whitelist=ruok
Z
background java -Xmx128m -Djava.net.preferIPv4Stack=true \
	-cp "/etc/zookeeper/conf:/usr/share/java/*" \
	"-Dzookeeper.log.dir=$scratch/zk" org.apache.zookeeper.server.quorum.QuorumPeerMain \
	"$scratch/zk/zoo.cfg" >"$scratch/zk/out" 2>&1
wait_until listens 12181 || die "no ZooKeeper: $(tail -n 3 "$scratch/zk/out")"

# Servers 0 and 1 are the replicas of shard 1, server 2 is shard 2.
replica() { echo "<replica><host>127.0.0.1</host><port>1900$1</port></replica>"; }
whole='<internal_replication>true</internal_replication>'
all="<shard>$whole$(replica 0)$(replica 1)</shard><shard>$whole$(replica 2)</shard>"
zk='<zookeeper><node><host>127.0.0.1</host><port>12181</port></node></zookeeper>'
server()	# server NUMBER SHARD: configure and start a server
{
	dir=$scratch/ch$1
	clickhouse_files "$dir"
	macros="<macros><shard>$2</shard><replica>r$1</replica></macros>"
	hosts='<interserver_http_host>127.0.0.1</interserver_http_host>'
	hosts="$hosts<interserver_http_port>1910$1</interserver_http_port>"
	sed -i "s/18123/1812$((3 + $1))/; s/19000/1900$1/
		s|</yandex>|<remote_servers><all>$all</all></remote_servers>$zk$macros$hosts&|" \
		"$dir/server.xml"
	begin "$1"
}
begin()
{
	background clickhouse-server --config-file="$scratch/ch$1/server.xml" \
		>"$scratch/ch$1.out" 2>&1
	wait_until answers "http://127.0.0.1:1812$((3 + $1))/ping" ||
		die "no server $1: $(tail -n 3 "$scratch/ch$1.out")"
}
server 0 1
zero=$started
server 1 1
one=$started
server 2 2
awk -v CLUSTER=all -v OLD=yes -f "$share/clickhouse-cluster.awk" "$share/clickhouse.sql" \
	>"$scratch/cluster.sql" || die 'no SQL of a cluster'
for n in 0 1 2; do
	clickhouse-client --port "1900$n" --multiquery <"$scratch/cluster.sql" \
		>"$scratch/log" 2>&1 || die "server $n: $(cat "$scratch/log")"
done
at() { clickhouse-client --port "1900$1" --query "$2"; }
[ "$(at 0 "SELECT count() FROM system.replicas WHERE database = 'nodometer'")" -ge 8 ] ||
	fail 'the tables are not replicated'

# Insert the data of sixteen hosts; one replica is down while the first ones are inserted.
first=1700000400 archive=$scratch/archive
hosts()	# hosts FROM TO: write the files of hosts nFROM to nTO
{
	for n in $(seq "$1" "$2"); do
		mkdir -p "$archive/n$n"
		awk -v H="n$n" -v FIRST=$first -v N=24 -f "$top/tests/formats/shipped.awk" \
			/dev/null >"$archive/n$n/$first"
	done
}
settings='insert_distributed_sync=1&input_format_skip_unknown_fields=1'
# insert SERVER TABLE: insert standard input
insert()
{
	into="http://127.0.0.1:1812$((3 + $1))"
	curl --fail-with-body -sS --data-binary @- \
		"$into/?$settings&query=INSERT+INTO+nodometer.$2+FORMAT+JSONEachRow" ||
		fail "server $1: $2 takes nothing"
}
send()	# send SERVER FILE...: insert the records and rows of these files
{
	to=$1
	shift
	"$bin/nodometer" export --to records "$@" | insert "$to" records
	"$bin/nodometer" export --to jsonl "$@" | insert "$to" rows
}
hosts 1 8
stop "$one"
send 0 "$archive"/*/$first
begin 1
held() { [ "$(at "$1" 'SELECT uniqExact(host) FROM nodometer.records_local')" = "$2" ]; }
held 0 0 && fail 'shard 1 has no host'
want=$(at 0 'SELECT uniqExact(host) FROM nodometer.records_local')
wait_until held 1 "$want" || fail 'a replica that was down does not get what it missed'
hosts 9 16
send 1 "$archive"/n9/$first "$archive"/n1[0-6]/$first
send 1 "$archive"/n9/$first	# a record that was inserted twice counts once
"$bin/nodometer" jobs --dir "$archive" --append "$scratch/runs" >"$scratch/log" ||
	fail "no runs: $(cat "$scratch/log")"
insert 1 runs <"$scratch/runs"

# Both replicas of shard 1 have the same data, and the two shards together have all hosts.
for table in records rows job_days headers hour_states job_states runs run_figures; do
	counted() { at "$1" "SELECT count() FROM nodometer.${table}_local FINAL"; }
	same_count() { [ "$(counted 0)" = "$(counted 1)" ]; }
	wait_until same_count || fail "$table: $(counted 0) and $(counted 1) in two replicas"
done
left=$(at 0 'SELECT uniqExact(host) FROM nodometer.records_local')
right=$(at 2 'SELECT uniqExact(host) FROM nodometer.records_local')
[ "$left" -gt 0 ] && [ "$right" -gt 0 ] && [ $((left + right)) = 16 ] ||
	fail "$left hosts in shard 1 and $right in shard 2"

# same COMMAND...: nodometer COMMAND must print the same from the archive and from these servers
same()
{
	"$bin/nodometer" "$@" --dir "$archive" >"$scratch/want" 2>"$scratch/err" ||
		die "$*: $(cat "$scratch/err")"
	[ -s "$scratch/want" ] || die "$*: nothing"
	for n in $servers; do
		"$bin/nodometer" "$@" --from "http://127.0.0.1:1812$((3 + n))" >"$scratch/got" \
			2>"$scratch/err" || fail "$* --from $n: $(cat "$scratch/err")"
		cmp -s "$scratch/want" "$scratch/got" ||
			fail "$* --from $n: $(diff "$scratch/want" "$scratch/got" |
				cut -c 1-300 | head -n 5)"
	done
}
servers='0 1 2'
same report 7 --json
same jobs --json
same cat --host n5
say 'each of three servers says what the archive says'
stop "$zero"
servers='1 2'
same report 7 --json
same jobs --used --json
say 'so does each server after a replica is lost'
finish
