#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - send rows of runs to ClickHouse with a sender, and load them into PostgreSQL as the
# manual says
packages='clickhouse-server clickhouse-client postgresql curl jq mandoc'
namespaces='--net'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
ip link set lo up || skip 'no network namespace'
now=$(date +%s)
first=$((now - now % 600 - 143 * 600))
archive=$scratch/archive host=n1
for node in n1 n2 n3; do
	mkdir -p "$archive/$node"
	awk -v H=$node -v FIRST=$first -v N=144 -f "$top/tests/formats/shipped.awk" /dev/null \
		>"$archive/$node/$first" || die 'no archive'
done

clickhouse_files "$scratch/ch"
ann='<password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>'
ann="$ann<quota>default</quota><allow_databases><database>ann</database>"
sed -i "s|</default></users>|</default><ann>$ann</allow_databases></ann></users>|" \
	"$scratch/ch/users.xml"
clickhouse_begin

# One sender sends the runs of its own node, and a file with the runs of the archive. The file must
# exist before the sender starts.
: >"$scratch/runs.jsonl"
mkdir "$scratch/done"
into='http://127.0.0.1:18123/?input_format_skip_unknown_fields=1&query=INSERT+INTO+nodometer.'
conf=$scratch/conf
cat >"$conf" <<C
[agent]
hostname = $host
dir = $scratch/own
runtime-dir = $scratch/run
summary-dir = $scratch/done
job-file =
[send]
state-dir = $scratch/state
[sink http runs]
url = ${into}runs+FORMAT+JSONEachRow
lines = $scratch/runs.jsonl
[sink http nodes]
url = ${into}run_nodes+FORMAT+JSONEachRow
runs = yes
C
mkdir "$scratch/own" "$scratch/run"
sender
for sink in runs nodes; do
	wait_until test -e "$scratch/state/$host/http.$sink" ||
		die "no cursor: $(cat "$scratch/send.log")"
done
for job in 7 8; do
	"$bin/nodometer" --config "$conf" begin --attr user=ann --attr account=phys -- $job ||
		fail "no begin of $job"
	"$bin/nodometer" --config "$conf" end $job || fail "no end of $job"
done
"$bin/nodometer" jobs --dir "$archive" --append "$scratch/runs.jsonl" --figures all --json \
	>"$scratch/jobs" || die 'no jobs'
[ "$(wc -l <"$scratch/jobs")" = 1 ] || die "jobs: $(cat "$scratch/jobs")"

# same WHAT FILE: FILE must have the same "FIGURE VALUE" lines as the run, to nine digits
jq -r '.figures | to_entries[] | "\(.key) \(.value)"' "$scratch/jobs" | sort >"$scratch/want"
[ "$(wc -l <"$scratch/want")" -ge 20 ] || fail 'hardly any figure'
same()
{
	sort "$2" | join -a 1 "$scratch/want" - | awk '{ d = $2 - $3; m = $2 < 0 ? -$2 : $2
		if (NF != 3 || (d < 0 ? -d : d) > m * 1e-9) { print; bad = 1 } }
		END { exit bad }' >"$scratch/log" || fail "$1: $(head -n 3 "$scratch/log")"
}
jq -r '.parts | del(.given) | to_entries[] | "\(.key) \(.value)"' "$scratch/jobs" |
	sort >"$scratch/parts"
[ "$(wc -l <"$scratch/parts")" = 9 ] || fail "parts: $(cat "$scratch/parts")"
# same_parts WHERE: fail unless standard input has the parts of the run's CPU time
same_parts() { sort | cmp -s "$scratch/parts" - || fail "parts in $1 are not those of report"; }
count_is() { [ "$(ask "SELECT count() FROM nodometer.$1 FINAL")" = "$2" ]; }
wait_times 3 count_is runs 1 || die "no run: $(cat "$scratch/send.log")"
ask 'SELECT figure, value FROM nodometer.runs FINAL ARRAY JOIN figure, value' | tr '\t' ' ' \
	>"$scratch/got"
same 'figures in ClickHouse' "$scratch/got"
ask 'SELECT name, number FROM nodometer.run_figures FINAL' | tr '\t' ' ' >"$scratch/got"
same 'a row for each' "$scratch/got"
ask 'SELECT p, n FROM nodometer.runs FINAL ARRAY JOIN part AS p, part_seconds AS n' | tr '\t' ' ' |
	same_parts ClickHouse
wait_times 3 count_is run_nodes 2 || die "no run of the node: $(cat "$scratch/send.log")"
[ "$(ask 'SELECT job, host, user, account FROM nodometer.run_nodes ORDER BY job' |
	tr '\t\n' '  ')" = "7 $host ann phys 8 $host ann phys " ] || fail 'runs of the node'
