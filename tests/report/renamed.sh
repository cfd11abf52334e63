#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# renamed.sh - a node that is renamed during a job stays one node; containers stay separate nodes
. "$(dirname "$0")/lib.sh"
begin=1700000000

# record HOST BOOT FROM TO JOB [BEGIN [END]]: make samples from minute FROM to minute TO. BEGIN and
# END are marks, such as %begin, for the first and the last sample. One of two CPUs is busy.
record()
{
	mkdir -p "$dir/$1"
	awk -v host="$1" -v boot="$2" -v from="$3" -v to="$4" -v job="$5" -v first="${6:-}" \
		-v last="${7:-}" -v begin="$begin" 'BEGIN {
		print "$hpcperfstats 1.0.2\n$hostname " host
		print "$uname Linux x86_64 6.1.0"
		print "$uptime " 5000 + from * 60 "\n$boot_id " boot
		print "!cpu user,E,U=cs idle,E,U=cs"
		for (t = from; t <= to; t++) {
			print "\n" begin + t * 60 " " job
			if (t == from && first) print first " " job
			if (t == to && last) print last " " job
			for (cpu = 0; cpu < 2; cpu++)
				print "cpu " cpu, t * (cpu ? 6000 : 100), t * (cpu ? 10 : 5900)
		}
	}' >"$dir/$1/$((begin + $3 * 60))"
}

dir=$work/whole
for new in n1.example.org newname third; do
	record $new boot-1 0 9 7 %begin %end
	mv "$dir" "$work/of-$new"
done

# same_page COMMAND ARGUMENT...: nodometer-COMMAND must print the same as for the same records under
# one hostname
same_page()
{
	command=$bin/nodometer-$1
	shift
	"$command" --dir "$work/of-$name" "$@" >"$work/want" 2>&1 || fail "$name: $*"
	"$command" --dir "$dir" "$@" >"$work/got" 2>&1
	diff "$work/want" "$work/got" >"$work/diff" ||
		fail "$name: ${command##*/} $*: $(cat "$work/diff")"
}

same_pages()
{
	same_page report 7
	same_page report 7 --json
	same_page jobs --used
	same_page jobs --used --json
	same_page jobs --by node
	same_page compare 7 7
	for of in "$work/of-$name" "$dir"; do
		"$bin/nodometer-site" --dir "$of" --out "$of.site" >"$work/got" 2>&1 ||
			fail "$name: site: $(cat "$work/got")"
	done
	# The fleet page lists folders, and .pages has a stamp of each file: ignore both.
	diff -r -x fleet.html -x .pages "$work/of-$name.site" "$dir.site" >"$work/diff" ||
		fail "$name: site: $(cat "$work/diff")"
}

name=n1.example.org dir=$work/domain
record n1 boot-1 0 4 7 %begin
record n1.example.org boot-1 5 9 7 '' %end
same_pages
name=newname dir=$work/name
record oldname boot-1 0 4 7 %begin
record newname boot-1 5 9 7 '' %end
same_pages
"$bin/nodometer-report" --host oldname --dir "$dir" >"$work/got" 2>&1
grep -q 'newname  *10 ' "$work/got" || fail "the old name: $(cat "$work/got")"
name=third dir=$work/twice
record first boot-1 0 2 7 %begin
record second boot-1 3 5 7
record third boot-1 6 9 7 '' %end
same_pages
"$bin/nodometer-jobs" --dir "$dir" --keep >/dev/null || fail "--keep"
for host in first second third; do
	grep -q "^file $host/" "$dir/jobs.index" || fail "no folder $host in the index"
done

# Hosts that are not the same node remain separate nodes.
dir=$work/others
record other-boot-1 boot-2 0 4 11 %begin
record other-boot-2 boot-3 5 9 11 '' %end
record container-1 boot-4 0 6 12 %begin
record container-2 boot-4 5 9 12
record begins-1 boot-5 0 4 13 %begin
record begins-2 boot-5 5 9 13 %begin %end
record splits boot-6 0 4 14 %begin
record splits-1 boot-6 5 8 14
record splits-2 boot-6 6 9 14
record meets-1 boot-7 0 4 15
record meets-2 boot-7 1 4 15
record meets boot-7 5 9 15
record other-job boot-8 0 4 16
record another-job boot-8 5 9 17
"$bin/nodometer-report" --host '*' --json --dir "$dir" >"$work/got" 2>&1
for host in "$dir"/*; do
	host=${host##*/}
	grep -q "\"host\":\"$host\"" "$work/got" || fail "$host is no node: $(cat "$work/got")"
done
exit $failed
