#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# types.sh - "nodometer types" lists active types, then a line for each reason of absence; with
# --all, a line for each absent type
set -u
: "${NODOMETER:=nodometer}"
command -v "$NODOMETER" >/dev/null || { echo "skipped: $NODOMETER was not built"; exit 77; }
out=$(mktemp -d) || exit 99
trap 'rm -rf "$out"' EXIT
status=0
fail() { echo "FAIL: $*"; status=1; }

mkdir -p "$out/root/proc"
echo '0.10 0.20 0.30 1/100 4242' >"$out/root/proc/loadavg"
printf 'cpu  9 0 9 9 0 0 0 0\ncpu0 9 0 9 9 0 0 0 0\nprocesses 7\n' >"$out/root/proc/stat"
printf 'vendor_id\t: GenuineIntel\ncpu family\t: 6\nmodel\t\t: 79\n' >"$out/root/proc/cpuinfo"
"$NODOMETER" types --root "$out/root" >"$out/short" || fail 'types failed'
"$NODOMETER" types --all --root "$out/root" >"$out/all" || fail 'types --all failed'

awk '$2 == "active" && absent { print "active after absent: " $0 } $2 == "absent" { absent = 1 }
	NR > 1 && $2 != "active" && $2 != "absent" { print "neither: " $0 }' "$out/all" \
	>"$out/wrong"
head -n 1 "$out/all" | grep -q '^Type  *State  *Interrupts Devices$' || fail 'no heads of columns'
[ ! -s "$out/wrong" ] || fail "$(cat "$out/wrong")"
for type in cpu ps; do
	grep -q "^$type  *active  *0 " "$out/all" || fail "$type is not active"
done

sed '1d; /^$/,$d' "$out/short" | sed 's/  *active .*//' >"$out/active"
sed -n 's/  *active .*//p' "$out/all" | diff - "$out/active" || fail 'not the active ones, first'

# Each absent type is in one line, that of its reason; each reason has only one line.
sed '1,/^Absent/d' "$out/short" >"$out/reasons"
awk -F ': ' '{ n = split($1, name, " ")
	if (name[n] == "more") total += name[n - 1] - 3
	total += n } END { print total }' "$out/reasons" >"$out/total"
grep -c ' absent  ' "$out/all" | diff - "$out/total" || fail 'not each absent type once'
sed 's/^[^:]*: //; s/; .*//' "$out/reasons" | sort | uniq -d >"$out/twice"
[ ! -s "$out/twice" ] || fail "reasons with two lines: $(cat "$out/twice")"
sed 's/^  *//' "$out/reasons" | while IFS= read -r line; do
	for type in ${line%%:*}; do
		case $type in and | more | [0-9]*) continue ;; esac
		case $(sed -n "s/^$type  *absent  //p" "$out/all") in
		"${line#*: }" | "${line#*: }; "*) ;;
		*) echo "$type: $line" ;;
		esac
	done
done >"$out/wrong"
[ ! -s "$out/wrong" ] || fail "another reason: $(cat "$out/wrong")"
grep -q '^  amd64_df .* and [0-9]* more: processor is Intel Broadwell$' "$out/reasons" ||
	fail 'types of other processors have no line of their own'
grep -q '^  llite lnet mdc osc: no Lustre client' "$out/reasons" || fail 'no line for Lustre'
[ $status = 0 ] || cat "$out/short"
exit $status
