#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# names.sh - names as users write them: an array by its id, a host without its domain, a device that
# looks like a pattern
. "$(dirname "$0")/lib.sh"
# file HOST TIME JOB [USER]: append three samples of a job to HOST's file, with its begin mark and
# end mark
file()
{
	mkdir -p "$work/a/$1"
	# shellcheck disable=SC2016 # properties, not variables
	[ -e "$work/a/$1/1700000000" ] || printf '$hpcperfstats 1.0.2\n$hostname %s\n%s\n' "$1" \
		'!cpu user,E,U=cs system,E,U=cs idle,E,U=cs' >"$work/a/$1/1700000000"
	for i in 0 1 2; do
		printf '\n%d %s\n' $(($2 + 600 * i)) "$3"
		[ $i = 0 ] && echo "%begin $3 user=${4:-ann} nodes=1"
		[ $i = 2 ] && echo "%end $3"
		printf 'cpu 0 %d 0 %d\n' $(($2 - 1700000000 + 1000 * i)) $((2000 * i))
	done >>"$work/a/$1/1700000000"
}
# ends STATUS PROGRAM ARGUMENT...: nodometer-PROGRAM must exit with STATUS for the test's archive
ends()
{
	want=$1
	shift
	program=$1
	shift
	"$bin/nodometer-$program" --dir "$work/a" "$@" >"$work/out" 2>"$work/said"
	got=$?
	[ $got = "$want" ] || fail "$program $*: status $got: $(cat "$work/said")"
}
says()
{
	grep -qF -- "$1" "$work/said" || fail "\"$1\" is not said: $(cat "$work/said")"
}

file n017.example.org 1700000000 95_1
file n017.example.org 1700010000 95_2
file n018.example.org 1700010000 95_10
file n018.example.org 1700020000 96
file n018.example.org 1700030000 96
file n018.example.org 1700040000 96 bob
file n019.a.example.org 1700000000 1234.pbs.example.org
file n019.b.example.org 1700000000 97

# For an array, report prints the pages of its tasks in order. --html writes only one page, so its
# error lists the tasks.
ends 0 report 95
pages=$(sed -n 's/^Job \([0-9_]*\)  (ann)$/\1/p' "$work/out" | tr '\n' ' ')
[ "$pages" = '95_1 95_2 95_10 ' ] || fail "pages: $pages"
ends 0 report --json 95
[ "$(grep -c '^{"job":"95_' "$work/out")" = 3 ] || fail "objects: $(cat "$work/out")"
ends 1 report --html "$work/page" 95
says 'job 95 has 3 tasks: 95_1, 95_2, 95_10; name one of them'
# If listing the archive for the next task fails, the report exits with an error.
if command -v strace >/dev/null; then
	strace -qq -o "$work/trace" -P "$work/a" -e trace=openat \
		-e inject=openat:error=EIO:when=2+ "$bin/nodometer-report" --dir "$work/a" 95 \
		>"$work/out" 2>"$work/said"
	got=$?
	if grep -q INJECTED "$work/trace"; then
		[ $got = 1 ] || fail "an archive that is gone: status $got: $(cat "$work/said")"
		says 'Input/output error'
	fi
fi
ends 1 plot -o - 95
says 'did you mean 95_1, 95_2, 95_10?'
ends 0 report 1234
grep -q '^Job 1234.pbs.example.org  (ann)$' "$work/out" || fail "a server's job: $(cat "$work/out")"
ends 1 report 97_3
says '97_3 may be a task of a Slurm array'
ends 1 report 9
says 'no records of job 9 below'
grep -q 'did you mean' "$work/said" && fail "95 is not like 9: $(cat "$work/said")"
ends 1 report 95 98
[ "$(grep -c '^Job [0-9]' "$work/out")" = 3 ] || fail 'one that is not there hides others'

# Each run in a list of jobs has a report: report shows the newest run of an id, and prints the
# --until that selects each other run.
ends 0 jobs --csv
[ "$(grep -c '^96,' "$work/out")" = 3 ] || fail "runs: $(cat "$work/out")"
ends 0 report 96
grep -q '  start     2023-11-15 09:20:00 UTC' "$work/out" || fail "newest: $(cat "$work/out")"
sed -n 's/.*: --until \([0-9]*\)$/\1/p' "$work/out" >"$work/until"
[ "$(wc -l <"$work/until")" = 2 ] || fail "other runs: $(cat "$work/out")"
for start in '06:33:20' '03:46:40'; do
	read -r until
	ends 0 report --until "$until" 96
	grep -q "  start     2023-11-15 $start UTC" "$work/out" ||
		fail "until $until: $(cat "$work/out")"
done <"$work/until"

# Each program accepts a short hostname for --host.
for program in report 'plot -o -' jobs cat; do
	# shellcheck disable=SC2086 # the program and its options
	set -- $program
	command=$1
	shift
	ends 0 "$command" "$@" --host n017
	cp "$work/out" "$work/short"
	ends 0 "$command" "$@" --host n017.example.org
	cmp -s "$work/out" "$work/short" || fail "$program: not the same by the short name"
	grep -q 'n018\|n019' "$work/out" && fail "$program: another host: $(cat "$work/out")"
	ends 1 "$command" "$@" --host n019
	says 'host n019 may be n019.a.example.org or n019.b.example.org: use the full name'
	ends 0 "$command" "$@" --host 'n019*'
done

# --device finds a device whose name has brackets, with and without --by-device.
file n020 1700000000 98
sed -i 's/^cpu 0 /cpu [::1]:1094 /' "$work/a/n020/1700000000"
ends 0 plot --device '[::1]:1094' 98 cpu:user
ends 0 plot --device '[::1]:1094' --by-device 98 cpu:user
ends 1 plot --device '[::2]:1094' 98 cpu:user
ends 1 plot --device '[::2]:1094' --by-device 98 cpu:user
exit $failed
