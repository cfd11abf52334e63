#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink http] delivers every value to a real VictoriaMetrics and InfluxDB, despite an
# outage
packages='victoria-metrics influxdb curl jq'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"

ip link set lo up || skip 'no network namespace'
host=n1.example.org

# record TIME N: print a record whose values depend on N
record()
{
	cat <<X

$1 7
cpu 0 $2 $(($2 * 2))
mem 0 1000 $2
job 7 $(($2 * 1000000)) 1048576
X
}
records() { for i in $(seq "$1" "$2"); do record $((1700000000 + 600 * i)) "$i"; done; }

sending $host <<X
[sink http vm]
url = http://127.0.0.1:8428/write
labels = cluster=a
rate = 10000
[sink http rw]
url = http://127.0.0.1:8428/api/v1/write
format = remote-write
rate = 10000
[sink http relay]
url = http://127.0.0.1:8429/write
labels = rack=r1
rate = 10000
[sink http influx]
url = http://127.0.0.1:8086/write?db=x
rate = 10000
X
cat >"$scratch/influx.conf" <<X
reporting-disabled = true
bind-address = "127.0.0.1:8088"
[meta]
  dir = "$scratch/influx/meta"
[data]
  dir = "$scratch/influx/data"
  wal-dir = "$scratch/influx/wal"
[http]
  bind-address = "127.0.0.1:8086"
  log-enabled = false
[monitor]
  store-enabled = false
X
vm_start()
{
	background victoria-metrics -storageDataPath="$scratch/vm" -retentionPeriod=100y \
		-httpListenAddr=127.0.0.1:8428 -search.latencyOffset=0s -loggerLevel=WARN \
		2>"$scratch/vm.log"
	vm=$started
	wait_until answers http://127.0.0.1:8428/health || die 'no VictoriaMetrics'
}
# Start the relay that nodometer-sinks(7) describes, with a scratch folder and this test's engine
# and port.
relay=$(sed -n '/^vmagent /,/^\.Ed/{ /^\.Ed/d; p; }' "$top/man/nodometer-sinks.7" |
	sed "s|\\\\e$|\\\\|; s|/var/lib/vmagent|$scratch/relay|; s/vm.example.org/127.0.0.1/
	s/=:8429/=127.0.0.1:8429/")
relay_start()
{
	background sh -c "exec $relay -loggerLevel=ERROR" 2>>"$scratch/relay.log"
	relay_pid=$started
	wait_until answers http://127.0.0.1:8429/health ||
		die "no vmagent: $relay: $(cat "$scratch/relay.log")"
}
vm_start
relay_start
background influxd run -config "$scratch/influx.conf" 2>"$scratch/influx.log"
wait_until answers http://127.0.0.1:8086/ping || die 'no InfluxDB'
curl -fsS -o /dev/null -XPOST 'http://127.0.0.1:8086/query?q=CREATE+DATABASE+x'

sender
wait_until test -e "$scratch/state/$host/http.influx" || die 'the sender saved no cursor'
records 1 50 >>"$raw"

# vm_values NAME FILTER: print TIME VALUE of each sample, by time. A sample that was sent twice is
# printed once.
vm_values()
{
	curl -sS http://127.0.0.1:8428/internal/force_flush
	curl -sS -G --data-urlencode "match[]=$1" --data-urlencode reduce_mem_usage=1 \
		http://127.0.0.1:8428/api/v1/export |
		jq -r '[.timestamps, .values] | transpose[] | "\(.[0] / 1000) \(.[1])"' |
		sort -n | uniq
}
# wanted FIRST LAST TIMES PER: print time and expected value of samples FIRST to LAST; the value of
# sample N is N * TIMES / PER
wanted()
{
	jq -rn "range($1; $2 + 1) | \"\(1700000000 + 600 * .) \(. * $3 / $4)\""
}
has() { vm_values "$1" >"$scratch/got"; wanted "$2" "$3" "$4" "$5" | cmp -s - "$scratch/got"; }
wait_until has 'cpu_user{host="n1.example.org",device="0",cluster="a"}' 1 49 1 1 ||
	die "cpu_user: $(head -3 "$scratch/got")"

# While VictoriaMetrics is stopped and the sender is killed, new records are written: all must
# arrive later.
stop "$vm"
records 51 80 >>"$raw"
relay_has() { [ "$(sed -n 's/^time_us //p' "$scratch/state/$host/http.relay")" -ge "$1"000000 ]; }
wait_until relay_has $((1700000000 + 600 * 79)) || die 'the relay does not take records'
stop "$relay_pid"	# the relay keeps on disk what it has not passed on
relay_start
# shellcheck disable=SC2046 # numbers: the processes of the sinks
kill -9 "$sender" $(cat "/proc/$sender/task/$sender/children")
records 81 100 >>"$raw"
sender
vm_start
wait_until has 'cpu_user{host="n1.example.org",device="0",cluster="a"}' 1 99 1 1 ||
	die "after the outage: $(wc -l <"$scratch/got"); $(tail -3 "$scratch/send.log")"
wait_times 3 has 'cpu_user{host="n1.example.org",device="0",rack="r1"}' 1 99 1 1 ||
	die "through the relay: $(wc -l <"$scratch/got")"
wait_until has 'job_cpu{jobid="7",rack="",cluster="a"}' 1 99 1000000 1 || die 'job_cpu'
wait_until has 'cgroup_cpu_total_seconds{jobid="7"}' 1 99 1 1 || die 'cgroup_cpu_total_seconds'
has 'node_cpu_seconds_total{cpu="0",mode="idle"}' 1 99 2 100 || die 'node_cpu_seconds_total'
has 'node_memory_MemTotal_bytes' 1 99 0 1 && die 'a wrong value is not seen'
influx_has()
{
	curl -sS -G 'http://127.0.0.1:8086/query?db=x&epoch=s' \
		--data-urlencode 'q=SELECT "idle" FROM cpu' |
		jq -r '.results[0].series[0].values[] | "\(.[0]) \(.[1])"' \
			>"$scratch/got" 2>"$scratch/err"
	wanted 1 99 2 1 | cmp -s - "$scratch/got"
}
wait_until influx_has || die "InfluxDB: $(head -3 "$scratch/got")"
echo 'VictoriaMetrics and InfluxDB have every value once, through an outage'
