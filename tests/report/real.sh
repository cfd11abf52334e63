#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# real.sh - for each real job, the first finding is right and no finding is false
#
# Each line of tests/report/real_jobs has a job, facts, which awk computes again, the right finding,
# and the reason.
. "$(dirname "$0")/lib.sh"
src=$(cd "${srcdir:-.}" && pwd) || exit 99
raw=${NODOMETER_SHARED:-$src/../shared}/data/raw
[ -d "$raw" ] || { echo "SKIP: no $raw: public archives are not there"; exit 77; }

# facts FILE...: print "JOB CPUS KERNEL OUT" for each job: the mean number of busy CPUs, the
# fraction of their time in the kernel, and the number of pages written to swap
facts()
{
	awk '
	FNR == 1 { job = "" }
	/^!cpu |^!vm / {
		for (i = 2; i <= NF; i++) {
			key = $i
			sub(/,.*/, "", key)
			at[substr($1, 2), key] = i + 1
		}
	}
	/^[0-9]/ {
		mine = $2 == job
		if (mine)
			over[$2] += $1 - time
		time = $1
		job = $2
	}
	function grown(key,	id, n, v) {
		id = FILENAME SUBSEP $1 SUBSEP $2 SUBSEP key
		v = $(at[$1, key])
		n = v - before[id]
		before[id] = v
		return mine ? n : 0
	}
	$1 == "cpu" {
		user[job] += grown("user") + grown("nice")
		kernel[job] += grown("system") + grown("irq") + grown("softirq")
	}
	$1 == "vm" { out[job] += grown("pswpout") }
	END {
		for (job in over)
			if (job != "-" && job != "0")
				printf "%s %.1f %.2f %d\n", job,
				       (user[job] + kernel[job]) / over[job] / 100,
				       kernel[job] / over[job] / 100, out[job]
	}' "$@"
}

for set in stampede-2013-1.0.5 stampede3-2026-2.3.5 compute-0-1-2014-2.0.0; do
	[ -d "$raw/$set" ] || { echo "SKIP: no $raw/$set"; exit 77; }
	facts "$raw/$set"/*.*/[0-9]* >>"$work/facts"
	cp -r "$raw/$set" "$work/copy" && chmod -R u+w "$work/copy" || exit 99
	"$bin/nodometer-jobs" --dir "$work/copy" --json --used >"$work/jobs" || fail "$set"
	rm -rf "$work/copy"
	sed 's/.*"job":"\([^"]*\)".*"findings":\["\([^"]*\)".*/\1 \2/
	     s/.*"job":"\([^"]*\)".*"findings":\[\].*/\1 -/' "$work/jobs" >>"$work/found"
done
sort "$work/facts" >"$work/sorted"
sort "$work/found" | join "$work/sorted" - >"$work/got"
grep '^[0-9]' "$src/tests/report/real_jobs" | cut -d ' ' -f 1-5 | sort >"$work/want"
diff "$work/want" "$work/got" || fail 'facts or findings of these jobs'
awk '/^[0-9]/ && NF < 8 { print; bad = 1 } END { exit bad }' "$src/tests/report/real_jobs" ||
	fail 'a job is not argued for'
exit $failed
