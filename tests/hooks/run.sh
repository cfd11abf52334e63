#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - hooks harm no job: status 0, an end in time, no child, nothing foreign run
#
# Each hook runs with every shell that may be /bin/sh, with a fake nodometer in the place that
# installing writes into it. Its output is read to its end, as slurmd does it: a child that was left
# running and keeps a descriptor would be waited for.
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
fake=$here/bin/nodometer
failed=0
mkdir "$here/bin" "$here/evil" "$here/shells"

fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}

# fake_is TEXT: what nodometer does from now on
fake_is()
{
	printf '#!/bin/sh\n%s\n' "$1" >"$fake"
	[ -x "$fake" ] || chmod +x "$fake"
}

words='nodometer timeout env sh test [ echo read true printf command exec unset set exit'

clean()
{
	env -i "$@"
}

# Every word that a hook's text could mean, as a program and as an exported function.
hostile()
{
	for word in $words; do
		set -- "BASH_FUNC_$word%%=() { : >$here/owned; }" "$@"
	done
	env -i PATH="$here/evil" IFS=/ CDPATH=/tmp ENV="$here/evil/env" BASH_ENV="$here/evil/env" \
		LD_LIBRARY_PATH="$here/evil" "$@"
}

# hook SHELL NAME VERB JOB: runs it in the $environment, clean or hostile, as its scheduler does
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

# Marks VERB, whatever the environment and however odd the job's id; the last one shows what it
# passes on. No program is started that need not be: here that is done five hundred times.
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

# In the background, all at once: a line in $here/slow if it was not as it should be. Three seconds
# are what an idle machine needs, and a minute what the fake would take.
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
for name in $begins $ends; do
	mkdir -p "$here/${name%/*}"
	sed "s|/usr/bin/nodometer|$fake|" "$srcdir/hooks/$name" >"$here/$name"
done
for shell in sh dash bash busybox; do
	program=$(command -v $shell) || continue
	for seen in "$here"/shells/*/sh; do	# sh is one of the others
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
	# A zombie is dead: it waits for whatever is process 1 here.
	! grep -qs '^State:.[^Z]' "/proc/$pid/status" || fail "process $pid was left over"
done <"$here/pids"

# Tasks of arrays have ids of their own; nodes that share a host, configurations.
# shellcheck disable=SC2016
fake_is 'printf "%s|" "$@" >'"$here/said"
said_of() { env -i "$@" >/dev/null 2>&1; cat "$here/said"; }
case $(said_of sh "$here/gridengine/prolog" 7 3 ann) in
*'|--|7.3|') ;; *) fail 'task of Grid Engine' ;; esac
case $(said_of LSB_JOBID=7 LSB_JOBINDEX=3 sh "$here/lsf/pre_exec") in
*'|--|7[3]|') ;; *) fail 'task of LSF' ;; esac
sed "s|/etc/nodometer|$here/etc|" "$here/slurm/prolog" >"$here/slurm/of_node"
mkdir "$here/etc" && : >"$here/etc/n2.conf"
case $(said_of SLURM_JOB_ID=7 SLURMD_NODENAME=n2 sh "$here/slurm/of_node") in
"begin|--config|$here/etc/n2.conf|"*) ;; *) fail 'several nodes of Slurm on one host' ;; esac
case $(said_of SLURM_JOB_ID=7 SLURMD_NODENAME=n3 sh "$here/slurm/of_node") in
*config*) fail 'a configuration that is not there' ;; esac
case $(said_of SLURM_JOB_ID=7 SLURM_JOB_START_TIME=1700000000 SLURM_JOB_END_TIME=1700003600 \
	'SLURM_JOB_CPUS_PER_NODE=8(x3)' sh "$here/slurm/prolog") in
*'|limit=3600|--attr|cpus=8|'*) ;; *) fail 'time limit and CPUs of a job of Slurm' ;; esac
for times in '/' '08/1' '1/0/9' '5/x' '-1/3'; do
	case $(said_of SLURM_JOB_ID=7 SLURM_JOB_CPUS_PER_NODE=8,16 \
		"SLURM_JOB_START_TIME=${times%/*}" "SLURM_JOB_END_TIME=${times##*/}" \
		sh "$here/slurm/prolog") in
	*'|limit=|--attr|cpus=|'*) ;; *) fail "a time limit of $times" ;; esac
