#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - with --from a real ClickHouse, report, jobs, plot and cat print the same as from the
# archive
packages='clickhouse-server clickhouse-client nginx-light curl openssl perl'
namespaces='--net'
. "$(dirname "$0")/../lib.sh"
# shellcheck source=../../engines.sh
. "$top/tests/engines.sh"
grep -q '^#define HAVE_CURL ' "$bin/config.h" || skip 'built without libcurl'
ip link set lo up || skip 'no network namespace'
first=1700000400 archive=$scratch/archive
from=http://127.0.0.1:18123
clickhouse_files "$scratch/ch"
hidden=$(printf secret | sha256sum | cut -d ' ' -f 1)
ann="<password_sha256_hex>$hidden</password_sha256_hex><networks><ip>127.0.0.1</ip></networks>"
ann="$ann<profile>default</profile><quota>default</quota>"
sed -i "s|</default></users>|</default><ann>$ann</ann></users>|" "$scratch/ch/users.xml"
clickhouse_begin

# Three hosts: a 32-bit counter wraps, one host has two files, one host's records come from a
# sender, and some numbers are too large for a double.
made()
{
	mkdir -p "${4-$archive}/$1"
	awk -v H="$1" -v FIRST="$2" -v N="$3" -f "$top/tests/formats/shipped.awk" /dev/null |
		sed 's/pkg_energy,E,U=mJ/pkg_energy,E,W=32,U=mJ/' | awk '$1 == "intel_rapl" {
			$3 %= 4294967296 }
			/^\$hostname/ { print; print "$below cpu 0 1"; next }
			/^!mem/ { print "!wide most,E" }
			/^mem / { print "wide 0 18446744073709551615" } { print }' \
			>"${4-$archive}/$1/$2"
}
made n1 $first 144
made n2 $first 100
made n2 $((first + 100 * 600)) 44
made n3 $first 144
into="$from/?query=INSERT+INTO+nodometer.records+FORMAT+JSONEachRow"
for _ in once twice; do		# a record that was inserted twice counts once
	"$bin/nodometer" export --to records "$archive/n2"/* "$archive/n3"/* |
		curl -fsS --data-binary @- "$into" || die 'ClickHouse takes no records'
done
conf=$scratch/conf
cat >"$conf" <<C
[agent]
hostname = n1
dir = $scratch/sent
[send]
state-dir = $scratch/state
[sink http ch]
url = $into
format = records
rate = 100000
C
echo 'types = cpu' | cat "$conf" - >"$scratch/wrong"
"$bin/nodometer-send" --config "$scratch/wrong" --check >"$scratch/log" 2>&1 &&
	fail 'types with whole records'
grep -q 'this format sends whole records' "$scratch/log" || fail "$(cat "$scratch/log")"
mkdir "$scratch/sent"
sender
wait_until test -e "$scratch/state/n1/http.ch" || die "no cursor: $(cat "$scratch/send.log")"
made n1 $first 145 "$scratch/new"	# the newest record may still grow and is not sent
ln "$scratch/new/n1/$first" "$scratch/new/n1/current"
mv "$scratch/new/n1" "$scratch/sent/n1"
sent() { [ "$(ask "SELECT count() FROM nodometer.records FINAL WHERE host = 'n1'")" = 144 ]; }
wait_times 3 sent || die "not delivered: $(cat "$scratch/send.log")"
stop "$sender"

# same COMMAND...: nodometer COMMAND must print the same with --from as with --dir
same()
{
	"$bin/nodometer" "$@" --dir "$archive" >"$scratch/want" 2>"$scratch/err" ||
		die "$*: $(cat "$scratch/err")"
	"$bin/nodometer" "$@" --from "$from" >"$scratch/got" 2>"$scratch/err" ||
		fail "$* --from: $(cat "$scratch/err")"
	[ -s "$scratch/want" ] || die "$*: nothing"
	cmp -s "$scratch/want" "$scratch/got" ||
		fail "$*: $(diff "$scratch/want" "$scratch/got" | head -n 5)"
}
same report 7 --json
same report 7 --verbose
same report --host n2 --json
same report --host 'n?' --since $((first + 6000)) --until $((first + 30000)) --json
same jobs
same jobs --since $first --until $((first + 86400)) --json
same jobs --used --json
same jobs --host n3 --used --json
same compare 7 7 --json
same plot 7 -o -
same plot --host n1 mem:MemFree -o -
same cat
same cat --csv --job 7 --host n2
same cat --schema
same cat --host n1 --type wide --since $((first + 6000)) --until $((first + 9000))
grep -q '"most":18446744073709551615' "$scratch/got" || fail "$(head -n 3 "$scratch/got")"
for program in report jobs plot cat; do
	ldd "$bin/nodometer-$program" | grep -q libcurl && fail "nodometer-$program links libcurl"
done

# refused TEXT COMMAND...: COMMAND must exit with status 1 and print TEXT; its memory is limited to
# 600 MB, unless this build needs more to start
limit='prlimit --as=600000000'
$limit "$bin/nodometer-cat" --help >"$scratch/log" 2>&1 || limit=
refused()
{
	text=$1
	shift
	$limit timeout 60 "$bin/nodometer" "$@" >"$scratch/got" 2>"$scratch/err"
	status=$?
	[ $status = 1 ] && grep -q "$text" "$scratch/err" ||
		fail "$*: status $status, not 1 and \"$text\": $(cat "$scratch/err")"
}
refused 'no records of job 4711 at http' report 4711 --from "$from"
refused 'no records of host n9 at http' report --host n9 --from "$from"
refused 'no files of host n9' cat --host n9 --from "$from"
refused '127.0.0.1:1.*onnect' report 7 --from http://127.0.0.1:1
refused 'answers 404 .*job_days' jobs --from "$from/?database=default"
refused 'answers 401 ' plot 7 --from "$from/?user=ann&password=no"
echo 'user = ann' >"$scratch/login"
refused 'user and password-file' report 7 --from "$from" --login "$scratch/login"
echo 'format = x' >"$scratch/login"
refused 'expected lines KEY = VALUE' report 7 --from "$from" --login "$scratch/login"
refused 'nothing: No such file' report 7 --from "$from" --login "$scratch/nothing"
refused "expected https://" report 7 --from ftp://127.0.0.1

# database NAME: make another database with the tables for records and runs
database()
{
	ask "CREATE DATABASE $1"
	for table in records headers job_days runs; do
		ask "CREATE TABLE $1.$table AS nodometer.$table" || die "no table $table"
	done
	ask "CREATE MATERIALIZED VIEW $1.to_headers TO $1.headers AS SELECT host, header, head,
		toDate(toDateTime(toUInt32(time))) AS day FROM $1.records WHERE head != ''"
	ask "CREATE MATERIALIZED VIEW $1.to_job_days TO $1.job_days AS SELECT job, host,
		toDate(toDateTime(toUInt32(time))) AS day, minState(time) AS first_state,
		maxState(time) AS last_state FROM $1.records
		ARRAY JOIN if(empty(jobs), ['-'], jobs) AS job GROUP BY job, host, day"
}
# send_to DATABASE FILE...: insert the records of these raw files
send_to()
{
	to=$1
	shift
	"$bin/nodometer" export --to records "$@" | curl -fsS --data-binary @- \
		"$url/?query=INSERT+INTO+$to.records+FORMAT+JSONEachRow" || die "no records of $to"
}
url=$from

# If "jobs --append" stored the runs, jobs --used and nodes need no records in the database.
database kept
of_job()	# of_job JOB HOST RECORDS: make a file of HOST with a run of JOB
{
	made "$2" $first "$3" "$archive"
	sed -i "s/^\([0-9][0-9]* \)7/\1$1/; s/^%begin 7/%begin $1/; s/^job 7 /job $1 /" \
		"$archive/$2/$first"
}
all=$archive archive=$scratch/half
for n in 1 2 3 4; do
	of_job 7 k$n 24
done
of_job 8 k5 24
"$bin/nodometer" jobs --dir "$archive" --append "$scratch/runs" >"$scratch/log" ||
	die "no runs: $(cat "$scratch/log")"
into_runs="query=INSERT+INTO+kept.runs+FORMAT+JSONEachRow&input_format_skip_unknown_fields=1"
for _ in once twice; do
	curl -fsS --data-binary "@$scratch/runs" "$url/?$into_runs" || die 'it takes no runs'
done
from="$url/?database=kept"
same_runs()
{
	same jobs --used --json
	same jobs --worst 5
	same jobs --worst 1 --since $first --until $((first + 86400)) --csv
	same jobs --by node
	same jobs --used --format +CPUEff
	same jobs --figures all --json
}
same_runs
same nodes --slow
same nodes --slow --since $first

# If all runs are stored, jobs --used reads only runs, although the database has records, too.
send_to kept "$archive"/*/$first
ask 'RENAME TABLE kept.headers TO kept.away'
same_runs
ask 'RENAME TABLE kept.away TO kept.headers'

