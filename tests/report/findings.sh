#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# findings.sh - reports and lists show each finding just beyond its threshold, and not just below it
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
. "$(dirname "$0")/lib.sh"
src=$(cd "${srcdir:-.}" && pwd) || exit 99
report=$bin/nodometer-report
python3 "$src/tests/report/findings.py" "$report" "$bin/nodometer-jobs" \
	"$work" "$src/lib/figures/findings/rules.c" || failed=1

# advised JOB LINE...: print the rules of JOB's findings with LINEs in the site's advice file;
# $work/said gets the error, if any
advised()
{
	job=$1
	shift
	printf '%s\n' "$@" >"$work/advice"
	"$report" --dir "$work/$job" --advice "$work/advice" --json 7 2>"$work/said" |
		tr '{' '\n' | sed -n 's/^"rule":"\([a-z-]*\)".*/\1/p' | tr '\n' ' '
}

# is WHAT GOT WANT: fail unless GOT equals WANT
is() {
	[ "$2" = "$3" ] || fail "$1: \"$2\", not \"$3\""
}

is 'as it comes' "$(advised healthy '')" ''
is 'a threshold of the site' "$(advised healthy 'low-cpu = 98')" 'low-cpu '
is 'a rule that is off' "$(advised 'killed-for-memory 0' 'killed-for-memory = off')" ''
is 'a threshold that is out of reach' "$(advised 'killed-for-memory 0' 'killed-for-memory = 2')" ''
is 'a rule that hid others is off' \
	"$(advised 'asleep 50' 'asleep = off') $(advised 'idle-nodes 4' 'idle-nodes = off')" \
	'low-cpu  uneven low-cpu '
is 'a least length of the site' "$(advised 'low-cpu 16' 'low-cpu.seconds = 1801')" ''
is 'a job as long as that' "$(advised 'low-cpu 16' 'low-cpu.seconds = 1800')" 'low-cpu '
is 'a least length of all rules' "$(advised 'low-cpu 16' 'seconds = 1801')" ''
is 'and of one of them' "$(advised 'low-cpu 16' 'seconds = 1801' 'low-cpu.seconds = 0')" 'low-cpu '
is 'of a rule for jobs of any length' \
	"$(advised 'killed-for-memory 0' 'seconds = 1801')" 'killed-for-memory '

# If many rules hold, the first finding is the cause of the others, and not that the job had too
# many CPUs.
is 'a job that slept, else in the kernel' \
	"$(advised 'kernel-time 13' '' | cut -d ' ' -f 1)" 'asleep'
is 'a storm of syncs' \
	"$(advised 'first: fdatasync, fast disk' '' | cut -d ' ' -f 1)" 'small-io'
is 'a storm of processes' "$(advised 'process-storm 9' '' | cut -d ' ' -f 1)" 'process-storm'
"$report" --dir "$work/kernel-time 10" 7 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q 'into the kernel: 51.0 % of 3.880 h of CPU time was in the kernel, with 5 new processes, '\
'500 context switches, 2000 page faults, 10 disk requests of 2.000 KiB a second on a node, '\
'which is little: system calls took the time, such as those that create, remove or look up '\
'files, or that read and write what the kernel has in memory, a few bytes at a time or again '\
'and again\. See ' \
	"$work/page" || fail "the work of the kernel: $(cat "$work/page")"
# In a virtual machine a page fault may cost 20 us.
"$report" --dir "$work/kernel-time 88" 7 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q '150000 page faults, 10 disk requests of 2.000 KiB a second on a node: '\
'the page faults took the time, as in a program that allocates and frees memory '\
'again and again, or else system calls did\. ' \
	"$work/page" || fail "page faults: $(cat "$work/page")"

"$report" --dir "$work/first: threads take turns" 7 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q 'it had 9 threads and processes, but never used more than 0.96 CPUs at a time, like tasks '\
'that wait for the same lock' "$work/page" || fail "threads that take turns: $(cat "$work/page")"
"$report" --dir "$work/wants: wait-beside-idle 27" 7 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q 'on average 0.51 tasks waited while as many CPUs were idle, and 2.00 CPUs were used\. ' \
	"$work/page" || fail "waits beside idle CPUs: $(cat "$work/page")"
