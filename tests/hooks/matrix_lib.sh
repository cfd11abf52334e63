# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# matrix_lib.sh - run the hooks of all schedulers with the real programs, under a clock that the
# test sets
. "${srcdir:=.}/tests/e2e/lib.sh"

mkdir "$scratch/bin" "$scratch/hooks"
preload=
case "${SAN:-}" in
*sanitize*) ;;	# clock_shim.c does not work in a build with sanitizers
*)	# shellcheck disable=SC2086 # a compiler and its words
	if perl -e 'print pack("q", 0)' >"$scratch/offset" 2>/dev/null && ${CC:-cc} -shared -fPIC \
		-o "$scratch/clock.so" "$srcdir/tests/e2e/clock_shim.c" 2>/dev/null; then
		preload="LD_PRELOAD=$scratch/clock.so CLOCK_OFFSET=$scratch/offset"
	fi ;;
esac
# set_clock SECONDS: set how far nodometer's clock is ahead of the machine's clock
set_clock() {
	[ -z "$preload" ] || perl -e 'print pack("q", $ARGV[0])' -- "$1" >"$scratch/offset.new"
	[ -z "$preload" ] || mv "$scratch/offset.new" "$scratch/offset"
}
cat >"$scratch/bin/nodometer" <<TEXT
#!/bin/sh
verb=\$1
shift
exec /usr/bin/env $preload "$bin/nodometer" "\$verb" --config "$conf" "\$@"
TEXT
chmod +x "$scratch/bin/nodometer"
for hook in slurm/prolog slurm/epilog pbs/prologue pbs/epilogue pbs/nodometer.py torque/prologue \
	torque/epilogue gridengine/prolog gridengine/epilog lsf/pre_exec lsf/post_exec \
	htcondor/prepare_job htcondor/job_exit flux/prolog flux/epilog generic/nodometer-hook; do
	[ $hook != pbs/nodometer.py ] || command -v python3 >/dev/null || continue
	mkdir -p "$scratch/hooks/${hook%/*}"
	sed "s|/usr/bin/nodometer|$scratch/bin/nodometer|" "$srcdir/hooks/$hook" \
		>"$scratch/hooks/$hook"
	hooks="${hooks-} $hook"
done
cat >"$scratch/hooks/pbs/pbs.py" <<'PY'
import os
EXECJOB_BEGIN, LOG_WARNING = 1, 4
class Job:
    id = os.environ["JOB"]
    euser = queue = os.environ["VALUE"]
class Event:
    job, type = Job, 1
    def accept(self):
        pass
event = Event
def logmsg(level, text):
    pass
PY

# run HOOK JOB VALUE: run HOOK as its scheduler does for JOB, with VALUE in all other variables and
# arguments
run() {
	j=$2 v=$3
	set -- "$scratch/hooks/$1" "$1"
	case $2 in
	slurm/*) env -i SLURM_JOB_ID="$j" SLURM_JOB_USER="$v" SLURM_JOB_ACCOUNT="$v" \
		SLURM_JOB_PARTITION="$v" SLURM_JOB_NUM_NODES="$v" SLURM_JOB_RESTART_COUNT="$v" \
		SLURM_HET_JOB_ID="$v" SLURM_JOB_UID="$v" SLURM_JOB_GPUS="$v" \
		SLURM_JOB_START_TIME="$v" SLURM_JOB_END_TIME="$v" SLURM_JOB_CPUS_PER_NODE="$v" \
		SLURM_JOB_EXIT_CODE2="$v" SLURMD_NODENAME="$v" sh "$1" ;;
	pbs/nodometer.py) env -i JOB="$j" VALUE="$v" "$(command -v python3)" "$1" ;;
	pbs/* | torque/*) env -i sh "$1" "$j" "$v" "$v" "$v" 5 6 "$v" 8 9 "$v" ;;
	gridengine/*) env -i sh "$1" "$j" undefined "$v" "$v" ;;
	lsf/*) env -i LSB_JOBID="$j" LSFUSER="$v" LSB_QUEUE="$v" LSB_PROJECT_NAME="$v" \
		LSB_JOBEXIT_STAT="$v" sh "$1" ;;
	htcondor/*) printf 'ClusterId = %s\nOwner = "%s"\nProcId = 0\n' "$j" "$v" |
		env -i sh "$1" ;;
	flux/*) env -i FLUX_JOB_ID="$j" FLUX_JOB_USERID="$v" sh "$1" ;;
	generic/*) env -i sh "$1" begin "$j" ;;
	esac
}

# one HOOK JOB VALUE: run HOOK, write its faults to $scratch/wrong, and its time in ms to
# $scratch/took
one() {
	started=$(date +%s%N)
	out=$(run "$1" "$2" "$3" 2>/dev/null) || echo "$1: status $?" >>"$scratch/wrong"
	took=$((($(date +%s%N) - started) / 1000000))
	[ -z "$out" ] || echo "$1: says \"$out\"" >>"$scratch/wrong"
	echo $took >>"$scratch/took"
	# a hook that took this long may have been ended by its time limit
	[ $took -lt 1500 ] || echo "$1" >>"$scratch/slow"
	[ $took -lt 20000 ] || echo "$1: took $took ms" >>"$scratch/wrong"
}