[ "$(ask "SELECT groupArray(abs(end - $now) < 600) FROM nodometer.run_nodes")" = '[1,1]' ] ||
	fail 'times of runs of the node'

# Each user gets a database with only their own runs, since not all versions have row policies.
ask "INSERT INTO nodometer.runs (job, start, user) VALUES ('10', $first, 'ann')" || fail 'no row'
sed -n '/CREATE DATABASE ann/,/POPULATE/{ s/^--//; p; }' \
	"$top/packaging/share/clickhouse.sql" | clickhouse-client --port 19000 --multiquery ||
	fail 'no view'
ask "INSERT INTO nodometer.runs (job, start, user) VALUES ('11', $first, 'bob'),
	('12', $first, 'ann')" || fail 'no rows'
ask 'SELECT job FROM nodometer.runs' --user ann >"$scratch/log" 2>&1 && fail 'ann sees all runs'
[ "$(ask 'SELECT job FROM ann.runs ORDER BY job' --user ann | tr '\n' ' ')" = '10 12 ' ] ||
	fail "ann sees $(ask 'SELECT job FROM ann.runs' --user ann 2>&1)"
count_is runs 4 || fail 'who may does not see all'

# Table hours: counters and gauges of a day do not change if rows are inserted twice.
for _ in once twice; do
	"$bin/nodometer" export --to jsonl "$archive/n1/$first" |
		curl -fsS --data-binary @- "${into}rows+FORMAT+JSONEachRow" || die 'no rows'
done
for table in rows runs run_nodes; do
	[ "$(ask "SELECT abs(min(day) - today()) < 3 FROM nodometer.$table")" = 1 ] ||
		fail "the days of $table"
done
by_hour=$(ask "SELECT max(maximum), max(at_last) - min(at_first), uniq(hour) >= 24
	FROM nodometer.hours WHERE type = 'net' AND metric = 'rx_bytes'")
[ "$by_hour" = "$(printf '858000000\t858000000\t1')" ] || fail "by the hour: $by_hour"

# PostgreSQL: run the commands of the manual, with this file and a figure that the run has.
pg=$(find /usr/lib/postgresql -maxdepth 1 -mindepth 1 | sort -V | tail -n 1)/bin
own() { exec setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }
mkdir "$scratch/pg"
chown postgres "$scratch/pg" || skip 'no user postgres'
cd "$scratch/pg" || exit 1
(own test -w .) || { say 'PostgreSQL is not tried: its user cannot come here'; finish; }
(own "$pg/initdb" -D "$scratch/pg/data" -A trust -U postgres -N) >"$scratch/log" 2>&1 ||
	die "$(cat "$scratch/log")"
background own "$pg/postgres" -D "$scratch/pg/data" -c listen_addresses=127.0.0.1 \
	-c port=15432 -c unix_socket_directories= -c fsync=off 2>"$scratch/pg.log"
wait_until "$pg/pg_isready" -q -h 127.0.0.1 -p 15432 || die "$(cat "$scratch/pg.log")"
mandoc -T utf8 -O width=200 "$top/man/nodometer-jobs.7" | sed 's/.\x08//g' |
	sed -n '/in PostgreSQL/,/^SEE ALSO/{ /psql/,/^$/p; }' |
	sed "s/^ *\\$ //; s|/var/lib/nodometer-runs|$scratch|; s/llite.write_bytes/net.rx_bytes/" \
	>"$scratch/commands"
[ "$(grep -c '^psql' "$scratch/commands")" = 2 ] || die "$(cat "$scratch/commands")"
export PGHOST=127.0.0.1 PGPORT=15432 PGUSER=postgres PGOPTIONS='-c client_min_messages=warning'
cat "$scratch/runs.jsonl" >>"$scratch/again"
cat "$scratch/again" >>"$scratch/runs.jsonl"	# a line that was loaded twice counts once
sh -e "$scratch/commands" >"$scratch/out" 2>&1 || fail "$(cat "$scratch/out")"
grep '^ *7 ' "$scratch/out" | awk '{ print "net.rx_bytes", $NF }' >"$scratch/got"
grep '^net.rx_bytes ' "$scratch/want" >"$scratch/one" && mv "$scratch/one" "$scratch/want"
same 'PostgreSQL' "$scratch/got"
"$pg/psql" -AtF ' ' -c "SELECT DISTINCT part, seconds FROM runs, ROWS FROM (
	jsonb_array_elements_text(line->'part'), jsonb_array_elements_text(line->'part_seconds'))
	AS parts (part, seconds)" | same_parts PostgreSQL
finish
