#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run_waits.sh - nodometer run counts how long its command waited for a CPU on which other processes
# run, too
. "$(dirname "$0")/lib.sh"
for program in perl taskset; do
	command -v $program >/dev/null || skip "no $program"
done
awk '{ exit !($1 + $2 + $3 > 0) }' /proc/self/schedstat 2>/dev/null ||
	skip 'the kernel does not count waits for a CPU'

mkdir "$scratch/home" && cd "$scratch/home" || exit 99
unset NODOMETER_RUN SLURM_PROCID SLURM_STEP_ID OMPI_COMM_WORLD_RANK PMI_RANK FLUX_TASK_RANK
cpu=$(awk '/^Cpus_allowed_list:/ { split($2, n, /[-,]/); print n[1] }' /proc/self/status)

# burn: use the CPU time of the argument in seconds, then print the process's own schedstat
# shellcheck disable=SC2016 # for perl
burn='1 while (times)[0] + (times)[1] < $ARGV[0];
	open(my $f, "<", "/proc/self/schedstat"); print <$f>'
# json DIR FIGURE: print report --json from FIGURE on, one line for each key, for the only run in
# DIR
json() {
	mark=$(cat "$1"/*/[0-9]* | grep -ah '^%begin' | head -n 1)
	mark=${mark#%begin }
	"$bin/nodometer-report" "${mark%% *}" --dir "$1" --json | sed 's/[{,]/\n/g' |
		grep -A 30 -e "\"figure\":\"$2\""
}
# waits DIR: print the recorded wait in seconds, and true or false: whether it is only a lower bound
waits() {
	json "$1" job.cpu_wait | sed -n 's/.*"\(total\|at_least\)":\([^]}]*\).*/\2/p' | head -n 2 |
		tr '\n' ' '
}

taskset -c "$cpu" perl -e 'alarm 60; 1 while 1' &
pids="$pids $!"
taskset -c "$cpu" perl -e 'alarm 60; 1 while 1' &
pids="$pids $!"
# For commands shorter and longer than the interval, the wait is read shortly before their end, so
# that it is known.
for interval in 100ms 1h; do
	"$bin/nodometer" run -i $interval -o "burn-$interval" -- \
		taskset -c "$cpu" perl -e "$burn" 0.6 >own 2>page || fail "$interval: $(cat page)"
	read -r seconds at_least <<-EOT
		$(waits "burn-$interval")
	EOT
	is "$interval: a lower bound" "${at_least% }" false
	# The first key of type job is the CPU time of the run in us, and the last key is the CPU
	# time of its only task; they differ only by rounding.
	grep -ah '^job ' "burn-$interval"/*/[0-9]* | tail -n 1 >row
	awk '{ exit !($3 >= $NF - 10 && $3 <= $NF + 100) }' row || fail "$interval: $(cat row)"
	awk -v got="$seconds" '{ own = $2 / 1e9
		exit !(own > 0.1 && got >= own - 1e-5 && got < own + 20) }' own ||
		fail "$interval: waited $seconds s, own schedstat: $(cat own)"
	grep -q '^  waited for a CPU  *[0-9]' page || fail "$interval: no row: $(cat page)"
	tr -s ' \n' ' ' <page >line
	grep -q 'Other programs used the node.s CPUs: .* Its own tasks waited [0-9.]* s for a CPU' \
		line || fail "$interval: no finding: $(cat page)"
done

# Waits of processes that begin and end between two samples are not known, and the report says so.
# shellcheck disable=SC2016 # for that shell
"$bin/nodometer" run -i 1h -o children -- taskset -c "$cpu" sh -c '
	for i in 1 2 3; do perl -e "1 while (times)[0] < 0.05"; done' 2>page ||
	fail "children: $(cat page)"
read -r seconds at_least <<-EOT
	$(waits children)
EOT
is 'children: a lower bound' "${at_least% }" true
grep -q '^  waited for a CPU *>=' page || fail "children: no lower bound: $(cat page)"
grep -q 'Waits for a CPU are a lower bound on 1 of 1 node' page || fail "children: $(cat page)"
