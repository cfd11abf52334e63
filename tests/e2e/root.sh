#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# root.sh - an agent with --root reads only the captured tree, and nothing of this machine
. "$(dirname "$0")/lib.sh"

# Combine captured trees of many collectors: each type must print the rows that its own test
# expects.
root=$scratch/root
mkdir -p "$root/proc"
echo 4753669.01 9507338.00 >"$root/proc/uptime"
cases='cpu/holes mem/sparse-nodes vm/6.18-kernel net/2.6.32-kernel'
for case in $cases; do
	cp -R "$srcdir/tests/collectors/$case/root/." "$root/" || fail "$case"
	chmod -R u+w "$root"
done
start_agent --root "$root"
expect 0 nodometer collect
stop_agent
is "groups" "$(groups | wc -l)" 2
whole_archive

for case in $cases; do
	type=${case%%/*}
	grep "^$type " "$srcdir/tests/collectors/$case/expected" >"$scratch/expected"
	awk -v type="$type" '$0 == "" { n++ } n == 2 && $1 == type' "$archive/$host/current" |
		diff "$scratch/expected" - || fail "$case: the agent prints other rows"
done
grep -q '^\$boot_id' "$archive/$host/current" && fail "a boot_id that is not in the tree"

# With an empty tree, no type is present, but the agent runs and writes complete record groups.
mkdir "$scratch/nothing"
rm -r "${archive:?}/$host"
start_agent --root "$scratch/nothing"
expect 0 nodometer begin 1201
is "jobs" "$(last_jobs)" 1201
is "types" "$(grep -c '^!' "$archive/$host/current")" 1
stop_agent
"$bin/nodometer-check" "$archive/$host/current" >"$scratch/check" || fail "$(cat "$scratch/check")"

# A missing tree is reported at once.
expect 1 timeout 30 "$bin/nodometerd" --config "$conf" --root "$scratch/none" 2>"$scratch/err"
grep -q "$scratch/none" "$scratch/err" || fail "it does not say why: $(cat "$scratch/err")"
