#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - nodometer run as an ordinary user: the command works as usual, and a report follows
. "$(dirname "$0")/lib.sh"
for program in perl pgrep setpriv; do
	command -v $program >/dev/null || skip "no $program"
done

srcdir=$(cd "$srcdir" && pwd)
mkdir "$scratch/home" && for_receivers "$scratch/home" && cd "$scratch/home" || exit 99
as=
[ "$(id -u)" != 0 ] || as='setpriv --reuid 65534 --regid 65534 --clear-groups'
unset NODOMETER_RUN SLURM_PROCID SLURM_STEP_ID OMPI_COMM_WORLD_RANK PMI_RANK FLUX_TASK_RANK

# run WORDS...: call nodometer run as a user does
run() {
	# shellcheck disable=SC2086 # a list of words
	$as "$bin/nodometer" run "$@"
}
# json DIR PATTERN: print lines of report --json for the only run in DIR
json() {
	mark=$(cat "$1"/*/[0-9]* | grep -ah '^%begin' | head -n 1)
	mark=${mark#%begin }
	"$bin/nodometer-report" "${mark%% *}" --dir "$1" --json | sed 's/[{,]/\n/g' |
		grep -A 9 -e "$2"
}
# value DIR FIGURE: print the figure's total
value() { json "$1" "\"figure\":\"$2\"" | sed -n 's/.*"total":\([0-9.]*\).*/\1/p' | head -n 1; }
begins() { cat "$1"/*/[0-9]* | grep -ac '^%begin'; }
ends() { cat "$1"/*/[0-9]* | grep -ac '^%end'; }
# clean DIR: the folder has one begin, one end, whole records, and nothing else
clean() {
	is "$1: begins, ends" "$(begins "$1") $(ends "$1")" '1 1'
	whole "$1"/*/[0-9]*
	[ -z "$(find "$1" -mindepth 1 -maxdepth 1 -name '.*')" ] || fail "$1: something is left"
}
# processes PATTERN: print the pids whose command line matches
processes() { pgrep -f -- "$1"; }
none() { [ -z "$(processes "$1")" ]; }
some() { [ -n "$(processes "$1")" ]; }
# at_sampler FRONT: print the pid of its sampler
at_sampler() {
	# shellcheck disable=SC2013 # a list of numbers
	for p in $(cat "/proc/$1/task/$1/children"); do
		[ "$(tr '\0' ' ' <"/proc/$p/stat" | cut -d ' ' -f 6)" = "$p" ] && echo "$p"
	done
}
front_of() { sed -n 's/^PPid:[[:blank:]]*//p' "/proc/$1/status"; }

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
# The user is from /etc/passwd, or from USER for users of another directory; a name may be any text.
user=$(awk -F : -v uid="$(awk '/^Uid:/ { print $2 }' /proc/self/status)" '$3 == uid { print $1 }' \
	/etc/passwd | head -n 1)
[ -z "$as" ] || user=$(awk -F : '$3 == 65534 { print $1; exit }' /etc/passwd)
printf '#!/bin/sh\n' >'Größe 模拟' && chmod 755 'Größe 模拟' || exit 99
USER=another run --quiet -o named -- './Größe 模拟'
"$bin/nodometer-jobs" --dir named --csv >out
is 'user and name' "$(sed -n '2s/^[^,]*,\([^,]*\),.*,/\1 /p' out)" "${user:-another} Größe 模拟"
# The page names the script, not only its interpreter, and counts the CPUs that the run may use.
cpu=$(awk '/^Cpus_allowed_list:/ { split($2, n, /[-,]/); print n[1] }' /proc/self/status)
printf 'sleep 0.1\n' >model.sh
run -o script -- sh -e model.sh 2>page
grep -q '^  name *sh model.sh$' page || fail "script: $(cat page)"
if command -v taskset >/dev/null; then
	taskset -c "$cpu" "$bin/nodometer" run -o bound -- sh model.sh 2>page
	grep -q ' of 1 CPU busy$' page || fail "bound: $(cat page)"
fi
# A page that cannot be written is reported once, without more messages.
run -o unwritten --html absent/page.html true 2>out
is 'unwritten page: status' $? 0
grep -q 'absent/page.html' out || fail "unwritten page: no message: $(cat out)"
! grep -q 'The records are in' out || fail 'unwritten page: it ends as if it were there'
run -q -o html --html page.html true 2>out || fail "html: $(cat out)"
grep -q '</html>' page.html || fail 'no page of HTML'
# Options after the command are the command's, even if nodometer has an option of this name.
is 'words' "$(run -q -o words echo --dir x --help)" '--dir x --help'
run true 2>page || fail 'without options'
[ -d "$(echo nodometer-true-*)" ] || fail 'no folder of that name'

# A missing command leaves no folder.
run -o none -- ./not-there 2>out
is 'not there: status' $? 127
run -o none -- /etc/passwd 2>out
is 'no program: status' $? 126
[ ! -e none ] || fail 'a folder for no command'
# A command that cannot be started leaves records, but no shared files.
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

# It ends by the signal that ended the command, which came to that once, whoever else had it.
# shellcheck disable=SC2016,SC2086 # for perl and the shell that it starts; a list of words
ended_by=$(perl -e 'system(@ARGV); print $? & 127' $as "$bin/nodometer" run -q -o term -- \
	sh -c 'kill -TERM $$')
is 'ended by signal' "$ended_by" 15
clean term
# shellcheck disable=SC2016
counter='my $n = 0; $SIG{USR1} = sub { $n++ }; $SIG{TERM} = sub { print "$n\n"; exit 5 };
	open(my $f, ">", $ARGV[0]); print $f "$$\n"; close $f; rename($ARGV[0], "$ARGV[0].pid");
	select(undef, undef, undef, 60) while 1'
for to in front group; do
	# shellcheck disable=SC2086
	setsid $as "$bin/nodometer" run -q -o "$to" -- perl -e "$counter" "$PWD/$to.c" >out &
	pids="$pids $!"
	wait_until 20 test -e "$to.c.pid"
	command=$(cat "$to.c.pid")
	front=$(front_of "$command")
	case $to in
	front) kill -USR1 "$front"; sleep 0.3; kill -USR1 "$front" ;;
	group) kill -USR1 "-$front"; sleep 0.3; kill -USR1 "-$front" ;;
	esac
	sleep 0.3
	kill -TERM "$front"
	wait $!
	is "signal to the $to: status" $? 5
	is "signal to the $to: how often" "$(cat out)" 2
	clean "$to"
done

# What daemonises is counted, and goes on as it would without us.
# shellcheck disable=SC2016
run -q -i 100ms -o daemon -- sh -c '(setsid perl -e "1 while (times)[0] < 0.5;
	open(my \$f, q(>), q(daemon.used)); sleep 90" >daemon.out 2>&1 & echo $! >daemon.pid)
	until [ -e daemon.used ]; do sleep 0.1; done; sleep 0.5' 2>out
is 'daemon: status' $? 0
kill "$(cat daemon.pid)" || fail 'the daemon is gone'
grep -q '1 processes of the command still run' out || fail "daemon: $(cat out)"
awk -v cpu="$(value daemon job.cpu)" 'BEGIN { exit !(cpu > 0.3 && cpu < 5) }' ||
	fail "daemon: CPU time $(value daemon job.cpu) s"

# The records contain processes of the command, of any user, but no other processes of this user.
$as sleep 781.125 &
pids="$pids $!"
run -q -i 50ms -o processes -- perl -e 'select(undef, undef, undef, 0.5)' || fail 'processes'
is 'processes' "$(cat processes/*/[0-9]* | grep -a '^proc ' | cut -d / -f 1 | sort -u |
	grep -v nodometer)" 'proc perl'

