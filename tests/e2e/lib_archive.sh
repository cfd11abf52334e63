# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib_archive.sh - what end-to-end tests read from the archive and from "nodometer status": files,
# marks, record groups, defects

# raw_files: print the paths of the host's closed and current files, oldest first. This starts no
# program, because tests call it in loops.
raw_files() {
	for raw_file in "$archive/$host"/[0-9]*; do
		[ ! -e "$raw_file" ] || echo "$raw_file"
	done
}

# raw_text: print the text of all files, but without the ids of requests, which differ in each run
# shellcheck disable=SC2046 # paths of the scratch folder hold no blanks
raw_text() {
	sed '/^%/s/ request=[0-9]*\.[0-9]*//' $(raw_files) /dev/null
}

# marks: print the marks of jobs without their attributes
marks() {
	raw_text | sed -n '/^%counters_restart/d
		s/^\(%begin [^ ]*\|%end [^ ]*\) source=.*/\1/
		/^%/p'
}

# count PATTERN: count the marks in the archive that match PATTERN
count() {
	marks | grep -c -e "$1"
}

# left_marks: print the marks that wait in the runtime directory: files of hooks, and marks in the
# agent's file "groups" of waiting record groups. This file has two halves; bits 0 to 30 of a word
# in its header are the length of the text, and the highest bit says which half has the text.
left_marks() {
	find "$runtime/marks" -name '*.mark'
	[ -s "$runtime/marks/groups" ] || return 0
	used=$(od -An -v -t x4 -j 8 -N 4 "$runtime/marks/groups" | tr -d ' ')
	case $used in 8*) half=1048576 ;; *) half=0 ;; esac
	tail -c +$((17 + half)) "$runtime/marks/groups" | head -c "$((0x${used#?}))" | grep -a '^%'
}

left_nothing() { [ -z "$(left_marks)" ]; }

# groups: print "TIME JOBS" of every record group, in order
# shellcheck disable=SC2046 # paths of the scratch folder hold no blanks
groups() {
	awk 'blank && !/^\$/ { print } { blank = $0 == "" }' $(raw_files) /dev/null
}

# goes_on SAMPLES: succeed if at least SAMPLES record groups that nobody requested follow the first
# $n. At intervals below 10 s, samples wait in memory (gathered.sh) until a requested sample writes
# them.
goes_on() {
	n=$((n + 1))
	nodometer collect && [ "$(groups | wc -l)" -ge $((n + $1)) ]
}

last_group() {
	groups | tail -n 1
}

last_jobs() {
	groups | awk 'END { print $2 }'
}

is_newest() {
	newest=$(raw_files | tail -n 1)
	[ "$(find "$archive/$host/current" -samefile "$newest")" ]
}
current_is_newest() { is_newest || fail "current is not $newest"; }

# whole FILE...: fail if nodometer check, or parser.awk, an independent parser, finds a defect
whole() {
	"$bin/nodometer-check" "$@" >"$scratch/check" || { cat "$scratch/check"; fail "defects"; }
	for file; do
		awk -f "$srcdir/tests/formats/parser.awk" -v host="${host_column:-0}" "$file" \
			>"$scratch/parser" || fail "the other parser: $(cat "$scratch/parser")"
	done
}

# shellcheck disable=SC2046
whole_archive() {
	whole $(raw_files)
	current_is_newest
}

# value_of LABEL: print the value in the line of "nodometer status" that begins with LABEL
value_of() {
	nodometer status | sed -n "s/^$1  *//p"
}

taken() { value_of 'samples taken'; }
has_taken() { answers && [ "$(taken)" -ge "$1" ]; }	# SAMPLES
