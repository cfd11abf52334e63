#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer-send --audit finds and fills the holes that the test makes in the data of a
# real ClickHouse
packages='clickhouse-server clickhouse-client nginx-light curl'
namespaces='--net'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
ip link set lo up || skip 'no network namespace'
first=1700000400 host=n1
clickhouse_files "$scratch/ch"
clickhouse_begin

refusing_files "$scratch" 70
background nginx -c "$scratch/nginx.conf" 2>"$scratch/log"
wait_until listens 18080 || die "no nginx: $(cat "$scratch/log" "$scratch/nginx.log")"

conf=$scratch/conf
cat >"$conf" <<C
[agent]
hostname = $host
dir = $scratch/archive
[send]
state-dir = $scratch/state
[sink http ch]
url = http://127.0.0.1:18080/?query=INSERT%20INTO%20nodometer.rows+FORMAT+JSONEachRow
format = jsonl
types = cpu mem net intel_rapl ps job
rate = 100000
C
sed 's/18080/18123/' "$conf" >"$scratch/direct"
audit()	# STATUS TEXT: --audit must exit with STATUS and print TEXT
{
	"$bin/nodometer-send" --config "$scratch/direct" --audit >"$scratch/said" 2>&1
	status=$?
	[ $status = "$1" ] && grep -q "$2" "$scratch/said" ||
		fail "--audit ends with $status, not $1 and \"$2\": $(tail -n 3 "$scratch/said")"
}

# The archive has two files; a 32-bit counter wraps in both.
mkdir -p "$scratch/archive" "$scratch/new"
made()	# made EPOCH RECORDS: make a file of RECORDS records
{
	awk -v H=$host -v FIRST="$1" -v N="$2" -f "$top/tests/formats/shipped.awk" /dev/null |
		sed 's/pkg_energy,E,U=mJ/pkg_energy,E,W=32,U=mJ/' | awk '$1 == "intel_rapl" {
			$3 %= 4294967296 } { print }' >"$scratch/new/$1"
}
made $first 144
made $((first + 144 * 600)) 300
sender
wait_until test -e "$scratch/state/$host/http.ch" || die "no cursor: $(cat "$scratch/send.log")"
audit 1 'nothing was delivered yet'
ln "$scratch/new/$((first + 144 * 600))" "$scratch/new/current"
mv "$scratch/new" "$scratch/archive/$host"
last=$((first + 442 * 600))	# the newest record may still grow
delivered() { grep -q "^time_us ${last}000000\$" "$scratch/state/$host/http.ch"; }
wait_times 3 delivered || die "not delivered: $(cat "$scratch/send.log")"
stop "$sender"
refused=$(sed -n 's/^refused //p' "$scratch/state/$host/http.ch")
[ -n "$refused" ] || die 'no cursor'
cp "$scratch/state/$host/http.ch" "$scratch/cursor"

# whole WHEN: fail unless the database has each row of the archive once, with the same values
"$bin/nodometer" export --to jsonl --types cpu,mem,net,intel_rapl,ps,job \
	"$scratch/archive/$host"/1* \
	>"$scratch/lines" 2>"$scratch/log" || die "no export: $(cat "$scratch/log")"
ask 'CREATE TABLE nodometer.want AS nodometer.rows ENGINE = ReplacingMergeTree
	PARTITION BY toYYYYMM(day) ORDER BY (type, host, device, mark, time)'
curl -fsS --data-binary @"$scratch/lines" \
	'http://127.0.0.1:18123/?query=INSERT+INTO+nodometer.want+FORMAT+JSONEachRow' ||
	die 'no rows'
rows() { ask "SELECT time, host, type, device, mark, key, value FROM nodometer.$1 FINAL
	WHERE time >= $begin AND time <= $last ORDER BY time, type, device, mark"; }
whole()
{
	rows want >"$scratch/want"
	rows rows | cmp -s - "$scratch/want" || fail "$1: rows differ: $(rows rows |
		diff - "$scratch/want" | head -n 5)"
}
begin=$(ask 'SELECT toUInt32(min(time)) FROM nodometer.rows')
audit 0 ': '
[ "$refused" = 0 ] || grep -q "were sent again, and the receiver has all of them" "$scratch/said" ||
	fail "$(tail -n 3 "$scratch/said")"
whole 'refused ones'
audit 0 ': the receiver has all of them$'

# without CONDITION: remove all rows that match CONDITION from the database, such as random rows and
# time ranges. A row that is there twice counts as one row.
without()
{
	ask "CREATE TABLE nodometer.less AS nodometer.want ENGINE = ReplacingMergeTree
		PARTITION BY toYYYYMM(day) ORDER BY (type, host, device, mark, time)"
	ask "INSERT INTO nodometer.less SELECT * FROM nodometer.rows FINAL WHERE NOT ($1) OR
		time < $begin + 600"
	ask 'DROP TABLE nodometer.rows'
	ask 'RENAME TABLE nodometer.less TO nodometer.rows'
}
rm_some="rand() % 50 = 0 OR (time > $((first + 9000 + $$ % 9000)) AND time < $((first + 30000)))"
without "$rm_some OR (type = 'cpu' AND time > $((last - 9000)))"
audit 0 'of.* cpu'
whole 'random ranges'
grep -q '2023-11-1.* records are incomplete at the receiver, of ' "$scratch/said" ||
	fail "$(tail -n 3 "$scratch/said")"
without '1'
audit 0 ': 4[34][0-9] were sent again, and the receiver has all of them$'
whole 'nearly all'

# If the database has other values of a type, they are reported and stay. Missing rows of such a
# type are not sent again.
ask "INSERT INTO nodometer.rows (time, host, type, device, key, value) VALUES
	($((last - 600)), '$host', 'mem', '0', ['MemTotal', 'MemFree', 'AnonPages'], [1, 2, 3])"
without "time = $((last - 1200)) AND type IN ('mem', 'net')"
audit 1 ': 1 were sent again, and 1 are still incomplete at the receiver; .* values of mem, which'
cmp "$scratch/state/$host/http.ch" "$scratch/cursor" || fail 'the cursor has changed'
"$bin/nodometer-send" --config "$scratch/direct" --audit 'http other' >"$scratch/said" 2>&1 &&
	fail 'a sink that is not there'
grep -q 'no section \[sink http other\] in the configuration' "$scratch/said" ||
	fail "$(tail -n 3 "$scratch/said")"
say "$refused records were refused, all are there"
finish
