#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# globals_dir.sh - --dir and --root of the command line replace those of the configuration
. "$(dirname "$0")/lib.sh"

mkdir -p "$scratch/tree/proc"

# Commands that write to the archive use --dir, and take samples below --root; other commands refuse
# these options.
while read -r command words; do
	rm -rf "$scratch/other"
	# shellcheck disable=SC2086 # a list of words
	nodometer "$command" --dir "$scratch/other" --root "$scratch/tree" $words ||
		fail "$command: status $?"
	[ -e "$scratch/other/$host/current" ] || fail "$command: nothing in --dir"
	! grep -q '^!cpu' "$scratch/other/$host/current" || fail "$command: types of this machine"
done <<-'END'
	begin 1201
	collect
	end 1201
	mark text
	rotate
END
nodometer status --dir "$scratch/other" | grep -qF "$scratch/other" || fail "status: another"
nodometer types --root "$scratch/tree" >"$scratch/out" || fail "types"
! grep -q '^cpu .*active' "$scratch/out" || fail "types: those of this machine"
nodometer types --schema --json cpu --root "$scratch/tree" >"$scratch/out" || fail "schema"
! grep -q '"here":true' "$scratch/out" || fail "schema: that of this machine"
nodometer config check --dir "$scratch/other" --root "$scratch/tree" >"$scratch/out" ||
	fail "config: $(cat "$scratch/out")"

# Programs that the front end starts read the archive that --dir names. The option may come before
# or after the command's name.
rm -rf "$scratch/other"
nodometer collect --dir "$scratch/other" || fail "collect"
for dir in "--dir $scratch/other" "--dir=$scratch/other"; do
	# shellcheck disable=SC2086 # two words, or one
	for at in "$dir cat" "cat $dir"; do
		nodometer $at --type mem >"$scratch/out" || fail "$at: status $?"
		grep -q '"type":"mem"' "$scratch/out" || fail "$at: $(cat "$scratch/out")"
	done
done
