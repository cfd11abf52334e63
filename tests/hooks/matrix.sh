#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# matrix.sh - hooks with the real programs, in each kind of trouble, exit with status 0, in time,
# silently, and leave no process
#
# The troubles are hostile values, an agent that is stopped while the clock is set, a node without
# an agent and without a runtime directory, and a full disk. The archive must then have only
# complete record groups.
. "$(dirname "$0")/matrix_lib.sh"

none_left() {
	# fail if a process of a hook is left: search all processes for the configuration's path as
	# an argument
	# shellcheck disable=SC2013 # names without blanks
	for p in $(grep -lzsxF -- "$conf" /proc/[0-9]*/cmdline); do
		[ "$p" != "/proc/$agent/cmdline" ] || continue
		case $(tr '\0' ' ' 2>/dev/null <"$p") in
		*"nodometer "*"--config $conf"*) return 1 ;;
		esac
	done
}

# all TROUBLE JOB [VALUE]: run all hooks at once, each for its own job, whose id begins with JOB
all() {
	n=0 many=
	rm -f "$scratch/slow"
	for hook in $hooks; do
		n=$((n + 1))
		one "$hook" "$2$n" "${3-x}" &
		many="$many $!"
	done
	if [ "$1" = 'the agent is stopped' ]; then
		sleep 0.3
		set_clock 7200
		sleep 0.3
		set_clock -7200
	fi
	# shellcheck disable=SC2086 # pids
	wait $many
	set_clock 0
	[ ! -e "$scratch/wrong" ] || fail "$1: $(cat "$scratch/wrong")"
	none_left || fail "$1: a process is left"
	echo "$1: at most $(sort -n "$scratch/took" | tail -n 1) ms"
	rm "$scratch/took"
}

# made: succeed if no mark waits in the spool. If no agent runs, run a command that writes waiting
# marks.
made() {
	[ -n "$(find "$runtime/marks" -name '*.mark' 2>/dev/null)" ] || return 0
	answers || nodometer mark --timeout 20 later 2>/dev/null
	return 1
}

# marks_of JOB: print the begin and end marks of jobs whose ids begin with JOB
marks_of() {
	raw_text | grep -oE "^%(begin|end) $1[0-9]+(\.0)? "
}
# are_there JOB: succeed if the archive has a mark of each hook that did not reach its time limit
are_there() {
	got=$(marks_of "$1" | sort -u | wc -l)
	slow=$(grep -cs . "$scratch/slow")
	[ $((got + ${slow:-0})) -ge $n ]
}

# marked JOB: wait until each hook has one mark. A hook may reach its time limit while it writes
# waiting marks of several hooks: the next process writes these marks again, and readers count each
# of them once.
marked() {
	wait_until 20 made
	wait_until 20 are_there "$1"
	[ "${slow:-0}" -gt 0 ] || got=$(marks_of "$1" | wc -l)
	[ "$got" -le $n ] ||
		fail "$got marks of $n hooks: $(raw_files | xargs grep -ah "^%[a-z]* $1")"
}

start_agent
all 'no trouble' 10
marked 10
long=$(printf '%0100000d' 7)
for value in "%begin 9\"'\`\$(:)\\$(printf '\377\376\033[m')
%end 7
cpu 0 1" "$long"; do
	k=$((${k-20} + 1))
	all "values like \"$(printf %.20s "$value" | tr -dc ' -~')\"" "$k" "$value"
	marked "$k"
	many=
	for hook in $hooks; do
		one "$hook" "$value" x &
		many="$many $!"
	done
	# shellcheck disable=SC2086 # pids
	wait $many
	[ ! -e "$scratch/wrong" ] || fail "job \"$value\": $(cat "$scratch/wrong")"
done
is "forged marks" "$(raw_text | grep -c '^%end 7$')" 0
whole_archive

kill -s STOP "$agent"
all 'the agent is stopped' 30
kill -s CONT "$agent"
wait_until 20 answers
marked 30
stop_agent
rm -rf "$runtime"
all 'no agent, no socket' 40
marked 40

# With free space below free-floor, as on a full disk, and then with a folder that cannot be made,
# hooks write nothing.
n_groups=$(groups | wc -l)
write_config 'free-floor = 1000000G'
all 'the disk is full' 50
write_config "dir = $conf/none"
all 'no folder can be made' 60
write_config
is "groups" "$(groups | wc -l)" "$n_groups"
rm "$scratch/bin/nodometer"
all 'no nodometer' 70
