#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# reload.sh - SIGHUP, bad configurations, and the messages that all programs share
. "$(dirname "$0")/lib.sh"

interval_is() {
	answers && grep -q "^interval  *$1\$" "$scratch/status"
}
files_are() {
	[ "$(raw_files | wc -l)" -eq "$1" ]
}

write_config 'interval = 2h'
start_agent
interval_is '7200 s' || fail "interval: $(cat "$scratch/status")"
expect 0 nodometer begin 501
is "files" "$(raw_files | wc -l)" 1

# The new interval is used, a new file is started, and the job continues.
write_config 'interval = 250ms'
kill -s HUP "$agent"
wait_until 5 interval_is '0.25 s'
wait_until 5 files_are 2
is "jobs of the new file" "$(last_jobs)" 501
n=$(groups | wc -l)
wait_until 5 goes_on 3

# A bad configuration is refused with its line, and the old one stays in use.
{ cat "$conf"; echo 'interval = soon'; } >"$conf.new"
mv "$conf.new" "$conf"
bad=$(wc -l <"$conf")
kill -s HUP "$agent"
wait_until 5 log_says "$conf:$bad: interval = soon"
answers && grep -q "^reload refused  *$conf:$bad: interval = soon" "$scratch/status" ||
	fail "status does not say what was refused: $(cat "$scratch/status")"
nodometer status --json 2>/dev/null | grep -q "\"refused\":\[\"$conf:$bad: interval = soon" ||
	fail "status --json does not say what was refused"
interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
is "files" "$(raw_files | wc -l)" 2
n=$(groups | wc -l)
wait_until 5 has_taken $(($(taken) + 3))

# A hook only needs the socket: the job is marked whatever is wrong in the file, and the hook warns.
expect 0 nodometer begin --strict 502 2>"$scratch/err"
grep -q "$conf:$bad: interval = soon" "$scratch/err" || fail "begin: $(cat "$scratch/err")"
grep -q 'nodometer config check' "$scratch/err" || fail "begin does not say what to do"
expect 0 nodometer mark --timeout 3 typo 2>/dev/null
expect 0 nodometer end --strict 502 2>/dev/null
[ "$(groups | wc -l)" -ge $((n + 6)) ] || fail "groups: $(groups | wc -l) after $n"
is "marks" "$(marks | tail -n 3 | tr '\n' ' ')" "%begin 502 %typo %end 502 "
expect 2 "$bin/nodometer" --config "$scratch/none" begin --strict 503 2>/dev/null

# The corrected configuration is accepted, and the earlier refusal is forgotten.
write_config 'interval = 250ms'
kill -s HUP "$agent"
none_refused() {
	answers && ! grep -q '^reload refused' "$scratch/status"
}
wait_until 5 none_refused

# A new place of the archive is accepted, too, if the agent is not confined.
stop_agent
write_config 'interval = 250ms' 'confine = no'
start_agent
old=$archive
archive=$scratch/elsewhere
write_config 'interval = 2h' 'confine = no'
kill -s HUP "$agent"
wait_until 5 test -e "$archive/$host/current"
wait_until 5 interval_is '7200 s'
is "jobs" "$(last_jobs)" 501
expect 0 nodometer end 501
stop_agent
whole_archive
archive=$old
whole_archive

# refuses TEXT: a reload that cannot be done is refused, and the agent continues unchanged
refuses() {
	kill -s HUP "$agent"
	wait_until 5 log_says 'the configuration stays as it was'
	answers && grep -q "^reload refused  *$1" "$scratch/status" ||
		fail "status does not say why: $(cat "$scratch/status")"
	interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
	wait_until 5 has_taken $(($(taken) + 3))
	: >"$log"
}

# The root folder is missing for a while.
mkdir -p "$scratch/root/proc"
echo 'cpu0 1 2 3 4' >"$scratch/root/proc/stat"
: >"$log"
write_config 'interval = 250ms'
start_agent --root "$scratch/root"
mv "$scratch/root" "$scratch/away"
write_config 'interval = 2h'
refuses "$scratch/root: No such file"
expect 0 nodometer begin 504
mv "$scratch/away" "$scratch/root"
kill -s HUP "$agent"
wait_until 5 interval_is '7200 s'
none_refused || fail "the refused reload is not forgotten: $(cat "$scratch/status")"
is "jobs" "$(last_jobs)" 504
expect 0 nodometer end 504
stop_agent

# A runtime directory that cannot be used is refused, too.
: >"$log"
write_config 'interval = 250ms' 'confine = no'
start_agent
file=$(open_folder)/file	# short enough for the address of a socket
: >"$file"
write_config 'interval = 2h' 'confine = no'
sed -i "s|^runtime-dir = .*|runtime-dir = $file|" "$conf"
kill -s HUP "$agent"
wait_until 5 log_says "$file/control: Not a directory"
write_config 'interval = 250ms' 'confine = no'
refused_still() { answers && grep -q "^reload refused  *$file/control" "$scratch/status"; }
refused_still || fail "the agent does not answer as before: $(cat "$scratch/status")"
interval_is '0.25 s' || fail "the agent does not go on as it was: $(cat "$scratch/status")"
wait_until 5 has_taken $(($(taken) + 3))
stop_agent
rm -r "${file%/*}"

