#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# full_stdout.sh - a program that cannot write its output reports this and fails
. "$(dirname "$0")/lib.sh"
[ -w /dev/full ] || skip 'there is no /dev/full'

# full STATUS PROGRAM [ARGUMENT...]: the program must exit with STATUS if its output is a full
# device, and with another status if not
full() {
	want=$1
	shift
	"$@" >"$scratch/out" 2>"$scratch/err"
	[ $? -ne "$want" ] || fail "$*: status $want with room: $(cat "$scratch/err")"
	[ -s "$scratch/out" ] || fail "$*: prints nothing"
	expect "$want" "$@" >/dev/full 2>"$scratch/err"
	grep -q 'No space left on device$' "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}

many=$scratch/many
cp -R "$srcdir/tests/report/many-nodes/archive" "$many"
file=$many/n00/1700000000
full 1 nodometer types
full 1 nodometer types --json
full 1 nodometer schema
full 1 nodometer schema --json
full 1 nodometer collect --stdout
full 1 nodometer top --json --count 1 --delay 0.1
full 1 nodometer check "$file"
full 1 nodometer cat "$file"
full 1 nodometer cat --to csv "$file"
full 1 nodometer report 7 --dir "$many"
full 1 nodometer report 7 --dir "$many" --json
full 1 nodometer jobs --dir "$many"
full 1 nodometer compare 7 7 --dir "$many"
full 3 nodometer fleet --dir "$many"
full 2 nodometer --version
full 2 nodometer report --help
full 2 nodometer help
start_agent
full 1 nodometer status
full 1 nodometer status --json
full 3 nodometer status --check
# A hook succeeds if its mark was made, even if its output cannot be written.
expect 0 nodometer begin 7 >/dev/full
expect 0 nodometer end 7 --summary >/dev/full
stop_agent
