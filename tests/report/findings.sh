#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# findings.sh - each finding just beyond its threshold and not just below, in a table of jobs too
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
. "$(dirname "$0")/lib.sh"
src=$(cd "${srcdir:-.}" && pwd) || exit 99
report=$bin/nodometer-report
python3 "$src/tests/report/findings.py" "$report" "$bin/nodometer-jobs" \
	"$work" "$src/figures/findings.c" || failed=1

# advised JOB LINE...: rules that are found with these lines as the site's own, or what is wrong
advised()
{
	job=$1
	shift
	printf '%s\n' "$@" >"$work/advice"
	"$report" --dir "$work/$job" --advice "$work/advice" --json 7 2>"$work/said" |
		tr '{' '\n' | sed -n 's/^"rule":"\([a-z-]*\)".*/\1/p' | tr '\n' ' '
}

is() {	# WHAT GOT WANT
	[ "$2" = "$3" ] || fail "$1: \"$2\", not \"$3\""
}

is 'as it comes' "$(advised healthy '')" ''
is 'a threshold of the site' "$(advised healthy 'low-cpu = 98')" 'low-cpu '
is 'a rule that is off' "$(advised 'killed-for-memory 0' 'killed-for-memory = off')" ''
is 'a threshold that is out of reach' "$(advised 'killed-for-memory 0' 'killed-for-memory = 2')" ''
advised 'killed-for-memory 0' 'killed-for-memory.link = https://hpc.example.org/memory' >/dev/null
"$report" --dir "$work/killed-for-memory 0" --advice "$work/advice" 7 >"$work/page" 2>&1
grep -q 'https://hpc.example.org/memory' "$work/page" || fail 'no link of the site on the page'

# wrong LINE MESSAGE: is refused, with its place
wrong()
{
	printf '# of the site\n%s\n' "$1" >"$work/advice"
	"$report" --dir "$work/healthy" --advice "$work/advice" 7 >"$work/page" 2>"$work/said" &&
		fail "\"$1\" is taken"
	grep -q "$work/advice:2: .*$2" "$work/said" || fail "\"$1\": $(cat "$work/said")"
}
wrong 'low-cpus = 5' 'no rule "low-cpus"; did you mean "low-cpu"?'
wrong 'of-the-site = 5' 'no rule "of-the-site"'
wrong 'low-cpu' 'want RULE = NUMBER'
wrong 'low-cpu.lnk = x' 'want RULE.link'
for value in many -3 nan inf '' '5 %'; do
	wrong "low-cpu = $value" 'want a number that is not below 0, or off'
done
"$report" --dir "$work/healthy" --advice "$work/none" 7 >/dev/null 2>"$work/said" &&
	fail 'a file that is not there is taken'
exit $failed
