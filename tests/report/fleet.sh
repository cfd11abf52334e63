#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fleet.sh - of 500 nodes, nodometer fleet names exactly those that need attention, and says why
. "$(dirname "$0")/fleet_lib.sh"

# ordinary: print lines for nodes without faults: c... without and g... with GPUs. Some run job 7,
# which has not ended; on some, job 8 has ended; some are idle.
ordinary()
{
	awk 'BEGIN {
		for (i = 1; i <= 380; i++)
			printf "c%03d %s\n", i, i % 3 == 0 ? "first=7 last=7" : \
				i % 3 == 1 ? "types=cpu,mem,net" : \
				"first=8 last=- mark=end_8_source=hook"
		for (i = 1; i <= 100; i++)
			printf "g%03d types=cpu,job,mem,net,nvidia_gpu\n", i
	}' | grep -v -w -f "$work/others"
}
printf '%s\n' c002 c005 c008 c011 c014 c017 g003 g050 >"$work/others"
{
	ordinary
	# Print lines for nodes with faults. Two more faulty nodes, "missing" and c390, have no
	# file.
	cat <<-END
	c002 first=8 last=8
	c005 version=0.0.9
	c008 lost=3
	c011 error=mem
	c014 at=-3600
	c017 at=-10800
	g003 at=3600 types=cpu,job,mem,net,nvidia_gpu
	g050 types=cpu,job,mem,net
	c381 first=9,10 last=10 mark=end_9_source=later-begin_by=10
	END
	# Print lines for special cases that are no faults: a job that still runs on most of its
	# nodes; marks without hooks; a record group larger than the block that fleet reads first; a
	# node with its full name; a renamed node.
	cat <<-END
	c382 first=11 last=- mark=end_11_source=hook
	c383 first=11 last=11
	c384 first=11 last=11
	c385 first=12 last=- mark=end_12_source=cgroup
	c386 fill=20000
	c387.example.org first=7 last=7
	c388 at=-80000 version=0.0.1
	c388.example.org first=7 last=7
	c389 first=8 last=8 mark=begin_8_source=hook
	END
} | made "$archive"
touch -d "@$((base - 10800))" "$archive/c017"/*
mkdir "$archive/c390" "$archive/lost+found"
# Special cases of files: a compressed newest file, a record that is being written, and unreadable
# older files.
file=$(newest c003)
gzip "$file" || fail 'no gzip'
"$bin/nodometer-cat" "$file.gz" >/dev/null 2>&1 || gunzip "$file.gz"	# this build lacks zlib
printf '\n%s 7\ncpu - 1 ' "$now" >>"$(newest c006)"
for node in c009 c012; do
	echo 'this is no record' >"$archive/$node/1000000000"
done
{
	sed -n 's/^\(c[0-9]*\|g[0-9]*\).*/\1/p' "$work/nodes" | sort -u
	echo '# comment'
	echo c390
	echo missing
} >"$work/list"

cat >"$work/want" <<END
c002 a prolog without an epilog: job 8
c005 nodometer 0.0.9, most nodes have nodometer 0.1.0
c008 15 record groups could not be written
c011 cannot read type mem
c014 its clock is slow, or its records come late
c017 silent since
c381 a prolog without an epilog: job 9
c390 no record
g003 its clock is ahead
g050 lacks types that similar nodes have: nvidia_gpu
missing no folder in the archive
END
asks 2 --dir "$archive" --nodes "$work/list"
compare "$work/want"
says '^NODOMETER CRITICAL - 11 of 491 nodes need attention, 480 do not (last records up to '\
'[0-9]* min old, limit 2h) | nodes=491;'
asks 2 --dir "$archive" --nodes - <"$work/list"
compare "$work/want"
# Without a list of nodes, each folder of the archive is a node, even an empty folder.
grep -v ^missing "$work/want" >"$work/folders"
asks 2 --dir "$archive"
compare "$work/folders"
asks 2 --json --dir "$archive"
says '"status":2,"nodes":490,"faulty":10,"program":"nodometer 0.1.0",'
says '{"node":"c005","last":[0-9.]*,"faults":{"version":"'
took "fleet of 490 nodes" --dir "$archive"
exit $failed
