#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fleet.sh - nodometer fleet names each node of 500 that is in need, says why, and names none else
. "$(dirname "$0")/lib.sh"
now=$(date +%s)
base=$((now - 100))	# of the last records; what a test needs more time for than 3 minutes fails

# shellcheck source=fleet_nodes.sh
. "$(dirname "$0")/fleet_nodes.sh"

# made DIR: the folders of the nodes on standard input, and their files
made()
{
	cat >"$work/nodes"
	mkdir -p "$1"
	(cd "$1" && sed 's/ .*//' "$work/nodes" | xargs mkdir -p)
	nodes "$1" <"$work/nodes"
}

# asks STATUS [OPTION...]: what fleet prints, in $work/out
asks()
{
	want=$1
	shift
	"$bin/nodometer-fleet" "$@" >"$work/out" 2>"$work/said"
	is=$?
	[ $is = "$want" ] || fail "fleet $*: status $is: $(cat "$work/said" "$work/out")"
}
says() { grep -q "$1" "$work/out" || fail "no \"$1\": $(cat "$work/out")"; }

# took WHAT OPTION...: prints how long that took
took()
{
	what=$1
	shift
	began=$(date +%s%N)
	asks 2 "$@"
	echo "$what: $((($(date +%s%N) - began) / 1000000)) ms"
}

# Ordinary nodes: c of one kind and g with GPUs. Of two jobs one has ended; some nodes are idle.
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
archive=$work/a
{
	ordinary
	# Ten faults; of missing and c390 there is no file.
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
	# No faults: of this job most nodes still run; others are ended and begun as their nodes see
	# fit; a group is larger than what is read first; a node has its full name; one is renamed.
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
newest() { find "$archive/$1" -type f -printf '%p\n' | sort | tail -n 1; }
# The newest file is compressed; a record is being written; older files are none that can be read.
file=$(newest c003)
gzip "$file" || fail 'no gzip'
"$bin/nodometer-cat" "$file.gz" >/dev/null 2>&1 || gunzip "$file.gz"	# built without zlib
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
c002 a prolog and no epilog: job 8
c005 nodometer 0.0.9, most nodes have nodometer 0.1.0
c008 15 record groups could not be written
c011 cannot read type mem
c014 its clock is slow, or its records come late
c017 silent since
c381 a prolog and no epilog: job 9
c390 no record
g003 its clock is ahead
g050 lacks what others of its kind have: nvidia_gpu
missing no folder in the archive
END
# compare LIST: the lines on nodes are those of the list, to the end of its words
compare()
{
	sed '1d; s/  */ /g' "$work/out" | sort >"$work/lines"
	[ "$(wc -l <"$work/lines")" = "$(wc -l <"$1")" ] || fail "$(cat "$work/out")"
	while IFS= read -r line; do
		grep -q "^$line" "$work/lines" || fail "no \"$line\": $(cat "$work/out")"
	done <"$1"
}
asks 2 --dir "$archive" --nodes "$work/list"
compare "$work/want"
says '^NODOMETER CRITICAL - 11 of 491 nodes need attention, 480 do not (last records up to '\
'[0-9]* min old, limit 2h) | nodes=491;'
asks 2 --dir "$archive" --nodes - <"$work/list"
compare "$work/want"
# Without a list the folders are the nodes: an empty one is one, too.
grep -v ^missing "$work/want" >"$work/folders"
asks 2 --dir "$archive"
compare "$work/folders"
asks 2 --json --dir "$archive"
says '"status":2,"nodes":490,"faulty":10,"program":"nodometer 0.1.0",'
says '{"node":"c005","last":[0-9.]*,"faults":{"version":"'
took "fleet of 490 nodes" --dir "$archive"

# Each node asked: what ssh and the nodes say is made up here.
mkdir "$work/bin"
cat >"$work/bin/ssh" <<'SSH'
#!/bin/sh
[ "$1 $2 $3 $5 $#" = '-oBatchMode=yes -oConnectTimeout=5 -- nodometer status --check 5' ] || exit 99
case $4 in
c001) echo 'Warning: a new key' >&2; echo 'NODOMETER WARNING - refused: line 3 | age=1'; exit 1 ;;
c003) echo 'NODOMETER CRITICAL - nothing is written: it is full | age=1'; exit 2 ;;
c004) echo 'ssh: connect to host c004: refused' >&2; exit 255 ;;
c006) echo 'sh: nodometer: not found' >&2; exit 127 ;;
c007) head -c 100000 /dev/zero | tr '\0' x; exit 0 ;;
c009) exit 0 ;;
hung) exec sleep 1000 ;;
*) echo 'NODOMETER OK - last sample 0.1 s ago | age=1' ;;
esac
SSH
chmod +x "$work/bin/ssh"
# A node that hangs is given up after ten seconds; it is waited for below.
echo hung |
	PATH=$work/bin:$PATH timeout 60 "$bin/nodometer-fleet" --dir "$archive" --nodes - --ssh \
		>"$work/hung" 2>&1 &