done
case $(said_of SLURM_JOB_ID=7 SLURM_JOB_UID=1000 SLURM_JOB_GPUS=0,2 sh "$here/slurm/prolog") in
*'|--attr|uid=1000|--attr|gpus=0,2|--|7|') ;; *) fail 'GPUs of a job of Slurm' ;; esac
for shares in NO=yes USER= OK= YES= =; do
	case $(said_of SLURM_JOB_ID=7 SLURM_JOB_OVERSUBSCRIBE=${shares%=*} alone=yes \
		sh "$here/slurm/prolog") in
	*"|exclusive=${shares#*=}|"*) ;;
	*) fail "a job of Slurm that shares its node: ${shares%=*}" ;;
	esac
done

# The hook of OpenPBS runs in its Python, whose module pbs is played here.
if command -v python3 >/dev/null; then
	cat >"$here/pbs/pbs.py" <<'PY'
import os
EXECJOB_BEGIN, EXECJOB_END, LOG_WARNING = 1, 2, 4


class Job:
    id, euser, queue = "7[3].server", "ann", "workq"


class Event:
    job = Job
    type = int(os.environ["EVENT"])

    def accept(self):
        print("accepted")


event = Event


def logmsg(level, text):
    print("log: " + text)
PY
	# shellcheck disable=SC2016 # the fake expands them
	printf '#!/bin/sh\necho "$1 $2 $3" >%s\nshift 3\nexec "$@"\n' "$here/limit" \
		>"$here/bin/timeout"
	chmod +x "$here/bin/timeout"
	sed "s|/usr/bin/nodometer|$fake|; s|/usr/bin/timeout|$here/bin/timeout|" \
		"$srcdir/hooks/pbs/nodometer.py" >"$here/pbs/hook.py"
	for event in 1 2; do
		out=$(env -i EVENT=$event "$(command -v python3)" "$here/pbs/hook.py" 2>&1)
		[ "$out" = accepted ] || fail "nodometer.py: $out"
		[ "$(cat "$here/limit")" = '-k 0.3 2.4' ] || fail 'nodometer.py sets no time limit'
		rm -f "$here/limit"
		case $event$(cat "$here/said") in
		'1begin|--attr|user=ann|--attr|queue=workq|--|7[3].server|') ;;
		'2end|--|7[3].server|') ;;
		*) fail "nodometer.py: $(cat "$here/said")" ;;
		esac
	done
	rm "$fake"
	out=$(env -i EVENT=1 "$(command -v python3)" "$here/pbs/hook.py" 2>&1)
	[ "$out" = accepted ] || fail "nodometer.py without nodometer: $out"
else
	echo 'skipped: nodometer.py: no python3'
fi

# Of Slurm's controller: the database, the clock and syslog are played.
played()
{
	printf '#!/bin/sh\n%s\n' "$2" >"$here/slurm_bin/$1"
	chmod +x "$here/slurm_bin/$1"
}

# summary FIRST THEN RECORD: what the archive has of the job, first and at the second time, and the
# database; it puts what sacctmgr is given into $here/kept, and what syslog is into $here/syslog
summary()
{
	rm -f "$here/kept" "$here/syslog" "$here/asked"
	fake_is "echo x >>$here/asked; test -s $here/asked.more && cat $here/then || cat $here/first
		cp $here/asked $here/asked.more"
	rm -f "$here/asked.more"
	printf '%s\n' "$1" >"$here/first"
	printf '%s\n' "$2" >"$here/then"
	played sacct "test -e $here/kept && cat $here/now || echo '$3'"
	# shellcheck disable=SC2086 # a list of variables
	env -i PATH="$here/slurm_bin:$PATH" SLURM_JOB_ID=7 SLURM_JOB_NUM_NODES=2 ${4-} \
		sh "$here/slurm/epilog_slurmctld" work || fail "epilog_slurmctld: status $?"
}