# Job 8 continues after its run was stored, and job 9 has no stored run: records of both are needed.
of_job 8 k5 36
of_job 9 k6 24
send_to kept "$archive/k5/$first" "$archive/k6/$first"
same_runs
same jobs --host k5 --used --json	# a part of a run must be computed from its records

# Make a month of 2,000 hosts: 60,000 jobs of one node each, whose stored runs are copies of job 8's
# run. In the time allowed, nodometer can read only stored runs and table job_days.
database month
row=$(ask "SELECT upper(kept) FROM kept.runs FINAL WHERE job = '8'")
run="concat(hex(concat('nodokept1 ', toString((at + $first) * 1000000), ' ',
	toString((at + $first + 13800) * 1000000), ' 24 0 1 1 0 0 1\\n', job)),
	substring('$row', position('$row', '0A38') + 4))"
jobs="SELECT concat('m', toString(number)) AS job, concat('h', toString(number % 2000)) AS host,
	intDiv(number, 2000) * 86400 AS at FROM numbers(60000)"
ask "INSERT INTO month.runs (job, start, length, samples, formula, kept) SELECT job, at + $first,
	13800, 24, (SELECT any(formula) FROM kept.runs), $run FROM ($jobs)" ||
	die 'no month of runs'
ask "INSERT INTO month.job_days SELECT job, host, toDate(toDateTime(toUInt32(at + $first))) AS day,
	minState(at + $first + 0.), maxState(at + $first + 13800.) FROM ($jobs)
	GROUP BY job, host, day, at" || die 'no month of days'
