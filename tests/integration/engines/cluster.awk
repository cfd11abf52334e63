# SPDX-License-Identifier: BSD-3-Clause
# cluster.awk - write a promtool test of the shipped rules: N jobs in two days, some of them with
# faults
#
# Usage: awk -v N=1000 -v RULES=FILE -f cluster.awk. Of fifty jobs, one is idle for hours, one has
# its memory full, and in one the kernel kills processes. The other jobs work, pause, have peaks or
# end early.
function below(n)
{
	# exact in a double, so that each awk computes the same
	seed = seed * 16807 % 2147483647
	return seed % n
}
function series(name, job, before, values)
{
	if (before)
		values = "_x" before " " values
	printf "      - { series: '%s{host=\"n%d\",jobid=\"%d\"}', values: '%s' }\n",
		name, job % 200, job, values
}
BEGIN {
	seed = 7
	split("JobMemoryNearLimit JobOutOfMemory", kind)
	kind[0] = "JobIdle"
	print "rule_files: [ " RULES " ]\nevaluation_interval: 5m\ntests:"
	print "  - interval: 10m\n    input_series:"
	for (job = 1; job <= N; job++) {
		fault = job % 50 < 3 ? kind[job % 50] : ""
		begin = below(200)
		length_ = fault ? 18 + below(50) : 1 + below(60)
		if (fault)
			at_fault[job] = fault
		busy = 60 * (1 + below(640))	# the job uses 0.1 to 64 CPUs
		half = int(length_ / 2)
		if (fault == "JobIdle")
			cpu = "0+1x" length_
		else if (length_ > 8 && job % 3 == 0)	# the job is idle for 40 minutes
			cpu = "0+" busy "x" half " " busy * half "x3 " busy * half "+" busy "x" half
		# the job does nothing in its last 80 minutes
		else if (length_ > 20 && job % 7 == 0)
			cpu = "0+" busy "x" length_ - 8 " " busy * (length_ - 8) "x7"
		else
			cpu = "0+" busy "x" length_
		series("cgroup_cpu_total_seconds", job, begin, cpu)
		share = 100 + below(840)
		if (fault == "JobMemoryNearLimit")
			used = share "x8 990x" length_ - 9
		else if (length_ > 4 && job % 5 == 0)	# the job has a peak of 20 minutes
			used = share "x" length_ - 3 " 990x1 " share
		else
			used = share "x" length_
		series("cgroup_memory_total_bytes", job, begin, "1000x" length_)
		series("cgroup_memory_rss_bytes", job, begin, used)
		killed = fault == "JobOutOfMemory" ? "0x5 1x" length_ - 6 : "0x" length_
		series("nodometer_job_oom_kill_total", job, begin, killed)
	}
	for (node = 0; node < 200; node++)
		printf "      - { series: 'node_load1{host=\"n%d\"}', values: '1x288' }\n", node
	print "    promql_expr_test:\n      - eval_time: 48h"
	print "        expr: count by (alertname, jobid) ("
	print "          count_over_time(ALERTS{alertstate=\"firing\"}[48h]))"
	print "        exp_samples:"
	for (job = 1; job <= N; job++)
		if (job in at_fault)
			printf "          - { labels: '{alertname=\"%s\",jobid=\"%d\"}', value: 1 }\n",
				at_fault[job], job
}
