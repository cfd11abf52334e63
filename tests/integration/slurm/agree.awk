# SPDX-License-Identifier: BSD-3-Clause
# agree.awk - check that the reports and Slurm's controller give the same second for each begin and
# end of a job
#
#   awk -v times=NUMBER -f agree.awk late controller reports: the reports must have NUMBER lines.
#
#   late SINCE UNTIL LATE: in this period the machine was LATE seconds late with a process
#   controller JOB start|end SECONDS
#   reports JOB start|end NODE SECONDS.FRACTION
#
# The controller cuts its times to seconds, so compare the second of the report with the
# controller's. If the report is two seconds or more later, the times differ by more than a second.
# A report may be later by as much as this machine was late in between, because a hook starts only
# when the machine runs it.

FILENAME ~ /late$/ {
	since[++rounds] = $1
	till[rounds] = $2
	late[rounds] = $3
	next
}

FILENAME ~ /controller$/ {
	theirs[$1 " " $2] = $3
	next
}

{
	their = theirs[$1 " " $2]
	apart = int($4) - their
	all[$2]++
	same[$2] += apart == 0
	if (their && apart >= -1 && apart <= 1)
		next
	still = stood_still(their, $4)
	print "job " $1 ": " $2 " of " $3 " is " $4 " for us, " their \
		" for Slurm; this machine was late by " still " s in between"
	if (their && apart > 1 && int($4 - still) - their <= 1)
		excused++
	else
		bad++
}

END {
	print "begins, ends: " all["start"] + 0 ", " all["end"] + 0 ", of them in the same second: " \
		same["start"] + 0 ", " same["end"] + 0 "; more than a second apart: " bad + 0 \
		", and where this machine was late: " excused + 0
	exit bad > 0 || all["start"] + all["end"] != times
}

# Return the seconds by which the machine was late between two times.
function stood_still(from, to,    i, begin, end, sum)
{
	for (i = 1; i <= rounds; i++) {
		begin = since[i] > from ? since[i] : from
		end = till[i] < to ? till[i] : to
		if (end > begin)
			sum += end - begin < late[i] ? end - begin : late[i]
	}
	return sum + 0
}
