#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shipped.sh - rules, dashboards and SQL in packaging/share use only names that nodometer export
# writes
#
# Runs in a build folder: names of rules and dashboards, keys and columns of ClickHouse's table.
set -eu
top=$(cd "${srcdir:-.}" && pwd)
share=$top/packaging/share
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAIL: $*"; failed=1; }

awk -v H=n1 -v FIRST=1700000000 -v N=3 -f "$top/tests/formats/shipped.awk" /dev/null >"$work/raw"
./nodometer-cat --monotonic --to prometheus "$work/raw" | sed 's/[{ ].*//' | sort -u >"$work/given"
# Each key in $work/raw is named in the source of its type, or in its schema.
sed -n 's/^!//p' "$work/raw" | while read -r type keys; do
	./nodometer-cat --monotonic --to csv "$work/raw" | grep -q ",$type," || echo "$type: no row"
	case $type in
	xrootd*) table=lib/formats/xrootd/xrd_keys.c ;;
	xrd_*)   table=lib/formats/xrootd/xrdsummary_keys.c ;;
	*)       table=schema/types/${type#intel_}.c ;;
	esac
	for key in $keys; do
		grep -qs "[\".]${key%%,*}\"" "$top/$table" ||
			./nodometer types --schema "$type" | grep -qw "${key%%,*}" ||
			echo "$type has no key ${key%%,*}"
	done
done >"$work/wrong"
[ ! -s "$work/wrong" ] || fail "$(cat "$work/wrong")"

# names FILE...: print the metrics in expressions, except names like "job:...", which rules define
names() { grep -ohE '\b(node|cgroup|nodometer|nvidia)_[a-zA-Z0-9_]+' "$@" | sort -u; }
grep -E '^ +(expr:|increase|rate|max |/ |\+ |\(|> |min |time\(\)|sum |or |and )' \
	"$share/rules.yaml" >"$work/expr"
grep -h '"expr"\|"query"' "$share"/grafana-*.json >>"$work/expr"
# Each pattern for names in the expressions matches at least one name.
grep -oh '__name__=~\\"[^"]*' "$work/expr" | sed 's/.*"//; s/\\$//' | sort -u >"$work/patterns"
while read -r pattern; do
	grep -qxE "$pattern" "$work/given" || fail "nothing gives $pattern"
done <"$work/patterns"
[ -s "$work/patterns" ] || fail 'no patterns'
sed 's/__name__=~\\"[^"]*"//g' "$work/expr" >"$work/named"
names "$work/named" >"$work/asked"
[ "$(wc -l <"$work/asked")" -gt 20 ] || fail "$(wc -l <"$work/asked") names were found"
comm -23 "$work/asked" "$work/given" >"$work/unknown"
[ ! -s "$work/unknown" ] || fail "nothing gives $(tr '\n' ' ' <"$work/unknown")"

# Each line of JSON has the columns of the table, except the column day, as members.
./nodometer-cat --monotonic --to jsonl "$work/raw" | grep -o '"[a-z]*":' | tr -d '":' |
	sort -u >"$work/has"
sed -n '/^CREATE TABLE.*rows$/,/^)/s/^    \([a-z]*\) .*/\1/p' "$share/clickhouse.sql" |
	grep -vx day | sort >"$work/columns"
diff "$work/has" "$work/columns" || fail 'members of lines (<) and columns (>) differ'
exit $failed
