#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - a record that is too old for a real Prometheus does not delay later records
packages='prometheus curl jq'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../prometheus.sh
. "$(dirname "$0")/../prometheus.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
grep -q '^#define HAVE_SNAPPY ' "$bin/config.h" || skip 'built without libsnappy'
ip link set lo up || skip 'no network namespace'
host=n1.example.org

# Prometheus scrapes itself, and so has current samples. It accepts samples that are up to two hours
# late.
prometheus_starts <<'X'
global: { scrape_interval: 1s }
storage: { tsdb: { out_of_order_time_window: 2h } }
scrape_configs:
  - job_name: itself
    static_configs: [ { targets: [ '127.0.0.1:19090' ] } ]
X
scraped() { [ "$(value 'up{job="itself"}')" = 1 ]; }
wait_until scraped || die "$(cat "$scratch/prometheus.log")"

sending $host <<'X'
[sink http all]
url = http://127.0.0.1:19090/api/v1/write
format = remote-write
labels = job=all
[sink http new]
url = http://127.0.0.1:19090/api/v1/write
format = remote-write
labels = job=new
max-age = 110min
X
# record AGE N: append a record that is AGE seconds old, with values that depend on N
record()
{
	printf '\n%s 7\ncpu 0 %s00 %s00\nmem 0 1000 10\njob 7 %s000000 1048576\n' \
		$(($(date +%s) - $1)) "$2" "$2" "$2" >>"$raw"
}
sender
both() { [ -s "$scratch/state/$host/http.all" ] && [ -s "$scratch/state/$host/http.new" ]; }
wait_until both || die "no cursors: $(cat "$scratch/send.log")"
# During an outage all records wait; then they are sent together.
stop "$sender"
record 259200 1	# an age of three days
record 3600 5
record 1 7
record 0 8	# this record completes the record before it
sender
cpu() { value "cgroup_cpu_total_seconds{job=\"$1\",jobid=\"7\"}"; }
newest() { [ "$(cpu all)" = 7 ] && [ "$(cpu new)" = 7 ]; }
state() { cat "$scratch/state/$host/http.$1" "$scratch/send.log"; }
wait_times 3 newest || fail "newest record: $(cpu all) and $(cpu new): $(state all)"
an_hour_ago=$(($(date +%s) - 3500))
late=$(value 'cgroup_cpu_total_seconds{job="all"}' "time=$an_hour_ago")
[ "$late" = 5 ] || fail "the record of an hour ago: \"$late\""
counted() { grep -qx "$2" "$scratch/state/$host/http.$1"; }
wait_until counted all 'refused 1' || fail "not one record refused: $(state all)"
wait_until counted new 'too_old 1' || fail "not one record too old: $(state new)"
counted new 'refused 0' || fail "a record refused: $(state new)"
finish
