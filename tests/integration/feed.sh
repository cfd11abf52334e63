# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# feed.sh - faults that each sink must survive: no room for cursors, a day's backlog, a clock that
# is set back, kills
#
# Source this file after lib.sh, in a mount namespace. The test calls sending(), sets $sinks to the
# names of the cursors, and defines counted SINK FILE..., which checks that the sink has received
# the contents of these raw files and writes the reason for a failure to $scratch/said.
at=1700000000 n=0

# record TIME N: print a record of TIME whose values depend on N
record()
{
	printf '\n%s 7\ncpu 0 %s %s\nmem 0 1000 %s\nnodometer - 1 1 3 0\n' "$1" "$2" $(($2 * 2)) \
		"$2"
}
records()	# records HOW-MANY: print further records
{
	for _ in $(seq "$1"); do
		at=$((at + 10)) n=$((n + 1))
		record $at $n
	done >>"$raw"
}
current() { ln -f "$raw" "$scratch/archive/$host/current"; }

status() { "$bin/nodometer" status --config "$conf" 2>/dev/null; }
# fails SINK TEXT: succeed if the status reports an error of SINK that matches TEXT
fails() { status | grep "^sink *$1: .*fails: .*$2"; }
saved() { grep -q "^time_us ${at}000000\$" "$scratch/state/$host/$1"; }
long() { wait_times 4 "$@"; }

# delivered WHEN [FILE...]: wait until each sink has received all records of these raw files, by
# default of all files in the archive; WHEN is for messages
delivered()
{
	when=$1
	shift
	[ $# -gt 0 ] || set -- "$scratch/archive/$host"/[0-9]*
	for s in $sinks; do
		long saved "$s" || die "$when: $s does not have all: $(status | tail -n 5)"
		long counted "$s" "$@" || die "$when: $s: $(cat "$scratch/said")"
		say "$when: $s: $(cat "$scratch/said")"
	done
}

# killed PID: kill a sender and the processes of its sinks
killed()
{
	# shellcheck disable=SC2046 # numbers
	kill -KILL "$1" $(cat "/proc/$1/task/$1/children")
	wait "$1" 2>/dev/null
}

# first_records: start a sender, then write records. A new sink gets only new records, but [sink
# archive] gets all. Add type nodometer, whose last row shows that a record is complete.
first_records()
{
	# shellcheck disable=SC2016 # a property of the file
	sed -i '1a $agent nodometer 0.1.0\n!nodometer cpu,E bytes,E rows errors,E' "$raw"
	current
	sender
	for s in $sinks; do
		[ $s = archive ] || long test -e "$scratch/state/$host/$s" ||
			die "the sender saved no cursor of $s"
	done
	records 70
	delivered 'at first'
}

# full_disk: leave no room for the sinks' cursors: sinks must still get all records, but some of
# them twice after a restart
full_disk()
{
	stop "$sender"
	cp -r "$scratch/state" "$scratch/state.kept"
	mount -t tmpfs -o size=64k tmpfs "$scratch/state" 2>"$scratch/log" ||
		{ say 'a full disk is not tried: no mount'; sender; return; }
	cp -r "$scratch/state.kept/." "$scratch/state/"
	head -c 1M /dev/zero >"$scratch/state/full" 2>"$scratch/log"
	sender
	records 3
	sleep 3
	stop "$sender"
	rm "$scratch/state/full"
	cp -r "$scratch/state/$host/." "$scratch/state.kept/$host/"
	umount "$scratch/state"
	cp -r "$scratch/state.kept/." "$scratch/state/"
	sender
	delivered 'after a full disk'
}

# another EPOCH RECORDS: begin a new file with the header of the first file and RECORDS records;
# copy each file as plain text to $scratch/want
another()
{
	raw=$scratch/archive/$host/$1 at=$1
	sed '/^$/,$d' "$scratch/want/1700000000" >"$raw"
	records "$2"
	cp "$raw" "$scratch/want/$1"
	current
}

# waiting_day: let 2,000 records wait, compress their file, and kill the sender ten times while it
# sends them
waiting_day()
{
	stop "$sender"
	records 2000
	mkdir "$scratch/want"
	cp "$raw" "$scratch/want/1700000000"
	zstd -q --rm "$raw" -o "$raw.zst" || die 'no zstd'
	another 1700100000 2
	for try in 1 2 3 4 5 6 7 8 9 10; do
		sender
		sleep 0.$((1 + try % 4))
		killed "$sender"
	done
	sender
	delivered 'killed ten times with a day to send' "$scratch/want"/*
}

# clock_set_back: write records after the clock was set back by half a day; they must arrive with
# their own times
clock_set_back()
{
	another 1700050000 5
	delivered 'after the clock was set back' "$scratch/want"/*
}
