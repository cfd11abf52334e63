#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# export.sh - nodometer export prints the text of the files in tests/formats/export, one in each
# format
set -eu
here=$(cd "${srcdir:-.}/tests/formats/export" && pwd)
front=$PWD/nodometer
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

same()	# WANTED
{
	if [ "${UPDATE:-}" ]; then
		cp "$work/got" "$1"
	elif ! diff -u "$1" "$work/got"; then
		failed=1
	fi
}

cd "$here"
for format in clustercockpit influx jsonl csv openmetrics prometheus records; do
	"$front" export --to $format --label "cluster=a b,\"=\\" a.raw >"$work/got"
	same a.$format
done
"$front" export --to raw --label cluster=a a.raw >"$work/got"
same a.to-raw
# Export to raw text and read this again: only rows with an unknown value are missing, because raw
# text cannot express unknown values.
"$front" export --to jsonl a.raw >"$work/once.all"
grep -v '"key":\["rx_bytes"\]' "$work/once.all" >"$work/once"
"$front" export --to raw a.raw | "$front" export --to jsonl - | diff "$work/once" - || failed=1
for format in remote-write otlp; do
	"$front" export --to $format --label cluster=a a.raw | od -An -tx1 -v >"$work/got"
	same a.$format
done

# If a file cannot be read, the output ends without the line "# EOF", and the exit status shows the
# error.
! "$front" export --to openmetrics a.raw nothing >"$work/got" 2>"$work/err" || failed=1
! grep -q '^# EOF' "$work/got" || { echo 'has an end'; failed=1; }
grep -q 'nothing: ' "$work/err" || failed=1

# --since accepts times as date(1) does, such as @SECONDS.
"$front" export --to jsonl --since 1700000600 a.raw >"$work/want"
"$front" export --to jsonl --since @1700000600 a.raw | cmp "$work/want" - || failed=1
[ -s "$work/want" ] || failed=1

# Counters continue over two files of one host: 2^32 + 4 is followed by 2^32 + 9. Counters of
# another host start at their own values.
sed -e 's/^net eth0 4 5/net eth0 9 5/' -e 's/^17000006/17000012/' -e '/^1700000000/,/^$/d' \
	a.raw >"$work/b.raw"
sed 's/n1[.]/n2./' "$work/b.raw" >"$work/c.raw"
"$front" export --to csv --types net a.raw "$work/b.raw" "$work/c.raw" | sed -n 's/.*rx_bytes,//p' |
	tr '\n' ' ' >"$work/got"
[ "$(cat "$work/got")" = '4294967290 4294967300 4294967305 9 ' ] ||
	{ echo "counters: $(cat "$work/got")"; failed=1; }

# Without --monotonic, counters have the values that were read.
"$front" cat --to csv --type net a.raw "$work/b.raw" "$work/c.raw" | sed -n 's/.*rx_bytes,//p' |
	tr '\n' ' ' >"$work/got"
[ "$(cat "$work/got")" = '4294967290 4 9 9 ' ] ||
	{ echo "as read: $(cat "$work/got")"; failed=1; }
# --dir selects an archive, and --job selects a job, as in other commands.
mkdir -p "$work/archive/n1" && cp a.raw "$work/archive/n1/1700000000"
"$front" cat --to jsonl --monotonic --dir "$work/archive" | cmp "$work/once.all" - || failed=1
"$front" cat --to influx --job none a.raw >"$work/got" 2>"$work/err" && failed=1
[ ! -s "$work/got" ] || { echo 'another job'; failed=1; }

# iowait, steal and energy decrease a little in this archive, and received bytes are 0 for a while:
# no exported value may decrease.
"$front" export --to openmetrics ../../report/counters-dip/archive/n1/1700000000 | grep -v '^#' |
	sort -s -t' ' -k1,1 >"$work/got"
awk '$1 == name && $2 < before { print "falls: " $0; bad = 1 }
	{ name = $1; before = $2; n++ }
	END { exit bad || n < 100 }' "$work/got" || failed=1
grep -q 'energy_joules_total.* 22089999.999 ' "$work/got" || { echo 'energy'; failed=1; }

for wrong in '--to no a.raw' '--to csv --label 1=2 a.raw' '--to csv --dir . a.raw' 'a.raw'; do
	code=0
	# shellcheck disable=SC2086 # words
	"$front" export $wrong >/dev/null 2>&1 || code=$?
	[ $code -eq 2 ] || { echo "\"$wrong\": status $code"; failed=1; }
done
exit $failed
