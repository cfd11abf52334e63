#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink metrics] with a real Prometheus: values, access, and too many requests
packages='prometheus prometheus-node-exporter curl openssl jq python3'
namespaces='--net --map-root-user'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../prometheus.sh
. "$(dirname "$0")/../prometheus.sh"
grep -q '^#define HAVE_MICROHTTPD' "$bin/config.h" || skip 'built without libmicrohttpd'
ip link set lo up || skip 'no network namespace'
ip addr add 192.0.2.1/32 dev lo || skip 'no address for the test'
host=n1.example.org
mkdir -p "$scratch/sock" "$scratch/text" || exit 1
umask 077
certificate cert DNS:localhost,IP:192.0.2.1
echo sesame >"$scratch/token"

sending $host <<X
[sink metrics]
listen = 127.0.0.1:19100
socket-dir = $scratch/sock
textfile-dir = $scratch/text
labels = cluster=a
[sink metrics tls]
listen = 192.0.2.1:19101
cert-file = $scratch/cert.pem
key-file = $scratch/cert.key
token-file = $scratch/token
X
# If other hosts can reach the address, the sink needs TLS, or a key that permits plain text.
sed 's/^listen = 127.0.0.1/listen = 0.0.0.0/' "$conf" >"$scratch/open"
"$bin/nodometer-send" --check --config "$scratch/open" >"$scratch/log" 2>&1 &&
	fail 'an open address without TLS is no mistake'
grep -q 'listen = 0.0.0.0:19100: .*plain = yes' "$scratch/log" || fail "$(cat "$scratch/log")"

