#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# matrix.sh - each hook, with the real programs, in each trouble: status 0, in time, silent, alone
#
# The troubles: hostile values, an agent that is stopped while the clock is set, no agent and no
# folder of its own, a disk that is full. What comes into the archive is whole.
. "${srcdir:=.}/tests/e2e/lib.sh"

mkdir "$scratch/bin" "$scratch/hooks"
preload=
case "${SAN:-}" in
*sanitize*) ;;	# it and clock_shim.c do not go together
*)	# shellcheck disable=SC2086 # a compiler and its words
	if perl -e 'print pack("q", 0)' >"$scratch/offset" 2>/dev/null && ${CC:-cc} -shared -fPIC \
		-o "$scratch/clock.so" "$srcdir/tests/e2e/clock_shim.c" 2>/dev/null; then
		preload="LD_PRELOAD=$scratch/clock.so CLOCK_OFFSET=$scratch/offset"
	fi ;;
esac
set_clock() {	# SECONDS from the machine's
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

# run HOOK JOB VALUE: as its scheduler does, with the value wherever there is one
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

# one HOOK JOB VALUE: what is wrong with it goes into $scratch/wrong
one() {
	started=$(date +%s%N)
	out=$(run "$1" "$2" "$3" 2>/dev/null) || echo "$1: status $?" >>"$scratch/wrong"
	took=$((($(date +%s%N) - started) / 1000000))
	[ -z "$out" ] || echo "$1: says \"$out\"" >>"$scratch/wrong"
	echo $took >>"$scratch/took"
	[ $took -lt 1500 ] || echo "$1" >>"$scratch/slow"	# its time may have ended it
	[ $took -lt 20000 ] || echo "$1: took $took ms" >>"$scratch/wrong"
}

none_left() {
	# Those with the file as a word: one program looks, not two for each process.
	# shellcheck disable=SC2013 # names without blanks
	for p in $(grep -lzsxF -- "$conf" /proc/[0-9]*/cmdline); do
		[ "$p" != "/proc/$agent/cmdline" ] || continue
		case $(tr '\0' ' ' 2>/dev/null <"$p") in
		*"nodometer "*"--config $conf"*) return 1 ;;
		esac
	done
}

# all TROUBLE JOB [VALUE]: every hook at once, each with a job of its own
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

# What hooks left is made by the agent a moment later or, where there is none, by the next command.
made() {
	[ -n "$(find "$runtime/marks" -name '*.mark' 2>/dev/null)" ] || return 0
	answers || nodometer mark --timeout 20 later 2>/dev/null
	return 1
}

marks_of() {	# JOB
	raw_text | grep -oE "^%(begin|end) $1[0-9]+(\.0)? "
}
are_there() {	# JOB: on a busy machine, of all that were not too slow
	got=$(marks_of "$1" | sort -u | wc -l)
	slow=$(grep -cs . "$scratch/slow")
	[ $((got + ${slow:-0})) -ge $n ]
}

# marked JOB: each hook's mark is there when the writer has come to it, and once; where the time of
# one was over while it made the marks of all, the next makes them again, and readers take them once
marked() {
	wait_until 20 made
	wait_until 20 are_there "$1"
	[ "${slow:-0}" -gt 0 ] || got=$(marks_of "$1" | wc -l)
	[ "$got" -le $n ] || fail "$got marks of $n hooks"
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

# The disk is full: below its floor. Then there is no folder at all.
n_groups=$(groups | wc -l)
write_config 'free-floor = 1000000G'
all 'the disk is full' 50
write_config "dir = $conf/none"
all 'no folder can be made' 60
write_config
is "groups" "$(groups | wc -l)" "$n_groups"
rm "$scratch/bin/nodometer"
all 'no nodometer' 70
