#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# front.sh - begin and end execute only nodometer if an agent runs, and lose no mark without an
# agent
. "$(dirname "$0")/lib.sh"

calls_most=75	# limit for the system calls of a begin, including those of libc
command -v strace >/dev/null || skip "no strace"

# traced NAME ARGUMENTS...: run nodometer with ARGUMENTS, and list its system calls in
# $scratch/NAME.calls. The leak checker of sanitizer builds does not work in a traced process.
traced() {
	name=$1
	shift
	ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" \
		strace -f -o "$scratch/$name.calls" "$bin/nodometer" --config "$conf" "$@" \
		2>"$scratch/$name.err"
}
# programs NAME: print how many programs were executed by the run that traced() named NAME
programs() { grep -c 'execve(.* = 0$' "$scratch/$1.calls"; }

traced without begin --strict 1 || fail "without an agent: $(cat "$scratch/without.err")"
is "programs without an agent" "$(programs without)" 2
is "marks" "$(count '^%begin 1$')" 1
expect 0 nodometer end --strict 1

start_agent
traced with begin --strict 2 --attr user=me || fail "with an agent: $(cat "$scratch/with.err")"
is "programs with an agent" "$(programs with)" 1
is "marks" "$(count '^%begin 2$')" 1
libraries=$(sed -n 's/.*open.*"[^"]*\/\([^/"]*\.so\.[0-9]*\)".* = [0-9]*$/\1/p' \
	"$scratch/with.calls" | grep -v '^libc\.')
if [ -n "${SAN:-}" ]; then
	echo "libraries and calls are not counted with $SAN"
else
	is "libraries besides libc" "$libraries" ''
	calls=$(wc -l <"$scratch/with.calls")
	[ "$calls" -le $calls_most ] || fail "$calls calls: $(cat "$scratch/with.calls")"
fi
traced end end --strict -- 2 || fail "end: $(cat "$scratch/end.err")"
is "programs of an end" "$(programs end)" 1
is "end marks" "$(count '^%end 2$')" 1

# A hook reads the configuration only if it has changed since the agent read it.
sed 's/^interval.*/interval = never/' "$conf" >"$scratch/wrong"
cp "$conf" "$scratch/right"
cat "$scratch/wrong" >"$conf"
traced changed begin --strict 6 || fail "changed: $(cat "$scratch/changed.err")"
grep -q ': interval = never: ' "$scratch/changed.err" ||
	fail "a wrong configuration: $(cat "$scratch/changed.err")"
is "programs after a change" "$(programs changed)" 2
kill -HUP "$agent"
wait_until 10 log_says 'the new configuration is not used; the old one stays in force'
traced refused begin --strict 7
is "programs after a refused reload" "$(programs refused)" 2
cat "$scratch/right" >"$conf"
kill -HUP "$agent"
wait_until 10 log_says 'configuration reloaded'
traced again begin --strict 8
is "programs after a reload" "$(programs again)" 1
mv "$runtime/configuration" "$runtime/other"
ln -s other "$runtime/configuration"
traced linked begin --strict 8
is "programs if the names are a symbolic link" "$(programs linked)" 2
mv "$runtime/other" "$runtime/configuration"
is "marks" "$(count '^%begin [678]$')" 3

# If the agent hangs, nodometer leaves its request in the spool before it executes
# nodometer-commands.
mkdir "$scratch/front"
cp "$bin/nodometer" "$scratch/front/"
printf '#!/bin/sh\necho "$@" >"%s"\nexec sleep 60\n' "$scratch/taken" \
	>"$scratch/front/nodometer-commands"
chmod 755 "$scratch/front/nodometer-commands"
kill -s STOP "$agent"
"$scratch/front/nodometer" begin --config "$conf" --timeout 1 9 3>&- &
hook=$!
pids="$pids $hook"
wait_until 10 test -s "$scratch/taken"
sleep 1
kill -KILL "$hook" || fail 'the timeout of nodometer ended nodometer-commands'
wait "$hook" 2>/dev/null
forget "$hook"
asked=$(sed "s|^--asked=\([0-9]*\)\.[0-9]* begin --config $conf --timeout 1 9\$|\1|" \
	"$scratch/taken")
case $(left_marks) in
*/marks/*"$asked.$hook.1.mark") ;;
*) fail "handed over: $(cat "$scratch/taken"); left: $(left_marks)" ;;
esac
kill -s CONT "$agent"
wait_until 10 left_nothing
is "marks of a hook that was killed" "$(count '^%begin 9$')" 1

# ps(1) shows the name nodometer, whether nodometer or nodometer-commands waits for the agent.
kill -s STOP "$agent"
for words in 'begin --timeout 100 1' 'mark --timeout 100 half'; do
	# shellcheck disable=SC2086 # words
	"$bin/nodometer" --config "$conf" $words 3>&- &
	hook=$!
	pids="$pids $hook"
	case $words in begin*) program=nodometer ;; *) program=nodometer-commands ;; esac
	is_waiting() {
		[ "$(readlink "/proc/$hook/exe")" = "$(readlink -f "$bin/$program")" ] &&
			[ "$(of "$hook" State)" = 'S (sleeping)' ]
	}
	wait_until 10 is_waiting
	is "name of $program" "$(cat "/proc/$hook/comm")" nodometer
	kill -KILL "$hook"
	wait "$hook" 2>/dev/null
	forget "$hook"
done
expect 0 bounded 30 begin 10 2>"$scratch/err"
grep -q 'the agent does not answer; marking without it' "$scratch/err" ||
	fail "a hung agent: $(cat "$scratch/err")"
expect 1 nodometer status >"$scratch/out" 2>/dev/null
grep -q '^agent  *does not answer$' "$scratch/out" || fail "a hung agent: $(cat "$scratch/out")"
grep '^to start it' "$scratch/out" && fail 'a hung agent need not be started'
kill -s CONT "$agent"
expect 0 nodometer collect
is "marks beside a hung agent" "$(count '^%begin 10$')" 1
is "requests that are left" "$(left_marks)" ''

# Without nodometer-commands a hook harms no job.
rm "$scratch/front/nodometer-commands"
expect 0 "$scratch/front/nodometer" begin --config "$scratch/none" 11 2>"$scratch/err"
[ -e /usr/libexec/nodometer/nodometer-commands ] || grep -q 'nodometer-commands: No such file' \
	"$scratch/err" || fail "no nodometer-commands: $(cat "$scratch/err")"
stop_agent
whole_archive