hung=$!
{
	cat "$work/want"
	echo 'c001 refused: line 3$'
	echo 'c003 nothing is written: it is full$'
	echo 'c004 no answer: ssh: connect to host c004: refused$'
	echo 'c006 no answer: sh: nodometer: not found$'
	echo 'c007 no answer: '
	echo 'c009 no answer: nothing was said$'
} >"$work/asked"
PATH=$work/bin:$PATH asks 2 --dir "$archive" --nodes "$work/list" --ssh
compare "$work/asked"
PATH=$work/bin:$PATH asks 1 --dir "$archive" --nodes - --ssh <<END
c001
c012
c015
END
PATH=$work/bin:$PATH asks 2 --json --dir "$archive" --ssh
says '"node":"c001","last":[0-9.]*,"faults":{"status":"refused: line 3"}'
says '"node":"c003","last":[0-9.]*,"faults":{"failing":"nothing'
wait $hung
grep -q 'hung .*no answer: it takes too long' "$work/hung" || fail "hung: $(cat "$work/hung")"

# A list of which most are missing says nothing of versions.
seq -f 'x%g' 1 10000 >"$work/list"
printf '%s\n' c001 c003 c004 >>"$work/list"
took "10,000 missing names" --dir "$archive" --nodes "$work/list"
says '10000 of 10003 nodes need attention, 3 do not'
! grep 'most nodes' "$work/out" || fail 'versions of missing nodes'

# Of two versions none is that of most; of a copy, when files were written means nothing; two nodes
# are no kind.
made "$work/b" <<END
c1 version=1 at=-4000
c2 version=2 types=cpu at=-4000
END
asks 0 --dir "$work/b"
says '^NODOMETER OK - 0 of 2 nodes need attention, 2 do not (last records up to 6[89] min old, '\
'limit 2h) |'
asks 1 --dir "$archive" --nodes - <<END
c005
c003
c006
END
asks 2 --dir "$work/b" --silent 30min
says '^c1  silent since '
says '^c1  silent since .* (run "nodometer status" there)$'
asks 0 --dir "$work/b" --silent 90min
asks 0 --dir "$work/b" --silent 3d
says 'min old, limit 72h)'
PATH=$work/none asks 3 --dir "$work/b" --ssh
grep -q -e '--ssh: there is no program ssh in PATH' "$work/said" ||
	fail "no ssh: $(cat "$work/said")"

# A name that commands terminals and ends what Nagios reads; a file that is cut.
name=$(printf 'n\033[31m|x')
mkdir -p "$work/c/$name" "$work/c/cut" "$work/c/empty"
gzip <"$(newest c001)" | head -c 40 >"$work/c/cut/1700000000.gz"
: >"$work/c/empty/1700000000"
asks 2 --dir "$work/c"
says '^n?\[31m/x  no record$'
says '^cut .*cannot be read: .*1700000000.gz: .*compressed'
says '^empty .*no record'

# Unknown: no archive, no node, no list, wrong usage.
mkdir "$work/none"
asks 3 --dir "$work/none"
says '^NODOMETER UNKNOWN - no node: '
asks 3 --dir "$work/nowhere"
asks 3 --dir "$archive" --nodes "$work/nowhere"
asks 3 --dir "$archive" --nodes /dev/null
asks 3 --dir "$archive" --silent soon
asks 3 --dir "$archive" operand
asks 0 --help
exit $failed
