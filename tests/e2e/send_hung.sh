#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# send_hung.sh - a sink's process that no signal ends, as if it waited for a disk, does not delay a
# reload of nodometer-send
. "$(dirname "$0")/lib.sh"

[ -x "$bin/nodometer-send" ] || skip "nodometer-send was not built"
case "${SAN:-}" in *sanitize*) skip "a sanitizer and kill_shim.c do not go together" ;; esac
# shellcheck disable=SC2086 # a compiler and its words
${CC:-cc} -shared -fPIC -o "$scratch/kill.so" "$srcdir/tests/e2e/kill_shim.c" ||
	skip "no compiler for kill_shim.c"

write_config '[send]' "state-dir = $scratch/state" '[sink archive]' "dir = $scratch/central"
mkdir "$scratch/central"
expect 0 nodometer collect
LD_PRELOAD=$scratch/kill.so KILL_WORKS=$scratch/works \
	"$bin/nodometer-send" --config "$conf" 2>>"$log" 3>&- &
sender=$!
pids="$pids $sender"
file=$(raw_files)
delivers() { cmp -s "$file" "$scratch/central/$host/${file##*/}"; }
wait_until 10 delivers

hung=$(children "$sender")
pids="$pids $hung"
kill -s STOP "$hung"
kill -s HUP "$sender"
wait_until 5 log_says '\[sink archive\] its process does not end'
wait_until 5 log_says 'configuration reloaded'
expect 0 nodometer mark after
wait_until 10 delivers
log_says 'another nodometer-send' && fail 'the sender waits for its own process'

: >"$scratch/works"
kill -s KILL "$hung"
wait_until 5 gone "$hung"
end_program 10 "$sender" 'the sender'
