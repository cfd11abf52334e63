#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scheduler_values.sh - hooks pass a job's id, task, time limit, CPUs and GPUs from their scheduler
# to nodometer
. "$(dirname "$0")/run_lib.sh"
install_hooks gridengine/prolog lsf/pre_exec slurm/prolog
mkdir "$here/pbs"

# A task of an array has its own job id; a node that shares its host with others has its own
# configuration.
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
# If a job has no time limit, Slurm sets its end to 365 days after its start.
for times in '/' '08/1' '1/0/9' '5/x' '-1/3' 1700000000/1731536000; do
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

# OpenPBS runs its hook in its own Python; pbs.py replaces the Python module pbs.
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
	# shellcheck disable=SC2016 # the fake expands them
	fake_is 'printf "%s|" "$@" >'"$here/said; /usr/bin/env >$here/environment"
	for event in 1 2; do
		out=$(env -i EVENT=$event SECRET=1 "$(command -v python3)" "$here/pbs/hook.py" 2>&1)
		[ "$out" = accepted ] || fail "nodometer.py: $out"
		[ "$(cat "$here/limit")" = '-k 0.3 2.4' ] || fail 'nodometer.py sets no time limit'
		grep -qx PATH=/usr/bin:/bin "$here/environment" || fail 'nodometer.py: no PATH'
		! grep SECRET "$here/environment" || fail 'nodometer.py passes its environment on'
		rm -f "$here/limit" "$here/environment"
		case $event$(cat "$here/said") in
		'1begin|--attr|user=ann|--attr|queue=workq|--|7[3].server|') ;;
		'2end|--|7[3].server|') ;;
		*) fail "nodometer.py: $(cat "$here/said")" ;;
		esac
	done
	rm "$fake"
	out=$(env -i EVENT=1 "$(command -v python3)" "$here/pbs/hook.py" 2>&1)
	[ "$out" = accepted ] || fail "nodometer.py without nodometer: $out"
	rm "$here/bin/timeout"
	out=$(env -i EVENT=1 "$(command -v python3)" "$here/pbs/hook.py" 2>&1)
	case $out in
	'log: nodometer: '*'
accepted') ;;
	*) fail "nodometer.py without timeout: $out" ;;
	esac
else
	echo 'skipped: nodometer.py: no python3'
fi
[ $failed = 0 ]
