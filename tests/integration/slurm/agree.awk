# SPDX-License-Identifier: BSD-3-Clause
# agree.awk - whether two tell the same time of each begin and end of jobs, to a second
#
# awk -v times=NUMBER -f agree.awk late controller reports: so many lines are in reports.
#
#   late         SINCE UNTIL LATE: this machine was so late with something asked for in between
#   controller   JOB start|end SECONDS
#   reports      JOB start|end NODE SECONDS.FRACTION
#
# The controller's second began up to a second before what it stands for. So the second that ours
# falls into is compared: if that is the next but one, more than a second lies between. For what
# this machine was late in between ours may come later: a hook is not earlier than it is run.

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

# Seconds that the machine was late from one moment to another.
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