if command -v flock >/dev/null && command -v base64 >/dev/null && command -v gzip >/dev/null; then
	mkdir "$here/slurm_bin"
	sed "s|/usr/bin/nodometer|$fake|" "$srcdir/hooks/slurm/epilog_slurmctld" \
		>"$here/slurm/epilog_slurmctld"
	chmod +x "$here/slurm/epilog_slurmctld"
	played sleep 'exit 0'
	# shellcheck disable=SC2016 # the fake expands them
	played timeout 'echo "$1 $2" >>'"$here/limits; exec $(command -v timeout)"' "$@"'
	played logger "echo \"\$*\" >>$here/syslog"
	# shellcheck disable=SC2016 # it expands them
	played sacctmgr 'echo "$5 ${7%%:*}" >>'"$here/kept"'
		printf "@1|%s\n" "${7#AdminComment=}" >'"$here/now"'
		printf "%s\n" "${7#*JS1:}" | base64 -d | gzip -dc >>'"$here/kept"
	one='{"nodes":{"n1":{"cpus":1}}}' two='{"nodes":{"n1":{"cpus":1},"n2":{"cpus":1}}}'
	summary "$one" "$two" '@1|'
	[ "$(cat "$here/kept")" = "jobid=7 AdminComment=JS1
$two" ] || fail "AdminComment: $(cat "$here/kept" "$here/syslog")"
	[ ! -e "$here/syslog" ] || fail "AdminComment: $(cat "$here/syslog")"
	summary "$one" "$one" '@1|JS1:old' 'SLURM_ARRAY_JOB_ID=7 SLURM_ARRAY_TASK_ID=3'
	[ "$(cat "$here/kept")" = "jobid=7_3 AdminComment=JS1
$one" ] || fail "AdminComment of a task: $(cat "$here/kept" "$here/syslog")"
	summary none none '@1|'
	[ "$(cat "$here/syslog" "$here/kept" 2>/dev/null)" = \
		'-t nodometer AdminComment of job 7: none' ] ||
		fail 'AdminComment of a job without records'
	summary "$two" "$two" '@1|of somebody'
	for file in kept asked; do
		[ ! -e "$here/$file" ] || fail 'AdminComment of somebody is lost'
	done
	summary "$two" "$two" ''
	[ ! -e "$here/kept" ] || fail 'AdminComment of a job that the database does not have'
	played sacctmgr "echo \"\$7\" >>$here/kept; echo '@1|js1:small' >$here/now"
	summary "$two" "$two" '@1|'
	[ "$(tail -n 1 "$here/kept")" = AdminComment= ] || fail 'small letters stay'

	for limit in '60 sacct' '60 sacctmgr' '90 flock'; do
		grep -qx "$limit" "$here/limits" || fail "epilog_slurmctld: no \"timeout $limit\""
	done

	# slurmctld waits neither for the database nor for the archive, and kills what is left of
	# the process group of its hook; a process that is late has not left it yet.
	played sacct 'exec sleep 1000'
	played sleep "echo \$PPID >>$here/waits; exec $(command -v sleep) 1000"
	if command -v setsid >/dev/null && setsid --help 2>&1 | grep -q -e --fork; then
		played setsid "{ $(command -v sleep) 0.3; exec $(command -v setsid) \"\$@\"; } &"
		setsid env -i PATH="$here/slurm_bin:$PATH" SLURM_JOB_ID=7 \
			sh "$here/slurm/epilog_slurmctld" >"$here/said" 2>&1 &
		wait $! || fail "slurmctld gets status $?"
		kill -KILL "-$!" 2>/dev/null
		out=$(cat "$here/said")
		[ -z "$out" ] || fail "epilog_slurmctld: $out"
		for _ in $(seq 600); do [ ! -s "$here/waits" ] || break; sleep 0.1; done
		pid=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$(cat "$here/waits")/status")
		kill "$pid" || fail 'no process waits for the records'
		grep -qxF -e '-k 5' "$here/limits" || fail 'epilog_slurmctld: work without a limit'
	fi
else
	echo 'skipped: AdminComment: no flock, base64 or gzip'
fi
# The page is after a batch script, and after nothing else.
fake_is 'echo "page of $3"; echo no >&2'
sed "s|/usr/bin/nodometer|$fake|" "$srcdir/hooks/slurm/task_epilog" >"$here/slurm/task_epilog"
page()
{
	{ env -i SLURM_JOB_ID=7 "$@" sh "$here/slurm/task_epilog" >/dev/null; } 2>&1
}
[ "$(page)$(page SLURM_STEP_ID=4294967291)$(page SLURM_STEP_ID=0)" = 'page of 7page of 7' ] ||
	fail "the page of a job: $(page)"
fake_is 'exit 1'
page || fail "task_epilog: status $?"

out=$(env -i sh "$here/generic/nodometer-hook" destroy 1 2>&1) || fail 'status of wrong usage'
case $out in usage:*) ;; *) fail "wrong usage: \"$out\"" ;; esac
[ $failed = 0 ]