# record AGE N: append a record AGE seconds old
record()
{
	printf '\n%s 7\ncpu 0 %s00 %s00\nmem 0 1000 10\njob 7 %s000000 1048576\n' \
		$(($(date +%s) - $1)) "$2" "$2" "$2" >>"$raw"
}
get() { curl -sS --max-time 5 "$@" http://127.0.0.1:19100/metrics; }

# If the newest record is an hour old, the page shows only its age, because the values are out of
# date.
record 3600 1
record 3599 1
sender
has() { get >"$scratch/page" 2>"$scratch/err" && grep -q "$1" "$scratch/page"; }
wait_until has '^nodometer_sample_age_seconds{host="n1.example.org"} 3[56][0-9][0-9]' ||
	die "$(cat "$scratch/page" "$scratch/send.log")"
grep -q cpu "$scratch/page" && fail 'values of an hour ago are shown'
tail -n 1 "$scratch/page" | grep -qx '# EOF' || fail 'no end'

record 1 5
record 0 6
wait_until has 'node_cpu_seconds_total{cluster="a",cpu="0",host="n1.example.org",mode="user"} 5' ||
	die "$(grep cpu "$scratch/page")"
without_age() { grep -v '^nodometer_sample_age'; }
curl -sS --unix-socket "$scratch/sock/metrics.sock" http://x/metrics | without_age >"$scratch/other"
get | without_age | cmp -s - "$scratch/other" || fail 'the socket has another page'
promtool check metrics <"$scratch/text/nodometer.prom" >"$scratch/log" 2>&1
grep -q 'error' "$scratch/log" && fail "textfile: $(cat "$scratch/log")"

# With node_exporter, each scrape has all series of node_exporter and all of nodometer.
mkdir -p "$scratch/archive.node/$host" "$scratch/text.node" || exit 1
printf '%s\n' '[agent]' "hostname = $host" "dir = $scratch/archive.node" '[send]' \
	"state-dir = $scratch/state.node" '[sink metrics]' "textfile-dir = $scratch/text.node" \
	>"$scratch/conf.node"
"$bin/nodometer" collect --stdout --config "$scratch/conf.node" \
	>"$scratch/archive.node/$host/1700000000" || fail 'no sample of this machine'
ln "$scratch/archive.node/$host/1700000000" "$scratch/archive.node/$host/current"
background prometheus-node-exporter --web.listen-address=127.0.0.1:19102 \
	--collector.textfile.directory="$scratch/text.node" 2>"$scratch/exporter.log"
# series: print HELP, TYPE and the names that node_exporter shows
series()
{
	curl -sS --max-time 10 http://127.0.0.1:19102/metrics 2>"$scratch/err" |
		sed 's/^\([^# ][^{ ]*\).*/\1/' | sort -u
}
exported() { series >"$scratch/alone" && grep -q '^node_cpu_seconds_total$' "$scratch/alone"; }
wait_until exported || die "no node_exporter: $(cat "$scratch/exporter.log")"
grep -v -e '^#' -e '^node_' -e '^go_' -e '^process_' -e '^promhttp_' "$scratch/alone" &&
	fail 'node_exporter has names that begin otherwise'
"$bin/nodometer-send" --config "$scratch/conf.node" --once || fail 'no textfile'
sed '/^#/d; s/[{ ].*//' "$scratch/text.node/nodometer.prom" | sort -u >"$scratch/ours"
[ "$(wc -l <"$scratch/ours")" -gt 30 ] || fail "few names in the textfile: $(cat "$scratch/ours")"
for i in 1 2 3 4 5; do
	series >"$scratch/both"
	sort -u "$scratch/alone" "$scratch/ours" | comm -23 - "$scratch/both" >"$scratch/lost"
	grep -v 'node_textfile_mtime' "$scratch/lost" && fail "scrape $i lacks these lines"
done
grep 'level=error.*gather' "$scratch/exporter.log" | head -c 1000 | grep . &&
	fail 'node_exporter says so'

# Check which requests are allowed and which are refused.
code() { curl -sS -o "$scratch/answer" -w '%{http_code}' --cacert "$scratch/cert.pem" "$@"; }
is() { [ "$2" = "$3" ] || fail "$1: $2, not $3"; }
tls=https://192.0.2.1:19101/metrics
is 'without a token' "$(code $tls)" 401
is 'with another token' "$(code -H 'Authorization: Bearer sesamE' $tls)" 401
is 'with its token' "$(code -H 'Authorization: Bearer sesame' $tls)" 200
is 'another page' "$(code http://127.0.0.1:19100/)" 404
is 'another method' "$(code -d x http://127.0.0.1:19100/metrics)" 405
curl -sS $tls >"$scratch/log" 2>&1 && fail 'a certificate that nobody trusts is no error'

# Let Prometheus get the values twice: by scraping the page, and from [sink http].
prometheus_starts <<X
global: { scrape_interval: 1s }
scrape_configs:
  - job_name: plain
    static_configs: [ { targets: [ '127.0.0.1:19100' ] } ]
  - job_name: tls
    scheme: https
    authorization: { credentials_file: $scratch/token }
    tls_config: { ca_file: $scratch/cert.pem }
    static_configs: [ { targets: [ '192.0.2.1:19101' ] } ]
X
equals() { [ "$(value "$1")" = "$2" ]; }
for job in plain tls; do
	wait_until equals "up{job=\"$job\"}" 1 || die "$job: $(cat "$scratch/prometheus.log")"
done
# Prometheus does not get the hour-old record, because a new sink starts at the end of the archive.
cat >>"$conf" <<X
[sink http prometheus]
url = http://127.0.0.1:19090/api/v1/write
format = remote-write
labels = job=written
X
kill -HUP "$sender"
wait_until test -s "$scratch/state/$host/http.prometheus" || die "$(cat "$scratch/send.log")"
record 0 7
record -2 8	# this record completes the record before it
written() { equals 'cgroup_cpu_total_seconds{job="written",jobid="7"}' 7; }
wait_times 3 written ||
	fail "remote write: $("$bin/nodometer" status --config "$conf" | grep http)"
for job in plain tls; do
	wait_until equals "cgroup_cpu_total_seconds{job=\"$job\",jobid=\"7\"}" 7 ||
		fail "$job: the job's CPU: $(value "cgroup_cpu_total_seconds")"
	wait_until equals "cgroup_memory_used_bytes{job=\"$job\",jobid=\"7\"}" 1048576 ||
		fail "$job: the job's memory"
	wait_until equals "node_cpu_seconds_total{job=\"$job\",mode=\"idle\"}" 7 ||
		fail "$job: idle"
done

# With fifty clients that send nothing or garbage, others get answers, and memory does not grow.
python3 - <<'X' &
import socket, os, time
peers = []
for i in range(50):
    s = socket.create_connection(('127.0.0.1', 19100))
    s.send(b'GET /metrics HTTP/1.1\r\nX-' if i % 2 else os.urandom(3000))
    peers.append(s)
time.sleep(8)
X
crowd=$!
sleep 1
get >"$scratch/page" || fail 'nobody is answered beside fifty who say nothing'
head -c 100000 /dev/zero | tr '\0' a >"$scratch/long"
is 'a header of 100 KB' "$(code -H "X: $(head -c 90000 "$scratch/long")" \
	http://127.0.0.1:19100/metrics | sed 's/4[13][143]/4xx/')" 4xx
wait $crowd

# The sender removes the page's file when it ends, because nobody updates the file any more.
stop "$sender"
[ ! -e "$scratch/text/nodometer.prom" ] && [ ! -e "$scratch/sock/metrics.sock" ] ||
	fail 'a page is left when the sender has ended'
say 'Prometheus has the values of both pages'
finish
