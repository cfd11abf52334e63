#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# attributes.sh - each hook passes its scheduler's facts about a job to nodometer under the right
# names
#
# A fake nodometer writes its arguments and the source of its standard input to a file. A fake
# timeout writes the time limit that the hook sets, because a nodometer that hangs must not delay
# the job.
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
failed=0
mkdir "$here/etc" "$here/hooks"
# shellcheck disable=SC2016 # the fake expands them
printf '#!/bin/sh\n{ printf "%%s|" "$@"; readlink /proc/$$/fd/0; } >%s\n' "$here/said" \
	>"$here/nodometer"
chmod +x "$here/nodometer"
# shellcheck disable=SC2016 # the fake expands them
printf '#!/bin/sh\necho "$1 $2 $3" >%s\nshift 3\nexec "$@"\n' "$here/limit" >"$here/timeout"
chmod +x "$here/timeout"
: >"$here/etc/n2.conf"
for hook in "$srcdir"/hooks/[a-z]*/[a-z]*; do
	name=${hook#"$srcdir"/hooks/}
	mkdir -p "$here/hooks/${name%/*}"
	sed -e "s|/usr/bin/nodometer|$here/nodometer|; s|/etc/nodometer/|$here/etc/|" \
		-e "s|/usr/bin/timeout|$here/timeout|g" "$hook" >"$here/hooks/$name"
done

# hands_on WORDS HOOK [NAME=VALUE...] [ARGUMENT...]: run HOOK with these variables as its
# environment, these arguments, and $here/written as its input; nodometer must get WORDS, with the
# time limit $limit
hands_on()
{
	want=$1 hook=$2
	shift 2
	variables=
	while case ${1-} in [A-Z]*=*) ;; *) false ;; esac; do
		variables="$variables $1"
		shift
	done
	: >"$here/said"
	: >"$here/limit"
	# shellcheck disable=SC2086 # words without blanks
	env -i $variables sh "$here/hooks/$hook" "$@" <"$here/written" >"$here/out" 2>&1
	[ "$(cat "$here/said")" = "$want|/dev/null" ] || {
		echo "FAIL: $hook hands on: $(cat "$here/said" "$here/out")"
		echo "      and not:        $want|/dev/null"
		failed=1
	}
	[ "$(cat "$here/limit")" = "$limit" ] || {
		echo "FAIL: $hook limits the time by \"$(cat "$here/limit")\" and not by \"$limit\""
		failed=1
	}
}

echo 'what a scheduler writes' >"$here/written"
limit='-k 0.3 2.4'
slurm='SLURM_JOB_ID=7 SLURM_JOB_USER=ann SLURM_JOB_UID=1000 SLURM_JOB_ACCOUNT=phys
	SLURM_JOB_PARTITION=long SLURM_JOB_NUM_NODES=3 SLURM_JOB_CPUS_PER_NODE=8(x3)
	SLURM_JOB_RESTART_COUNT=2 SLURM_HET_JOB_ID=6 SLURM_JOB_GPUS=0,2 SLURM_JOB_OVERSUBSCRIBE=NO
	SLURM_JOB_START_TIME=1700000000 SLURM_JOB_END_TIME=1700003600 SLURM_JOB_EXIT_CODE=139
	SLURM_JOB_EXIT_CODE2=0:11 SLURM_NODENAME=n1'
begin="--attr|exclusive=yes|--attr|limit=3600|--attr|cpus=8|--attr|user=ann|--attr|account=phys"
begin="$begin|--attr|partition=long|--attr|nodes=3|--attr|restart=2|--attr|het=6|--attr|uid=1000"
begin="$begin|--attr|gpus=0,2|--|7"
# shellcheck disable=SC2086 # words
{
	hands_on "begin|$begin" slurm/prolog $slurm
	hands_on "end|--attr|exit=0:11|--|7" slurm/epilog $slurm
	hands_on "begin|--config|$here/etc/n2.conf|$begin" slurm/prolog $slurm SLURMD_NODENAME=n2
	hands_on "end|--config|$here/etc/n2.conf|--attr|exit=0:11|--|7" slurm/epilog $slurm \
		SLURMD_NODENAME=n2
}

hands_on 'begin|--attr|user=ann|--attr|group=users|--|7.srv' pbs/prologue 7.srv ann users
hands_on 'end|--attr|exit=271|--|7.srv' pbs/epilogue 7.srv ann users 4 5 6 7 8 9 271
hands_on 'begin|--attr|user=ann|--attr|group=users|--attr|queue=long|--attr|account=phys|--|7.srv' \
	torque/prologue 7.srv ann users name resources long phys
hands_on 'end|--attr|exit=271|--|7.srv' torque/epilogue 7.srv ann users 4 5 6 7 8 9 271
hands_on 'begin|--attr|user=ann|--attr|queue=long|--|7.3' gridengine/prolog 7 3 ann long
hands_on 'end|--attr|exit=1|--|7' gridengine/epilog SGE_JOBEXIT_STAT=1 7 undefined ann long
hands_on 'begin|--attr|user=ann|--attr|queue=long|--attr|project=phys|--|7[3]' lsf/pre_exec \
	LSB_JOBID=7 LSB_JOBINDEX=3 LSFUSER=ann LSB_QUEUE=long LSB_PROJECT_NAME=phys
hands_on 'end|--attr|exit=256|--|7' lsf/post_exec LSB_JOBID=7 LSB_JOBINDEX=0 LSB_JOBEXIT_STAT=256
hands_on 'begin|--attr|uid=1000|--|f7' flux/prolog FLUX_JOB_ID=f7 FLUX_JOB_USERID=1000
hands_on 'end|--|f7' flux/epilog FLUX_JOB_ID=f7 FLUX_JOB_USERID=1000
hands_on 'begin|--|7' generic/nodometer-hook begin 7
hands_on 'end|--|7' generic/nodometer-hook end 7
printf '%s\n' 'ClusterId = 7' 'Owner = "ann"' 'ProcId = 3' 'ExitCode = 1' 'Cmd = "x"' \
	>"$here/written"
hands_on 'begin|--attr|user=ann|--|7.3' htcondor/prepare_job
hands_on 'end|--attr|user=ann|--attr|exit=1|--|7.3' htcondor/job_exit
limit='-k 0.3 4'
hands_on 'report|--|7' slurm/task_epilog SLURM_JOB_ID=7
if grep '^[^#].*/usr/bin/nodometer' "$srcdir/hooks/cron/nodometer" |
	grep -v ' timeout -k 5 60 '; then
	echo 'FAIL: cron/nodometer runs the above without a time limit'
	failed=1
fi
exit $failed