began=$(date +%s)
"$bin/nodometer" jobs --worst 10 --from "$url/?database=month" >"$scratch/got" 2>"$scratch/err" ||
	fail "a month: $(cat "$scratch/err")"
took=$(($(date +%s) - began))
[ "$(grep -c '^m' "$scratch/got")" = 10 ] || fail "a month: $(cat "$scratch/err" "$scratch/got")"
[ $took -lt 60 ] || fail "a month of 2,000 hosts took $took s"
say "60,000 runs of 2,000 hosts: $took s"
from=$url archive=$all

# Records whose header is missing are left out and counted.
ask 'CREATE DATABASE less'
for table in records job_days; do
	ask "CREATE TABLE less.$table AS nodometer.$table" ||
		die "no table $table"
done
ask 'INSERT INTO less.records (time, host, jobs, line, restart, header, marks, rows) SELECT time,
	host, jobs, line, restart, header, marks, rows FROM nodometer.records'
ask 'INSERT INTO less.job_days SELECT * FROM nodometer.job_days'
ask "CREATE TABLE less.headers ENGINE = Memory AS SELECT * FROM nodometer.headers
	WHERE host != 'n3'"
"$bin/nodometer" cat --from "$from/?database=less" >"$scratch/got" 2>"$scratch/err"
grep -q '144 records are left out: their header is missing' "$scratch/err" ||
	fail "$(cat "$scratch/err")"
[ "$(wc -l <"$scratch/err")" = 1 ] || fail "n3: $(cat "$scratch/err")"

