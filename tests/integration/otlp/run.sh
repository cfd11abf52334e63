#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - [sink http] with format = otlp sends to a receiver that decodes with OpenTelemetry's own
# package
packages='nodejs npm curl'
. "$(dirname "$0")/../lib.sh"
host=n1.example.org
port=$(free_port)
mkdir -p "$scratch"
npm_installs @opentelemetry/otlp-transformer@0.57.2 @opentelemetry/semantic-conventions@1.45.0 ||
	skip "npm does not install OpenTelemetry's packages: $(cat "$scratch/npm")"

sending $host <<X
[sink http]
url = http://127.0.0.1:$port/v1/metrics
format = otlp
labels = cluster=a
headers = X-Other=a=b X-Scope-OrgID=hpc
rate = 10000
X
list=$scratch/list
receive()
{
	NODE_PATH=$scratch/node_modules background node "$here/receiver.js" "$port" "$list" \
		2>"$scratch/receiver.err"
	receiver=$started
}
# records FIRST LAST: print records number FIRST to LAST; a record is complete once the next one has
# begun
records()
{
	for i in $(seq "$1" "$2"); do
		printf '\n%s 7\ncpu 0 %s00 %s00\nmem 0 1000 %s\njob 7 %s000000 1048576\n' \
			$((1700000000 + 600 * i)) "$i" $((i * 2)) "$i" "$i"
	done
}
receive
sender
wait_until test -e "$scratch/state/$host/http" || die 'the sender saved no cursor'
records 1 30 >>"$raw"
resource=cluster=a,host.name=$host,service.instance.id=$host,service.name=nodometer
# points NAME: print the received points of metric NAME, without repetitions
points() { grep -F " $resource $1" "$list" 2>/dev/null | sort -u; }
user='system.cpu.time{cpu.logical_number=0,cpu.mode=user}'
came() { [ "$(points "$user" | wc -l)" = "$1" ]; }
wait_until came 29 || die "$(tail -n 2 "$scratch/send.log"; head -n 3 "$list")"

# If the receiver is stopped and the sender is killed, some points come twice, but none is missing.
stop "$receiver"
records 31 60 >>"$raw"
sleep 1
# shellcheck disable=SC2046 # numbers: the process of the sink
kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
wait "$sender" 2>/dev/null
records 61 80 >>"$raw"
receive
sender
wait_times 2 came 79 || die "$(points "$user" | wc -l) of 79"
! grep '^wrong' "$list" || fail 'a body is not what the protocol says'

# same POINT UNIT KIND TIMES: for each record, the value of POINT must be TIMES the value in the
# archive
same()
{
	points "$1" | sed "s/ cluster[^ ]* / /" >"$scratch/got"
	awk -v p="$1" -v unit="$2" -v kind="$3" -v times="$4" 'BEGIN {
		for (i = 1; i < 80; i++)
			print 1700000000 + 600 * i, p, unit, kind, i * times }' >"$scratch/want"
	cmp -s "$scratch/want" "$scratch/got" ||
		fail "$1: $(diff "$scratch/want" "$scratch/got" | head -n 4)"
}
counter=monotonic,AGGREGATION_TEMPORALITY_CUMULATIVE
same "$user" s $counter 1
same 'system.cpu.time{cpu.logical_number=0,cpu.mode=idle}' s $counter 2
same 'nodometer.job.cpu{nodometer.job.id=7}' s $counter 1
same 'nodometer.mem.Active_anon_{device=0}' By gauge 1024

# Names in a complete sample of this machine that begin with system, hw, cpu, disk or network must
# be names of OpenTelemetry's semantic conventions.
"$bin/nodometer" collect --stdout >"$scratch/sample" || die 'no sample'
: >"$list"
"$bin/nodometer" export --to otlp "$scratch/sample" | curl -fsS --data-binary @- \
	-H 'Content-Type: application/x-protobuf' -H 'X-Scope-OrgID: hpc' \
	"http://127.0.0.1:$port/v1/metrics" || die 'no points'
awk '/\/\*\*/ { old = 0 } /@deprecated/ { old = 1 }
	/^declare const (METRIC|ATTR)_/ && !old { gsub(/[";]/, "", $NF); print $NF }' \
	"$scratch"/node_modules/@opentelemetry/semantic-conventions/dist/*_metrics.d.mts \
	"$scratch"/node_modules/@opentelemetry/semantic-conventions/dist/*_attributes.d.mts |
	sort -u >"$scratch/conventions"
awk '{ split($3, part, /[{},]/)
	for (i in part) { sub(/=.*/, "", part[i]); print part[i] } }' "$list" |
	grep -E '^(system|hw|cpu|disk|network)[.]' | sort -u >"$scratch/names"
[ "$(wc -l <"$scratch/names")" -ge 15 ] || fail "only $(cat "$scratch/names")"
comm -23 "$scratch/names" "$scratch/conventions" | grep . && fail 'no names of the conventions'
say "$(wc -l <"$scratch/names") names are those of the conventions"
say "$(sort -u "$list" | wc -l) points, each as the archive has it, of $(wc -l <"$list") that came"
finish
