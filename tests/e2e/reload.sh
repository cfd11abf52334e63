#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reload.sh - SIGHUP, bad configurations, and what every program says of itself
. "$(dirname "$0")/lib.sh"

interval_is() {
	answers && grep -q "^interval  *$1\$" "$scratch/status"
}
files_are() {
	[ "$(raw_files | wc -l)" -eq "$1" ]
}
log_says() {
	grep -q "$1" "$log"
}

write_config 'interval = 2h'
start_agent
interval_is '7200 s' || fail "interval: $(cat "$scratch/status")"
expect 0 nodometer begin 501
is "files" "$(raw_files | wc -l)" 1

# The new interval is in force, a new file is begun, the job goes on.
write_config 'interval = 250ms'
kill -s HUP "$agent"
wait_until 5 interval_is '0.25 s'
wait_until 5 files_are 2
is "jobs of the new file" "$(last_jobs)" 501
n=$(groups | wc -l)
more_groups() {
	[ "$(groups | wc -l)" -gt $((n + 2)) ]
}
wait_until 5 more_groups

# A bad one is refused, by line, and the old one stays in force.
{ cat "$conf"; echo 'interval = soon'; } >"$conf.new"
mv "$conf.new" "$conf"
bad=$(wc -l <"$conf")
kill -s HUP "$agent"
wait_until 5 log_says "$conf:$bad: interval = soon"
write_config 'interval = 250ms'		# for the client, which reads it too
interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
is "files" "$(raw_files | wc -l)" 2
n=$(groups | wc -l)
wait_until 5 more_groups

# Another place for the archive is taken over as well.
old=$archive
archive=$scratch/elsewhere
write_config 'interval = 2h'
kill -s HUP "$agent"
wait_until 5 test -e "$archive/$host/current"
wait_until 5 interval_is '7200 s'
is "jobs" "$(last_jobs)" 501
expect 0 nodometer end 501
stop_agent
whole_archive
archive=$old
whole_archive

# A bad configuration never starts: status 2, file and line.
refused() {	# WHERE LINE...: what follows "file:"
	where=$1
	shift
	printf '%s\n' "$@" >"$scratch/bad"
	expect 2 timeout 5 "$bin/nodometerd" --config "$scratch/bad" 2>"$scratch/err"
	grep -q "$scratch/bad:$where" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
	expect 2 "$bin/nodometer" status --config "$scratch/bad" 2>"$scratch/err"
	grep -q "$scratch/bad:$where" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}
refused '2: unknown key intervall' '[agent]' 'intervall = 1s'
refused '2: unknown section' '[agents]' 'interval = 1s'
refused '1: interval stands before any section' 'interval = 1s'
refused '3: interval = 19ms' '[agent]' '; too fast' 'interval = 19ms'
refused '2: interval = 25h' '[agent]' 'interval = 25h'
refused '2: interval = 1' '[agent]' 'interval = 1'
refused '2: interval = -1s' '[agent]' 'interval = -1s'
refused '2: dir = here' '[agent]' 'dir = here'
refused '2: dialect = 3' '[agent]' 'dialect = 3'
refused '2: unknown type cpus' '[types]' 'cpus = on'
refused '2: cpu = maybe' '[types]' 'cpu = maybe'
refused '2: type nodometer is always on' '[types]' 'nodometer = off'
refused '2: retain-size = 9999999999T' '[agent]' 'retain-size = 9999999999T'
refused '2:' '[agent]' 'interval'
expect 2 timeout 5 "$bin/nodometerd" --config "$scratch/none" 2>/dev/null
expect 2 timeout 5 "$bin/nodometerd" --frobnicate 2>/dev/null
expect 2 timeout 5 "$bin/nodometerd" word 2>/dev/null
expect 2 "$bin/nodometer" 2>/dev/null
expect 2 "$bin/nodometer" no-such-command 2>/dev/null
expect 2 "$bin/nodometer" collect no-such-type 2>/dev/null

# Every program tells what it is and how it is used.
version=$("$bin/nodometer" --version)
for program in nodometer nodometerd nodometer-cat nodometer-check nodometer-report nodometer-plot \
	nodometer-tidy nodometer-send nodometer-mpxstats nodometer-xrootd; do
	program=$bin/$program
	expect 0 "$program" --help >"$scratch/out"
	grep -q '^usage: ' "$scratch/out" || fail "$program --help: $(cat "$scratch/out")"
	expect 0 "$program" --version >"$scratch/out"
	is "$program --version" "$(sed 's/.* //' "$scratch/out")" "${version##* }"
done
for command in begin end mark collect counters rotate status types schema cat check report plot \
	mpxstats xrootd; do
	expect 0 "$bin/nodometer" $command --help >"$scratch/out"
	grep -q "^usage: nodometer $command" "$scratch/out" || fail "nodometer $command --help"
	expect 0 "$bin/nodometer" $command --version >"$scratch/out"
	PATH="" expect 0 "$bin/nodometer" help $command >"$scratch/out"	# without man
	grep -q "^usage: nodometer $command" "$scratch/out" || fail "nodometer help $command"
done
PATH="" expect 2 "$bin/nodometer" help frobnicate 2>"$scratch/out"
grep -q 'no command "frobnicate"' "$scratch/out" || fail "help: $(cat "$scratch/out")"
expect 0 "$bin/nodometer" help >"$scratch/out"
expect 0 "$bin/nodometer" schema --help-text vm >"$scratch/out"
grep -q '^vm - ' "$scratch/out" && grep -q '^  pgpgin *counter ' "$scratch/out" ||
	fail "schema --help-text: $(cat "$scratch/out")"
expect 2 "$bin/nodometer" schema nosuch 2>/dev/null
