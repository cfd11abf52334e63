#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# remedies.sh - a message names what failed, why, and the command, option or key that helps
. "$(dirname "$0")/lib.sh"

# Job 15 of ann on host n1, three samples
mkdir -p "$work/a/n1" "$work/bin"
# shellcheck disable=SC2016 # properties, not variables
{
	printf '$hpcperfstats 1.0.2\n$hostname n1\n!cpu user,E,U=cs system,E,U=cs idle,E,U=cs\n'
	for i in 0 1 2; do
		printf '\n%d 15\n' $((1700000000 + 600 * i))
		[ $i = 0 ] && echo '%begin 15 user=ann nodes=1'
		[ $i = 2 ] && echo '%end 15'
		printf 'cpu 0 %d 0 %d\n' $((1000 * i)) $((2000 * i))
	done
} >"$work/a/n1/1700000000"
printf '%s\n' '[agent]' "dir = $work/a" "runtime-dir = $work/run" 'hostname = n1' >"$work/conf"
cp nodometer "$work/bin/nodometer"	# a front end beside which no other program is

# tries STATUS TEXT COMMAND...: a line of its output must have the text
tries()
{
	want=$1 text=$2
	shift 2
	"$@" >"$work/said" 2>&1 </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want: $(cat "$work/said")"
	while read -r line; do
		case $line in *"$text"*) return ;; esac
	done <"$work/said"
	fail "$*: \"$text\" is not said: $(cat "$work/said")"
}

# Rows of STATUS | WORDS of the command line | TEXT
while IFS='|' read -r status words text; do
	# shellcheck disable=SC2086 # several words
	tries $status "${text# }" "$bin/nodometer" --config "$work/conf" $words
done <<'END'
0 | -h | usage: nodometer [OPTIONS] COMMAND
0 | help -h | usage: nodometer [OPTIONS] COMMAND
0 | jobs -h | -h, --help
0 | status -h | usage: nodometer status
0 | gather -h | usage: nodometer gather
2 | jobs 15 | unexpected argument "15"; "nodometer report JOB" reports one job
2 | status foo | unexpected argument "foo"
END
tries 0 'usage: nodometer-send' "$bin/nodometer-send" -h
tries 0 'usage: nodometer install-hooks' sh "${srcdir:-.}/hooks/install-hooks" -h
if [ -x nodometer-tcp ]; then	# -h is an option of its own
	tries 0 'usage: nodometer tcp graph' "$bin/nodometer-tcp" graph -h
fi

# What is no command but a program
tries 2 'send is no command: run nodometer-send' "$work/bin/nodometer" send --check
tries 2 'unknown command "sned"; did you mean nodometer-send?' "$work/bin/nodometer" sned
tries 2 'unknown command "foo"; "nodometer --help"' "$work/bin/nodometer" foo
exit $failed
