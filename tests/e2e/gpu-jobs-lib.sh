# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# gpu-jobs-lib.sh - what tests of jobs on GPUs share: processes of jobs in a captured tree, and
# expected rows of gpu_job
. "$(dirname "$0")/lib.sh"

root=$scratch/root
groups=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
# job PID JOB: make process PID in the cgroup of JOB
job() {
	mkdir -p "$root/proc/$1" "$groups/job_$2/step_0/user/task_0"
	echo "0::/system.slice/slurmstepd.scope/job_$2/step_0/user/task_0" >"$root/proc/$1/cgroup"
	echo "a.out" >"$root/proc/$1/comm"
}
# stray PID NAME: make process PID, named NAME, outside of all jobs
stray() {
	mkdir -p "$root/proc/$1"
	echo "0::/system.slice/$2.service" >"$root/proc/$1/cgroup"
	echo "$2" >"$root/proc/$1/comm"
}
# compare WHAT: fail unless $scratch/got has the lines of $scratch/want
compare() {
	LC_ALL=C sort "$scratch/want" >"$scratch/sorted"
	cmp -s "$scratch/sorted" "$scratch/got" || {
		diff "$scratch/sorted" "$scratch/got" >&3
		fail "$1"
	}
}
# add_sums: append the expected row of each whole device, which is the sum over its jobs, to
# $scratch/want
add_sums() {
	awk '{ split($1, p, "@"); n[p[1]]; for (k = 2; k <= NF; k++) sum[p[1], k] += $k }
		END { for (i in n) {
			line = i
			for (k = 2; k <= NF; k++)
				line = sprintf("%s %.0f", line, sum[i, k])
			print line
		} }' "$scratch/want" >"$scratch/sums"
	cat "$scratch/sums" >>"$scratch/want"
}
write_config '[types]' 'deadline = 30s'
