#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - hooks harm no job: they exit with status 0, in time, leave no child, and run no program
# of the user
#
# Each hook runs with every shell that may be /bin/sh, and with a fake nodometer in place of the
# installed one. The test reads a hook's output to its end, as slurmd does; if a child kept the
# output open, the test would wait for the child.
. "$(dirname "$0")/run_lib.sh"
mkdir "$here/evil" "$here/shells"
words='nodometer timeout env sh test [ echo read true printf command exec unset set exit'

clean()
{
	env -i "$@"
}

# hostile COMMAND...: run COMMAND in an environment where the user has replaced every word that a
# hook may use, by a program in PATH and by an exported function.
hostile()
{
	for word in $words; do
		set -- "BASH_FUNC_$word%%=() { : >$here/owned; }" "$@"
	done
	env -i PATH="$here/evil" IFS=/ CDPATH=/tmp ENV="$here/evil/env" BASH_ENV="$here/evil/env" \
		LD_LIBRARY_PATH="$here/evil" "$@"
}

# hook SHELL NAME VERB JOB: run the hook NAME as its scheduler does, in the environment that the
# function $environment makes: clean or hostile
hook()
{
	set -- "$1" "$here/$2" "$3" "$4" "${2%/*}"
	case $5 in
	generic) $environment "$1" "$2" "$3" "$4" ;;
	slurm) $environment SLURM_JOB_ID="$4" SLURM_JOB_USER=ann "$1" "$2" ;;
	pbs) $environment "$1" "$2" "$4" ann users ;;
	torque) $environment "$1" "$2" "$4" ann users 4 5 6 7 8 9 271 ;;
	gridengine) $environment "$1" "$2" "$4" undefined ann main.q ;;
	lsf) $environment LSB_JOBID="$4" LSB_JOBINDEX=0 LSFUSER=ann "$1" "$2" ;;
	htcondor) printf 'ClusterId = %s\nOwner = "ann"\nProcId = 0\n' "$4" |
			$environment "$1" "$2" ;;
	flux) $environment FLUX_JOB_ID="$4" FLUX_JOB_USERID=ann "$1" "$2" ;;
	esac 2>&1
}

# check_marks SHELL NAME VERB: in any environment and for any job id, the hook must request the mark
# VERB. For the last id, the fake nodometer writes its environment to a file. It starts no other
# program, because this function runs five hundred times.
check_marks()
{
	shell=$1 name=$2 verb=$3
	# shellcheck disable=SC2016 # the fake expands them
	fake_is 'printf "%s|" "$@" >'"$here/said"'
		for last; do :; done
		case $last in "*" | "*".0) /usr/bin/env >'"$here/environment"' ;; esac'
	: >"$here/environment"
	for id in 1981063 '12_[3]' "a b;\$(: >$here/owned)\`: >$here/owned\`'\"" '--help' '*'; do
		: >"$here/said"
		out=$(hook "$shell" "$name" "$verb" "$id") || fail "$name: status $?"
		[ -z "$out" ] || fail "$name: says \"$out\" of job $id"
		IFS= read -r said <"$here/said"
		case $name in htcondor/*) id=$id.0 ;; esac
		case $said in
		"$verb|"*"|--|$id|" | "$verb|--|$id|") ;;
		*) fail "$name: ran nodometer with \"$said\"" ;;
		esac
		case $name$said in
		*/epi* | *_exit* | */post* | generic/* | *'=ann|'*) ;;
		*) fail "$name: does not say whose job it is: \"$said\"" ;;
		esac
	done
	[ -s "$here/environment" ] || fail "$name: no environment is seen"
	! grep -E 'evil|LD_|BASH' "$here/environment" || fail "$name: passes its environment on"
	[ ! -e "$here/owned" ] || { fail "$name: ran something of the user's"; rm "$here/owned"; }
}

check_missing()
{
	rm -f "$fake"
	out=$(hook "$1" "$2" "$3" 1) || fail "$2: status $? without nodometer"
	[ -n "$out" ] || fail "$2: does not say that nodometer is missing"
}

# check_hang SHELL NAME VERB: with a nodometer that hangs for a minute, the hook must end by its own
# time limit; if it took too long, write a line to $here/slow. All these checks run at the same
# time. On an idle machine a hook takes three seconds.
check_hang()
{
	began=$(date +%s%N)
	out=$(hook "$1" "$2" "$3" 1) || echo "$2: status $? of a hanging nodometer" >>"$here/slow"
	took=$((($(date +%s%N) - began) / 1000000))
	[ "$took" -lt 20000 ] || echo "$2: took $took ms" >>"$here/slow"
}

begins='slurm/prolog pbs/prologue torque/prologue gridengine/prolog lsf/pre_exec
	htcondor/prepare_job flux/prolog generic/nodometer-hook'
ends='slurm/epilog pbs/epilogue torque/epilogue gridengine/epilog lsf/post_exec
	htcondor/job_exit flux/epilog generic/nodometer-hook'
# shellcheck disable=SC2086 # lists of hooks
install_hooks $begins $ends
for shell in sh dash bash busybox; do
	program=$(command -v $shell) || continue
	# skip a shell if an earlier name led to the same program
	for seen in "$here"/shells/*/sh; do
		[ "$(readlink -f "$seen")" != "$(readlink -f "$program")" ] || continue 2
	done
	mkdir "$here/shells/$shell"
	ln -s "$program" "$here/shells/$shell/sh"
done

for word in $words; do
	printf '#!/bin/sh\n: >"%s/owned"\n' "$here" >"$here/evil/$word"
	chmod +x "$here/evil/$word"
done
for shell in "$here"/shells/*/sh; do
	for environment in clean hostile; do
		for name in $begins; do check_marks "$shell" "$name" begin; done
		for name in $ends; do check_marks "$shell" "$name" end; done
	done
	environment=clean
	for name in $begins; do check_missing "$shell" "$name" begin; done
	for name in $ends; do check_missing "$shell" "$name" end; done
done

environment=clean
fake_is 'trap "" TERM INT HUP; echo $$ >>'"$here/pids"'; sleep 60; sleep 60'
for name in $begins; do check_hang "$here/shells/sh/sh" "$name" begin & done
for name in $ends; do check_hang "$here/shells/sh/sh" "$name" end & done
wait
[ ! -e "$here/slow" ] || fail "$(cat "$here/slow")"
[ "$(wc -l <"$here/pids")" = "$(echo "$begins $ends" | wc -w)" ] ||
	fail 'the hanging nodometer was not run'
while read -r pid; do
	# A zombie has ended; the process with id 1 here may never reap it.
	! grep -qs '^State:.[^Z]' "/proc/$pid/status" || fail "process $pid was left over"
done <"$here/pids"

out=$(env -i sh "$here/generic/nodometer-hook" destroy 1 2>&1) || fail 'status of wrong usage'
case $out in usage:*) ;; *) fail "wrong usage: \"$out\"" ;; esac
[ $failed = 0 ]
