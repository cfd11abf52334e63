#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shell.sh - shellcheck accepts every script
#
# In a clone, only scripts that differ from the last commit are checked. With ALL=1, as in
# run-tests, all scripts are checked, which takes 20 s.
. "$(dirname "$0")/gate.sh"
need shellcheck
old=$(shellcheck --version | sed -n 's/^version: \(0\.[0-7]\..*\)/\1/p')
[ -z "$old" ] || skip "shellcheck $old does not find the files that a script sources; 0.8 does"

# Two checks are off: SC2016 (programs of awk or sh are in single quotes on purpose) and SC2119 (a
# function may have optional arguments).
list=$(scripts)
n=$(echo "$list" | wc -l)
[ "$n" -gt 100 ] || finish 0 "only $n scripts were found: $list"
if [ -z "${ALL:-}" ] && [ -e .git ] && differ=$(git diff --name-only HEAD 2>/dev/null); then
	differ=$(echo "$differ"; git ls-files --others --exclude-standard)
	list=$(echo "$list" | grep -Fx -e "$differ") || {
		echo "none of $n scripts differs from the last commit; ALL=1 looks at all"
		exit 0
	}
fi
# shellcheck disable=SC2086 # file names hold no blanks
out=$(shellcheck -x -P SCRIPTDIR -e SC2016,SC2119 -f gcc $list 2>&1)
status=$?
[ -n "$out" ] || finish $status ""
finish 0 "$out"