# refused WHERE LINE...: a bad configuration never starts: exit status 2, with file and line
refused() {	# WHERE LINE...: what follows "file:"
	where=$1
	shift
	printf '%s\n' "$@" >"$scratch/bad"
	expect 2 timeout 30 "$bin/nodometerd" --config "$scratch/bad" 2>"$scratch/err"
	grep -q "$scratch/bad:$where" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
	expect 1 "$bin/nodometerd" --check --config "$scratch/bad" 2>"$scratch/err"
	expect 1 "$bin/nodometer" config check "$scratch/bad" 2>>"$scratch/err"
	is "errors of both" "$(grep -c "$scratch/bad:$where" "$scratch/err")" 2
	expect 2 "$bin/nodometer" types --config "$scratch/bad" 2>"$scratch/err"
	grep -q "$scratch/bad:$where" "$scratch/err" || fail "$*: $(cat "$scratch/err")"
}
refused '2: unknown key intervall' '[agent]' 'intervall = 1s'
refused '1: unknown section' '[agents]' 'interval = 1s'
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
refused '4: unknown type cpuu in \[types\]; did you mean cpu?' \
	'[agent]' 'spread = x' '[types]' 'cpuu = on'
write_config
expect 0 "$bin/nodometerd" --check --config "$conf" >/dev/null
expect 0 "$bin/nodometer" config check "$conf" >/dev/null
expect 2 "$bin/nodometer" config 2>/dev/null
expect 2 timeout 30 "$bin/nodometerd" --config "$scratch/none" 2>/dev/null
expect 2 timeout 30 "$bin/nodometerd" --frobnicate 2>/dev/null
expect 2 timeout 30 "$bin/nodometerd" word 2>/dev/null
expect 2 "$bin/nodometer" 2>/dev/null
expect 2 "$bin/nodometer" no-such-command 2>/dev/null
expect 2 "$bin/nodometer" stauts 2>"$scratch/err"
grep -q 'did you mean "status"?' "$scratch/err" || fail "stauts: $(cat "$scratch/err")"
while read -r command wrong meant; do
	expect 2 "$bin/nodometer" "$command" "$wrong" 2>"$scratch/err"
	grep -q -e "$meant" "$scratch/err" || fail "$command $wrong: $(cat "$scratch/err")"
done <<'END'
status --jsn unknown option --jsn; did you mean --json?
status --json=5 --json takes no argument
status --config --config needs an argument
status --frobnicate unknown option --frobnicate$
status -j unknown option -j$
report --hots unknown option --hots; did you mean --host?
END
# All programs use the same words and layout for options, and name their manual page.
for program in nodometer nodometerd nodometer-tidy nodometer-send 'nodometer begin --strict' \
	'nodometer cat' 'nodometer mpxstats' 'nodometer xrootd'; do
	case $program in
	*send | *mpxstats | *xrootd) has "${program##*[- ]}" || continue ;;
	esac
	name=${program% --*}
	# shellcheck disable=SC2086 # two words are two words
	expect 2 "$bin/"$program --versoin 2>"$scratch/err"
	is "$program --versoin" "$(cat "$scratch/err")" \
		"$name: unknown option --versoin; did you mean --version?
Try \"$name --help\"."
	# shellcheck disable=SC2086
	"$bin/"$program --help >"$scratch/out"
	sed -i -n '1s/ \[OPTIONS\].*//p; /^  --version /p; /^More in /s/ in .*//p' "$scratch/out"
	is "$program --help" "$(cat "$scratch/out")" "usage: $name
  --version          print the version and exit
More"
done
expect 2 "$bin/nodometer" collect no-such-type 2>/dev/null

# Every program prints its version and its usage.
version=$("$bin/nodometer" --version)
for program in nodometer nodometerd nodometer-cat nodometer-check nodometer-report nodometer-plot \
	nodometer-tidy nodometer-send nodometer-mpxstats nodometer-xrootd; do
	case $program in
	*send | *mpxstats | *xrootd) has "${program##*-}" || continue ;;
	esac
	program=$bin/$program
	expect 0 "$program" --help >"$scratch/out"
	grep -q '^usage: ' "$scratch/out" || fail "$program --help: $(cat "$scratch/out")"
	expect 0 "$program" --version >"$scratch/out"
	is "$program --version" "$(sed 's/.* //' "$scratch/out")" "${version##* }"
done
for command in begin end mark collect config counters rotate status types cat check jobs \
	report plot mpxstats xrootd; do
	case $command in
	mpxstats | xrootd) has $command || continue ;;
	esac
	expect 0 "$bin/nodometer" $command --help >"$scratch/out"
	grep -q "^usage: nodometer $command" "$scratch/out" || fail "nodometer $command --help"
	expect 0 "$bin/nodometer" $command --version >"$scratch/out"
	PATH="" expect 0 "$bin/nodometer" help $command >"$scratch/out"	# without man
	grep -q "^usage: nodometer $command" "$scratch/out" || fail "nodometer help $command"
done
for old in convert:cat export:cat schema:types; do	# old names: the usage has the new one
	expect 0 "$bin/nodometer" ${old%:*} --help >"$scratch/out"
	grep -q "^usage: nodometer ${old#*:} " "$scratch/out" || fail "nodometer ${old%:*} --help"
	PATH="" expect 0 "$bin/nodometer" help ${old%:*} >"$scratch/out"
	grep -q "^usage: nodometer ${old#*:} " "$scratch/out" || fail "nodometer help ${old%:*}"
done
PATH="" expect 2 "$bin/nodometer" help frobnicate 2>"$scratch/out"
grep -q 'unknown command "frobnicate"' "$scratch/out" || fail "help: $(cat "$scratch/out")"
expect 0 "$bin/nodometer" help >"$scratch/out"
expect 0 "$bin/nodometer" types --schema --help-text vm >"$scratch/out"
grep -q '^vm - ' "$scratch/out" && grep -q '^  pgpgin *counter ' "$scratch/out" ||
	fail "types --schema --help-text: $(cat "$scratch/out")"
expect 2 "$bin/nodometer" types --schema nosuch 2>/dev/null
