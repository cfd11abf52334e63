#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - with a day of three nodes in real databases, shipped queries give the figures of report,
# and each panel has data
packages='clickhouse-server clickhouse-client victoria-metrics prometheus curl jq'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
ip link set lo up || skip 'no network namespace'
share=$top/packaging/share
now=$(date +%s)
first=$((now - now % 600 - 143 * 600))	# the samples end now and begin a day ago
archive=$scratch/archive
for node in n1 n2 n3; do
	mkdir -p "$archive/$node"
	awk -v H=$node -v FIRST=$first -v N=144 -f "$top/tests/formats/shipped.awk" /dev/null \
		>"$archive/$node/$first" || die 'no archive'
done
"$bin/nodometer" report 7 --dir "$archive" --json >"$scratch/report" || die 'no report'
figure()	# figure NAME MEMBER: print a member of a figure of the report
{
	jq -r ".figures[] | select(.figure == \"$1\") | .$2" "$scratch/report"
}
# same WHAT GOT WANT: fail unless GOT equals WANT to nine digits
same()
{
	awk -v got="$2" -v want="$3" 'BEGIN { d = got - want; if (d < 0) d = -d
		exit !(got != "" && want != "" && want > 0 && d <= want * 1e-9) }' ||
		fail "$1: the engine has $2, report $3"
}

# ClickHouse: compare all figures that both its view of jobs and the report have.
clickhouse_files "$scratch/ch"
clickhouse_begin
into='http://127.0.0.1:18123/?query=INSERT+INTO+nodometer.rows+FORMAT+JSONEachRow'
for _ in once twice; do		# a row that was inserted twice counts once
	"$bin/nodometer" export --to jsonl "$archive"/*/"$first" |
		curl -fsS --data-binary @- "$into" || die 'ClickHouse takes no lines'
done
column()
{
	ask "SELECT $1 FROM nodometer.jobs WHERE job = '7'"
}
same 'CPU' "$(column cpu)" "$(figure job.cpu total)"
same 'memory' "$(column memory)" "$(figure job.mem max)"
same 'read' "$(column bytes_read)" "$(figure job.rd_bytes total)"
same 'written' "$(column bytes_written)" "$(figure job.wr_bytes total)"
same 'nodes' "$(column nodes)" "$(jq .nodes "$scratch/report")"
same 'length' "$(column 'ended - began')" "$(jq .duration "$scratch/report")"

# ClickHouse finds one job among a thousand with little memory, although the table has many rows.
clickhouse-client --port 19000 --min_insert_block_size_rows 30000 --query "
	INSERT INTO nodometer.rows (time, host, type, device, key, value)
	SELECT 1700000000 + intDiv(number, 10000) * 600, concat('m', toString(number % 10)),
		'job',
		concat('many', toString(intDiv(number, 10) % 1000)), ['cpu', 'mem'],
		[number * 1.0, 5.0]
	FROM numbers(240000)" || die 'no rows of many jobs'
clickhouse-client --port 19000 --max_memory_usage 60000000 --query "
	SELECT nodes, round(cpu, 6), memory, ended - began
	FROM nodometer.jobs WHERE job = 'many7'" \
	>"$scratch/many" 2>&1
# 24 samples on 10 nodes; each sample adds 10,000 us of the job's CPU time on each node
[ "$(cat "$scratch/many")" = "$(printf '10\t2.3\t5\t13800')" ] ||
	fail "one job of many: $(cat "$scratch/many")"

# Load the same day into VictoriaMetrics, in the text format that it imports from Prometheus.
background victoria-metrics -storageDataPath="$scratch/vm" -retentionPeriod=10y \
	-httpListenAddr=127.0.0.1:18428 -search.latencyOffset=0s -loggerLevel=WARN \
	2>"$scratch/vm.log"
wait_until answers http://127.0.0.1:18428/health || die 'no VictoriaMetrics'
"$bin/nodometer" export --to openmetrics "$archive"/*/"$first" >"$scratch/page" || die 'no page'
curl -fsS --data-binary @"$scratch/page" http://127.0.0.1:18428/api/v1/import/prometheus ||
	die 'VictoriaMetrics takes no page'
