# SPDX-License-Identifier: BSD-3-Clause
# compare_archive.awk - write records of node NODE below DIR: one program runs repeatedly, each time
# with one change
#
# Input lines "JOB SECONDS GHZ CPUS REMOTE CPI FILES IO": job id, duration, clock, number of CPUs
# (of 8) that the processes are bound to, percentage of pages on the other NUMA node, cycles per
# instruction, file system (llite or nfs), percentage of time waiting for the file system.
BEGIN {
	file = DIR "/" NODE "/1700000000"
	print "$hpcperfstats 1.0.2\n$hostname " NODE >file
	print "!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs iowait,E,U=cs irq,E,U=cs softirq,E,U=cs" >file
	print "!perf_hw cycles,E instructions,E\n!numa local_node,E other_node,E" >file
	print "!llite read_bytes,E,U=B write_bytes,E,U=B\n!nfs server_read,E,U=B server_write,E,U=B" >file
	print "!psi total,E,U=us\n!ps nr_running" >file
	time = 1700000000
}
function sample()
{
	for (c = 0; c < 8; c++)
		printf "cpu %d %.0f 0 %.0f %.0f %.0f 0 0\n", c, user[c], kernel, idle[c], wait >file
	printf "perf_hw - %.0f %.0f\nnuma 0 %.0f %.0f\n", cycles, cycles_of_one, local, other >file
	printf "llite scratch %.0f %.0f\nnfs home %.0f %.0f\n", lustre, lustre, nfs, nfs >file
	printf "psi cpu-some %.0f\npsi memory-some 0\npsi io-some %.0f\nps - %d\n", stalled, io, running >file
}
{
	running = 1 + 8 * (100 - $8) / 100
	for (t = 0; t <= $2; t += 60) {
		printf "\n%d %s\n", time, $1 >file
		if (t == 0)
			print "%begin " $1 " user=ann cpus=8" >file
		if (t + 60 > $2)
			print "%end " $1 >file
		sample()
		time += 60
		for (c = 0; c < 8; c++) {
			user[c] += c < $4 ? 59.7 * (100 - $8) : 0
			idle[c] += c < $4 ? 0 : 59.7 * (100 - $8)
		}
		kernel += 30
		wait += 59.7 * $8
		cycles += 60 * $4 * (100 - $8) / 100 * $3 * 1e9
		cycles_of_one += 60 * $4 * (100 - $8) / 100 * $3 * 1e9 / $6
		local += 10000 * (100 - $5)
		other += 10000 * $5
		stalled += $4 < 8 ? 60e6 : 0
		io += 600000 * $8
		lustre += $7 == "llite" ? 1e10 * 60 / $2 : 0
		nfs += $7 == "nfs" ? 1e10 * 60 / $2 : 0
	}
}
