# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# jobs_lib.sh - what tests of nodometer jobs share: an archive made from marks, and checks of the
# list of jobs
. "$(dirname "$0")/lib.sh"
# shellcheck disable=SC2034 # for the scripts that source this file
columns=job,user,nodes,start,length,begun,ended,nodes_asked,hosts_unread,account,partition,name

dir=$work/a

# file HOST EPOCH: write a file of records from lines "SECONDS JOBS [MARK]" on standard input
file()
{
	mkdir -p "$dir/$1"
	: >"$dir/$1/lock"
	{
		# shellcheck disable=SC2016 # properties, not variables
		printf '$hpcperfstats 1.0.2\n$hostname %s\n!vm pgpgin,E\n' "$1"
		while read -r time jobs mark; do
			printf '\n%s %s\n%s%svm - 1\n' "$time" "$jobs" "$mark" "${mark:+
}"
		done
	} >"$dir/$1/$2"
}

# three_jobs: make an archive of two runs of job 7 and of job 12_3, which has no begin mark
three_jobs()
{
	file n1 1700000000 <<-END
	1700000000 7 %begin 7 user=ann
	1700000600 7
	1700001200 7,12_3
	1700001800 12_3 %end 7
	END
	file n1 1700086400 <<-END
	1700086400 12_3
	1701000000 7 %begin 7 user=bob
	END
	file n2 1700000000 <<-END
	1700000010 7 %begin 7 user=ann
	1700001810 - %end 7
	END
}

# compress HOST...: compress the closed files of these hosts, which adds indexes
compress()
{
	for host; do
		"$bin/nodometer-tidy" --compress "$dir/$host" || fail "not compressed: $host"
	done
}

# lists ARGUMENTS...: run nodometer jobs ARGUMENTS; its output is in $work/out
lists()
{
	"$bin/nodometer-jobs" --dir "$dir" "$@" >"$work/out" 2>"$work/said" ||
		fail "jobs $*: $(cat "$work/said")"
}

# is WHAT WANT: fail unless $work/out equals WANT
is()
{
	[ "$(cat "$work/out")" = "$2" ] || fail "$1: $(cat "$work/out")"
}

# has WHAT PATTERN: fail unless a line of $work/out matches PATTERN
has()
{
	grep -q -- "$2" "$work/out" || fail "$1: $(cat "$work/out")"
}

# refused WHAT PATTERN PROGRAM ARGUMENTS...: PROGRAM must fail with a message that matches PATTERN
refused()
{
	what=$1 pattern=$2 program=$3
	shift 3
	"$bin/nodometer-$program" "$@" >"$work/out" 2>"$work/said" && fail "$what: exit status 0"
	grep -q -- "$pattern" "$work/said" || fail "$what: $(cat "$work/said")"
}
