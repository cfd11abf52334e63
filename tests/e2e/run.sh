#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer run by an ordinary user: the command works as without it, and a report follows
. "$(dirname "$0")/run_lib.sh"

# Exit status, standard input and output are the command's, and the report is on standard error.
echo some words | run -i 50ms -o plain -- sh -c 'cat; sleep 0.3; exit 7' >out 2>page
is 'exit status' $? 7
is 'standard output' "$(cat out)" 'some words'
grep -q '^Job sh-' page || fail "no page: $(cat page)"
grep -q '^Job itself' page || fail "the page: $(cat page)"
grep -q '^Job sh-.* FAILED, exit 7:0$' page ||
	fail "exit and state: $(cat page)"
clean plain
run --quiet -o cancelled -- sh -c 'kill -TERM $$' >out 2>&1
"$bin/nodometer-jobs" --dir cancelled --used --json >out
grep -q '"state":"CANCELLED","exit":"0:15"' out || fail "cancelled: $(cat out)"
run --quiet -o quiet -- true >out 2>&1
is 'quiet: status' $? 0
is 'quiet: output' "$(cat out)" ''
# The job's user is from /etc/passwd, or from $USER if /etc/passwd lacks the user; a job name may be
# any text.
user=$(awk -F : -v uid="$(awk '/^Uid:/ { print $2 }' /proc/self/status)" '$3 == uid { print $1 }' \
	/etc/passwd | head -n 1)
[ -z "$as" ] || user=$(awk -F : '$3 == 65534 { print $1; exit }' /etc/passwd)
printf '#!/bin/sh\n' >'Größe 模拟' && chmod 755 'Größe 模拟' || exit 99
USER=another run --quiet -o named -- './Größe 模拟'
"$bin/nodometer-jobs" --dir named --csv >out
is 'user and name' "$(sed -n '2s/^[^,]*,\([^,]*\),.*,/\1 /p' out)" "${user:-another} Größe 模拟"
# The report names the script, not only its interpreter, and counts the CPUs that the run may use.
cpu=$(awk '/^Cpus_allowed_list:/ { split($2, n, /[-,]/); print n[1] }' /proc/self/status)
printf 'sleep 0.1\n' >model.sh
run -o script -- sh -e model.sh 2>page
grep -q '^  name *sh model.sh$' page || fail "script: $(cat page)"
if command -v taskset >/dev/null; then
	taskset -c "$cpu" "$bin/nodometer" run -o bound -- sh model.sh 2>page
	grep -q ' of 1 CPU busy$' page || fail "bound: $(cat page)"
fi
# An HTML page that cannot be written causes one message and no others.
run -o unwritten --html absent/page.html true 2>out
is 'unwritten page: status' $? 0
grep -q 'absent/page.html' out || fail "unwritten page: no message: $(cat out)"
! grep -q 'The records are in' out || fail 'unwritten page: it ends as if it were there'
run -q -o html --html page.html true 2>out || fail "html: $(cat out)"
grep -q '</html>' page.html || fail 'no page of HTML'
# Options after the command belong to the command, even if nodometer has options with these names.
is 'words' "$(run -q -o words echo --dir x --help)" '--dir x --help'
run true 2>page || fail 'without options'
[ -d "$(echo nodometer-true-*)" ] || fail 'no folder of that name'

# If the command is missing, no folder for records is left.
run -o none -- ./not-there 2>out
is 'not there: status' $? 127
run -o none -- /etc/passwd 2>out
is 'no program: status' $? 126
[ ! -e none ] || fail 'a folder for no command'
# A command that exists but cannot be started leaves records, but no temporary files.
printf '#!/no/such/shell\n' >broken && chmod 755 broken
run -o broken.dir -- ./broken 2>page
is 'broken: status' $? 127
! grep -q '^Job' page || fail "broken: $(cat page)"
clean broken.dir
run 2>out
is 'no command: status' $? 2
run --intreval 5s true 2>out
is 'typo: status' $? 2
grep -q 'did you mean --interval' out || fail "typo: $(cat out)"
run -i 5x true 2>out
is 'no time: status' $? 2

# If the folder for records is full or cannot be written, there is no report, but the command runs.
mkdir locked && chmod 555 locked
run -o /proc/none -- sh -c 'echo ran; exit 4' >out 2>page
is 'no folder: status' $? 4
is 'no folder: output' "$(cat out)" ran
grep -q 'nothing is recorded; select another folder with --dir$' page ||
	fail "no folder: $(cat page)"
[ "$(id -u)" != 0 ] || {
	mkdir -m 777 foreign && mkdir foreign/.run-65534
	run -o foreign -- true 2>page
	grep -q 'foreign: its folder .run-65534 belongs to another user; .*select' page ||
		fail "a folder of another user: $(cat page)"
}
# shellcheck disable=SC2016,SC2086
[ "$(id -u)" != 0 ] || ! unshare -m true 2>/dev/null || {
	mkdir full
	unshare -m sh -c 'mount -t tmpfs -o size=16k,mode=777 full full
		head -c 8k /dev/zero >full/x
		shift; "$@"; echo "status $?"' - x $as \
		"$bin/nodometer" run -i 50ms -o full -- sh -c 'sleep 0.5; exit 6' >out 2>page
	is 'full: status' "$(tail -n 1 out)" 'status 6'
	grep -q 'No space left' page || fail "full: $(cat page)"
	unshare -m sh -c 'mount -t tmpfs -o size=8k,mode=777 full full
		head -c 8k /dev/zero >full/x
		shift; exec "$@"' - x $as "$bin/nodometer" run -o full -- true 2>page
	is 'full from the start: messages' "$(wc -l <page)" 1
	grep -q 'No space left on device; .* nothing is recorded; select' page ||
		fail "full from the start: $(cat page)"
}

# Two runs can use one folder at the same time, and a run can start another run.
run -q -i 100ms -o both -- sleep 1 & one=$!
run -q -i 100ms -o both -- sleep 1.5 & two=$!
pids="$pids $one $two"
wait $one || fail 'the first of two'
wait $two || fail 'the second of two'
is 'two: begins, ends' "$(begins both) $(ends both)" '2 2'
whole both/*/[0-9]*
[ -z "$(find both -name '.run*')" ] || fail 'two: something is left'
run -q -o outer -- "$bin/nodometer" run -q -o inner -- sh -c 'exit 9'
is 'nested: status' $? 9
clean outer
clean inner