"$report" --dir "$work"/wants:\ asleep\ 17 7 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q 'for 53.3 % of the time none of its tasks ran or waited for a CPU, the longest from '\
'11-14 22:13:20 to 11-14 22:29:20\. ' "$work/page" || fail "a long sleep: $(cat "$work/page")"
"$report" --dir "$work/memory-grows 23" 7 | tr '\n' ' ' | tr -s ' ' >"$work/page"
grep -q 'n2 used 1.600 GiB more each hour, +- 0 %: its limit of 1.000 GiB was 0:03:45 away\. ' \
	"$work/page" || fail "memory that grows: $(cat "$work/page")"

# well JOB LINE...: print in which forms the report praises JOB, as it must do for a job without
# findings if all needed values are known
good='used what it had well|kept its [CG]PUs busy'
well()
{
	job=$1
	shift
	printf '%s\n' "$@" >"$work/advice"
	set -- --dir "$work/$job" --advice "$work/advice" 7
	"$report" --html "$work/page.html" "$@" || fail "$job"
	grep -qE "<p>The job ($good)\.</p>" "$work/page.html" && echo html
	"$report" "$@" | grep -xE "  The job ($good)\."
}
is 'nothing to blame' "$(well healthy '')" "html
  The job used what it had well."
is 'nothing to blame, GPUs' "$(well 'healthy, with GPUs' '')" "html
  The job kept its GPUs busy."
is 'no counter says what its CPUs did' "$(well 'no counters' '')" "html
  The job kept its CPUs busy."
is 'cores with two threads' "$(well 'low-cpu 17, below' '' | head -n 1)" 'html'
is 'not long enough to say' "$(well healthy 'seconds = 1801')" ''
is 'a site that does not ask' "$(well healthy 'low-cpu = off')" ''
is 'less than the site wants' "$(well 'healthy, with GPUs' 'low-cpu = 95')" ''
is 'a rule that is off hides no use' "$(well 'low-cpu 16' 'low-cpu = off')" ''
is 'a finding' "$(well 'swapping 34' '')" ''
advised 'killed-for-memory 0' 'killed-for-memory.link = https://hpc.example.org/memory' >/dev/null
"$report" --dir "$work/killed-for-memory 0" --advice "$work/advice" 7 >"$work/page" 2>&1
grep -q 'https://hpc.example.org/memory' "$work/page" || fail 'no link of the site on the page'

# wrong LINE MESSAGE: LINE in the advice file must be refused, with its line number and MESSAGE
wrong()
{
	printf '# of the site\n%s\n' "$1" >"$work/advice"
	"$report" --dir "$work/healthy" --advice "$work/advice" 7 >"$work/page" 2>"$work/said" &&
		fail "\"$1\" is taken"
	grep -q "$work/advice:2: .*$2" "$work/said" || fail "\"$1\": $(cat "$work/said")"
}
wrong 'low-cpus = 5' 'unknown rule "low-cpus"; did you mean "low-cpu"?'
wrong 'of-the-site = 5' 'unknown rule "of-the-site"'
wrong 'low-cpu' 'expected RULE = NUMBER'
wrong 'low-cpu.lnk = x' 'expected RULE.link or RULE.seconds'
wrong 'low-cpus.seconds = 1' 'unknown rule "low-cpus"'
for value in ten -1 nan '' '5 s'; do
	wrong "low-cpu.seconds = $value" 'expected a number of seconds'
	wrong "seconds = $value" 'expected a number of seconds'
done
for value in many -3 nan inf '' '5 %'; do
	wrong "low-cpu = $value" 'expected a number that is at least 0, or off'
done
"$report" --dir "$work/healthy" --advice "$work/none" 7 >/dev/null 2>"$work/said" &&
	fail 'a file that is not there is taken'
exit $failed
