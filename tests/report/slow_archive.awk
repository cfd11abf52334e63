# SPDX-License-Identifier: BSD-3-Clause
# slow_archive.awk - write files of nodes n1 to n8 below DIR, which ran three jobs; n5 also ran a
# daemon
BEGIN {
	for (node = 1; node <= 8; node++) {
		file = DIR "/n" node "/1700000000"
		printf "$hpcperfstats 1.0.2\n$hostname n%d\n", node >file
		print "!cpu user,E,U=cs nice,E,U=cs system,E,U=cs idle,E,U=cs irq,E,U=cs softirq,E,U=cs" >file
		print "!job cpu,E,U=cs" >file
		for (t = 0; t < 9; t++) {
			time = 1700000000 + 600 * t
			job = 100 + int(t / 3)
			printf "\n%d %d\n", time, job >file
			if (t % 3 == 0)
				printf "%%begin %d user=ann nodes=8 cpus=4\n", job >file
			if (t % 3 == 2)
				printf "%%end %d\n", job >file
			for (cpu = 0; cpu < 4; cpu++)
				printf "cpu %d %d 0 %d %d 0 0\n", cpu, 54000 * t, 600 * t, 5400 * t >file
			printf "job %d %d\n", job, 4 * 54000 * (t % 3) * (node == 5 ? 0.94 : 1) >file
		}
		close(file)
	}
}