# All processes, in the first and the last sample, show which other programs used the CPUs.
is 'samples with all processes' "$(cat processes/*/[0-9]* | awk '
	/^[0-9]/ { group++; any = 0 }
	/^process / && !any++ { n++; newest = group }
	END { print n, group - newest }')" '2 0'

# What processes used that were waited for: all of it, as the kernel says to their parent.
# shellcheck disable=SC2016
run -q -i 100ms -o sum -- perl -e '
	for (1 .. 20) { unless (fork) { 1 while (times)[0] < 0.05; exit } }
	1 while wait > 0; print join(" ", times)' >out
awk -v cpu="$(value sum job.cpu)" '{ all = $1 + $2 + $3 + $4 }
	END { exit !(cpu > all - 0.03 && cpu < all + 0.1) }' out ||
	fail "sum: CPU time $(value sum job.cpu) s, not $(cat out)"

# kill -9 of the sampler: another one continues. kill -9 of the command: its children are ended,
# too.
waits="until [ -e go.$$ ]; do sleep 0.1; done"
# shellcheck disable=SC2086
$as "$bin/nodometer" run -q -i 100ms -o sampler -- sh -c "$waits" 2>out &
pids="$pids $!" started=$!
wait_until 20 some "^sh.-c.*go[.]$$ "
front=$(front_of "$(processes "^sh.-c.*go[.]$$ " | head -n 1)")
kill -9 "$(at_sampler "$front")" || fail 'no sampler'
sleep 1
touch "go.$$"
wait $started
is 'sampler killed: status' $? 0
clean sampler
# shellcheck disable=SC2086
$as "$bin/nodometer" run -q -o killed -- sh -c 'sleep 777.125 & sleep 778.125; :' 2>out &
pids="$pids $!" started=$!
wait_until 20 some '^sleep.778[.]125'
kill -9 "$(front_of "$(processes '^sleep.778[.]125')")"
wait $started
is 'command killed: status' $? 137
wait_until 20 none 'sleep.77[78][.]125'
clean killed
# Of the front: the command goes with it, and the sampler, after the end mark.
# shellcheck disable=SC2086
setsid $as "$bin/nodometer" run -q -i 100ms -o front9 -- sh -c 'sleep 779.125 & sleep 780.125; :' &
pids="$pids $!"
wait_until 20 some '^sleep.780[.]125'
sleep 1		# samples, by which the sampler knows of both
front=$(front_of "$(front_of "$(processes '^sleep.780[.]125')")")
kill -9 "$front"
wait_until 20 none 'sleep.7[78][90][.]125'
ended() { [ "$(ends front9 2>/dev/null)" = 1 ] && none "run.-q.*front9"; }
wait_until 20 ended
# Nobody knows how the command of that front ended.
! cat front9/*/[0-9]* | grep -a '^%end' | grep -q ' \(exit\|state\)=' ||
	fail "front killed: $(cat front9/*/[0-9]* | grep -a '^%end')"