# With --from, fleet finds the same faults of hosts as with --dir.
base=$(($(date +%s) - 100)) fleet=$scratch/fleet
# shellcheck source=../../report/fleet_nodes.sh
. "$top/tests/report/fleet_nodes.sh"
for n in $(seq 9); do
	mkdir -p "$fleet/n$n"
done
nodes "$fleet" <<'N'
n1
n2
n3
n4 version=0.0.9
n5 at=-20000
n6 lost=3
n7 error=mem
n8 types=cpu,job,mem
n9 first=7 last=- mark=begin_7
N
for file in "$fleet"/*/*; do
	touch -d "@$((${file##*/} + 2400))" "$file"
done
database fleet
send_to fleet "$fleet"/*/*
refused 'no stored runs of this version' nodes --slow --from "$from/?database=fleet"
seq -f n%g 10 >"$scratch/names"
for form in '' --json; do
	"$bin/nodometer" fleet $form --nodes "$scratch/names" --dir "$fleet" >"$scratch/want"
	is_status=$?
	"$bin/nodometer" fleet $form --nodes "$scratch/names" --from "$from/?database=fleet" \
		>"$scratch/got" 2>"$scratch/err"
	[ $? = $is_status ] && [ $is_status = 2 ] && cmp -s "$scratch/want" "$scratch/got" ||
		fail "fleet $form: $(cat "$scratch/err"; diff "$scratch/want" "$scratch/got" |
			head -n 5)"
done
for fault in version silent lost errors types missing; do
	grep -q "$fault" "$scratch/got" || fail "no $fault: $(cat "$scratch/got")"
done
"$bin/nodometer" fleet --from http://127.0.0.1:1 >"$scratch/got" 2>"$scratch/err"
[ $? = 3 ] && grep -q '127.0.0.1:1.*onnect' "$scratch/err" || fail "fleet: $(cat "$scratch/err")"

# Log in over TLS.
certificate server IP:127.0.0.1,DNS:localhost
cat >"$scratch/nginx.conf" <<X
user root;
daemon off;
worker_processes 1;
pid $scratch/nginx.pid;
error_log $scratch/nginx.log;
events { }
http {
	access_log off;
	client_body_temp_path $scratch/body;
	proxy_temp_path $scratch/proxy;
	fastcgi_temp_path $scratch/fastcgi;
	uwsgi_temp_path $scratch/uwsgi;
	scgi_temp_path $scratch/scgi;
	server {
		listen 127.0.0.1:18443 ssl;
		ssl_certificate $scratch/server.pem;
		ssl_certificate_key $scratch/server.key;
		location / { proxy_pass http://127.0.0.1:18123; }
	}
}
X
background nginx -c "$scratch/nginx.conf" 2>"$scratch/log"
wait_until listens 18443 || die "no nginx: $(cat "$scratch/log" "$scratch/nginx.log")"
(umask 077 && echo secret >"$scratch/password")
printf '# ann\nuser = ann\npassword-file = %s\nca-file = %s\n' "$scratch/password" \
	"$scratch/server.pem" >"$scratch/login"
"$bin/nodometer" report 7 --json --dir "$archive" >"$scratch/want"
"$bin/nodometer" report 7 --json --from https://127.0.0.1:18443 --login "$scratch/login" \
	>"$scratch/got" 2>"$scratch/err" || fail "a login: $(cat "$scratch/err")"
cmp -s "$scratch/want" "$scratch/got" || fail 'a login has other records'
refused 'certificate' report 7 --from https://127.0.0.1:18443
(umask 077 && echo wrong >"$scratch/password")
refused 'answers 401 ' report 7 --from https://127.0.0.1:18443 --login "$scratch/login"

# Use a false server: its answer ends within a row, never ends, has no rows, or has rows in a wrong
# order.
rogue()
{
	background perl "$here/rogue.pl" 18124 "$1"
	wait_until listens 18124 || die 'no rogue'
	refused "$2" cat --from http://127.0.0.1:18124
	stop "$started"
}
rogue cut 'the answer has no valid records'
rogue garbage 'the answer has no valid records'
rogue endless 'the answer has no valid records'
rogue hosts 'the answer is too large'
rogue order 'the answer has no valid records'
rogue head 'the answer is too large'
finish