curl -sS http://127.0.0.1:18428/internal/force_flush
end=$((first + 143 * 600))
ask() { curl -sS -G --data-urlencode "query=$1" -d time=$end http://127.0.0.1:18428/api/v1/query; }
value() { ask "$1" | jq -r '.data.result[0].value[1]'; }
last() { echo "sum(last_over_time($1[2d]) - min_over_time($1[2d]))"; }
same 'CPU in VictoriaMetrics' "$(value "$(last 'cgroup_cpu_total_seconds{jobid="7"}')")" \
	"$(figure job.cpu total)"
same 'read in VictoriaMetrics' "$(value "$(last 'nodometer_job_rd_bytes_total{jobid="7"}')")" \
	"$(figure job.rd_bytes total)"
same 'energy in VictoriaMetrics' "$(value "$(last node_rapl_package_joules_total)")" \
	"$(figure intel_rapl.pkg_energy total)"
same 'received in VictoriaMetrics' \
	"$(value "$(last 'node_network_receive_bytes_total{device!="lo"}')")" \
	"$(figure net.rx_bytes total)"

# promtool checks and tests the rules. Then run the query of each panel for the day.
promtool check rules "$share/rules.yaml" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
promtool test rules "$here/alerts.yaml" >"$scratch/log" 2>&1 || fail "$(cat "$scratch/log")"
awk -v N=1000 -v RULES="$share/rules.yaml" -f "$here/cluster.awk" >"$scratch/cluster.yaml"
grep -c 'alertname=' "$scratch/cluster.yaml" | grep -qx 60 || die 'no jobs at fault'
promtool test rules "$scratch/cluster.yaml" >"$scratch/log" 2>&1 ||
	fail "alerts of a thousand jobs: $(head -c 2000 "$scratch/log")"
# Import the same jobs into VictoriaMetrics, whose increases and windows differ from Prometheus'.
background victoria-metrics -storageDataPath="$scratch/vm2" -retentionPeriod=10y \
	-httpListenAddr=127.0.0.1:18429 -search.latencyOffset=0s -loggerLevel=WARN \
	-search.maxUniqueTimeseries=1000000 2>"$scratch/vm2.log"
wait_until answers http://127.0.0.1:18429/health || die 'no second VictoriaMetrics'
was=$((first - first % 86400 - 3 * 86400))
awk -v FIRST=$was -f "$here/import.awk" "$scratch/cluster.yaml" |
	curl -fsS --data-binary @- http://127.0.0.1:18429/api/v1/import/prometheus ||
	die 'VictoriaMetrics takes no cluster'
curl -sS http://127.0.0.1:18429/internal/force_flush
utc() { date -u -d "@$1" +%Y-%m-%dT%H:%M:%SZ; }
# replay KIND: let vmalert evaluate the rules of this kind for past times. Call it for recording
# rules first: alerts use their results, and vmalert does not wait for these.
replay()
{
	awk -v kind="$1:" '/Records of nodometer xrootd/ { exit } /^  - name/ { its = 1 }
		/^      - / { its = $2 == kind } its || /^groups/' "$share/rules.yaml" \
		>"$scratch/rules.yaml"
	vmalert -rule="$scratch/rules.yaml" -datasource.url=http://127.0.0.1:18429 \
		-remoteWrite.url=http://127.0.0.1:18429 -replay.timeFrom="$(utc $was)" \
		-replay.timeTo="$(utc $((was + 172800)))" -evaluationInterval=5m \
		-replay.rulesDelay=1ms -replay.disableProgressBar -loggerLevel=ERROR \
		-httpListenAddr=127.0.0.1:18880 \
		>"$scratch/log" 2>&1 || fail "vmalert: $(tail -n 3 "$scratch/log")"
	curl -sS http://127.0.0.1:18429/internal/force_flush
}
replay record
replay alert
curl -sS -G http://127.0.0.1:18429/api/v1/query -d time=$((was + 172800)) --data-urlencode \
	'query=count by (alertname, jobid) (count_over_time(ALERTS{alertstate="firing"}[49h]))' |
	jq -r '.data.result[].metric | "\(.alertname) \(.jobid)"' | sort >"$scratch/fired"
sed -n 's/.*alertname="\([A-Za-z]*\)",jobid="\([0-9]*\)".*/\1 \2/p' "$scratch/cluster.yaml" |
	sort >"$scratch/planted"
cmp -s "$scratch/fired" "$scratch/planted" || fail "alerts of a thousand jobs in VictoriaMetrics: $(
	diff "$scratch/fired" "$scratch/planted" | head -n 20)"
n=0
for board in "$share"/grafana-*.json; do
	jq -r '.. | .expr? // empty' "$board" >"$scratch/queries"
	while read -r query; do
		n=$((n + 1))
		# shellcheck disable=SC2016 # variables of Grafana
		real=$(echo "$query" | sed 's/\$job/7/g; s/\$host/n2/g; s/\$window/30m/g;
			s/\$server/s1:1094/g')
		curl -sS -G --data-urlencode "query=$real" -d start=$first -d end=$end -d step=600 \
			http://127.0.0.1:18428/api/v1/query_range |
			jq -e '.data.result | length > 0 and (.[0].values | length > 100)' \
				>"$scratch/answer" || fail "$board: no data: $real"
	done <"$scratch/queries"
done
[ $n -ge 20 ] || fail "only $n queries of panels"
rule()
{
	awk -v r="$1" '$0 ~ r { getline; sub(/.*expr: */, ""); print; exit }' "$share/rules.yaml"
}
same 'the rule of busy CPUs' "$(value "$(rule job:cpus_busy:rate30m)")" \
	"$(figure job.cpu per_second)"
# The panels have the same derived figures of each node as the report, 1e9 times as large.
panel()
{
	value "$(jq -r --arg title "$1" --arg target "$2" '.panels[] | select(.title == $title) |
		.targets[] | select(.refId == $target) | .expr' "$share/grafana-job.json" |
		sed 's/\$job/7/g; s/\$window/30m/g') / 1e9
		and on (host) nodometer_job_owns{host=\"n2\"}"
}
derived() { jq -r ".hosts[1].derived.$1" "$scratch/report"; }
same 'FLOP/s of 64 bit' "$(panel 'FLOP/s of CPUs, of its nodes' A)" "$(derived gflops64)"
same 'FLOP/s of 32 bit' "$(panel 'FLOP/s of CPUs, of its nodes' B)" "$(derived gflops32)"
same 'FLOP/s of AMD' "$(panel 'FLOP/s of CPUs, of its nodes' C)" "$(derived gflops)"
same 'memory read' "$(panel 'Memory bandwidth of CPUs, of its nodes' A)" "$(derived memory_read)"
same 'memory written' "$(panel 'Memory bandwidth of CPUs, of its nodes' B)" \
	"$(derived memory_written)"
say "$n panels have data; ClickHouse and VictoriaMetrics agree with report"
finish