# A folder that is full or cannot be written prevents the report, but not the command.
mkdir locked && chmod 555 locked
run -o /proc/none -- sh -c 'echo ran; exit 4' >out 2>page
is 'no folder: status' $? 4
is 'no folder: output' "$(cat out)" ran
grep -q 'nothing is recorded; --dir names another folder$' page || fail "no folder: $(cat page)"
[ "$(id -u)" != 0 ] || {
	mkdir -m 777 foreign && mkdir foreign/.run-65534
	run -o foreign -- true 2>page
	grep -q 'foreign: its folder .run-65534 belongs to another user; .*--dir names' page ||
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
	grep -q 'No space left on device; .* nothing is recorded; --dir names' page ||
		fail "full from the start: $(cat page)"
}

# Two runs at once in one folder, and one run inside another.
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

# With a launcher, ranks find their number in the environment; nodes are identified by name.
mkdir bin
cat >bin/srun <<'SRUN'
#!/bin/sh
# -n RANKS, on two nodes
[ "$1" = -n ] || exit 99
n=$2 i=0
shift 2
export SLURM_JOB_ID=4711 SLURM_STEP_ID=3 SLURM_STEP_NUM_NODES=2
export SLURM_STEP_TASKS_PER_NODE="$((n / 2))(x2)"
echo "$*" >srun.words
while [ $i -lt "$n" ]; do
	SLURM_PROCID=$i SLURM_NODEID=$((i % 2)) SLURMD_NODENAME=n$((i % 2)) "$@" &
	i=$((i + 1))
done
wait
find wrapped -path '*/.run-*/*/*' ! -name .began >srun.left 2>/dev/null
SRUN
chmod 755 bin/srun
PATH=$PWD/bin:$PATH
for_receivers .
# shellcheck disable=SC2016
run -i 50ms -o wrapped -- srun -n 8 sh -c '
	perl -e "1 while (times)[0] < 0.03"; echo $SLURM_PROCID' >out 2>page
is 'launched: status' $? 0
is 'launched: ranks' "$(sort out | tr '\n' ' ')" '0 1 2 3 4 5 6 7 '
grep -q -- ' --rank-of srun-.* -- sh -c ' srun.words || fail "launched: $(cat srun.words)"
# The report waits for the samplers of the nodes; this host, which only launches, has none.
[ ! -s srun.left ] || fail "launched: at the launcher's end there was $(cat srun.left)"
is 'launched: pages' "$(grep -c '^Job [^i]' page)" 1
grep -q '^  nodes  *2.*: n0, n1' page || fail "launched: $(cat page)"
is 'launched: begins, ends' "$(begins wrapped) $(ends wrapped)" '2 2'
awk -v cpu="$(value wrapped job.cpu)" 'BEGIN { exit !(cpu > 0.22 && cpu < 4) }' ||
	fail "launched: CPU time $(value wrapped job.cpu) s"
# shellcheck disable=SC2086
srun -n 6 $as "$bin/nodometer" run -i 50ms -o ranks -- sh -c 'sleep 0.$SLURM_PROCID' >out 2>page
is 'ranks: pages' "$(grep -c '^Job [^i]' page)" 1
grep -q '^Job 4711.3\( \|$\)' page || fail "ranks: $(cat page)"
is 'ranks: begins, ends' "$(begins ranks) $(ends ranks)" '2 2'
[ -z "$(find ranks wrapped -name '.run*')" ] || fail 'ranks: something is left'
# For an unknown option, which may have a value or not, the command line is not changed.
printf '#!/bin/sh\necho "$@"\n' >bin/mpirun && chmod 755 bin/mpirun
is 'unknown option' "$(run -q -o unknown mpirun --new-option 5 ./a 2>page)" '--new-option 5 ./a'
grep -q 'an option that is not known' page || fail "unknown option: $(cat page)"
is 'known options' "$(run -q -o known mpirun -np 4 --mca a b -x V=1 --host=x ./a : -n 2 ./b |
	sed 's,[^ ]*/nodometer-run --rank-of [^ ]* --dir [^ ]* --,RUN,g')" \
	'-np 4 --mca a b -x V=1 --host=x RUN ./a : -n 2 RUN ./b'
