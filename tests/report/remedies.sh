#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# remedies.sh - a message names what failed, why, and the command, option or key that helps
. "$(dirname "$0")/lib.sh"

# make three samples of job 15 of user ann on host n1
mkdir -p "$work/a/n1" "$work/bin"
# shellcheck disable=SC2016 # properties, not variables
{
	printf '$hpcperfstats 1.0.2\n$hostname n1\n!cpu user,E,U=cs system,E,U=cs idle,E,U=cs\n'
	for i in 0 1 2; do
		printf '\n%d 15\n' $((1700000000 + 600 * i))
		[ $i = 0 ] && echo '%begin 15 user=ann nodes=1'
		[ $i = 2 ] && echo '%end 15'
		printf 'cpu 0 %d 0 %d\n' $((1000 * i)) $((2000 * i))
	done
} >"$work/a/n1/1700000000"
printf '%s\n' '[agent]' "dir = $work/a" "runtime-dir = $work/run" 'hostname = n1' >"$work/conf"
# copy the front end to a folder without other programs
cp nodometer nodometer-commands "$work/bin/"

# tries STATUS TEXT COMMAND...: COMMAND must exit with STATUS and print a line with TEXT
tries()
{
	want=$1 text=$2
	shift 2
	"$@" >"$work/said" 2>&1 </dev/null
	got=$?
	[ $got = "$want" ] || fail "$*: status $got, not $want: $(cat "$work/said")"
	while read -r line; do
		case $line in *"$text"*) return ;; esac
	done <"$work/said"
	fail "$*: \"$text\" is not said: $(cat "$work/said")"
}

# Rows of STATUS | WORDS of the command line | TEXT; ARCHIVE stands for the archive
sed "s|ARCHIVE|$work/a|g" >"$work/rows" <<'END'
0 | -h | usage: nodometer [OPTIONS] COMMAND
0 | help -h | usage: nodometer [OPTIONS] COMMAND
0 | jobs -h | -h, --help
0 | jobs -h | UNUSED is in node hours; nodometer-findings(7) explains
0 | status -h | usage: nodometer status
0 | gather -h | usage: nodometer gather
2 | jobs 15 | unexpected argument "15"; "nodometer report JOB" reports one job
2 | status foo | unexpected argument "foo"
1 | report 99 | "nodometer jobs --dir ARCHIVE" lists the jobs there
2 | report 15,16 | "15,16" is not a job id: write each JOB as a separate argument
2 | plot 15,16 | "15,16" is not a job id
1 | report 15_1 | "sacct -j 15_1 -o JobIDRaw" prints it
1 | plot 15_1 | "sacct -j 15_1 -o JobIDRaw" prints it
1 | report --host n9 | hosts there: n1
1 | report --dir ARCHIVE/none 15 | ; the agent creates an archive, and --dir selects another one
3 | fleet --dir ARCHIVE/none | ; the agent creates an archive, and --dir selects another one
0 | report --host | 1: n1
0 | plot --host -o - | set
2 | report --since now --until -1h 15 | ) is later than --until (
2 | plot --since now --until -1h 15 | ) is later than --until (
2 | compare --since now --until -1h 15 15 | ) is later than --until (
2 | jobs --since now --until -1h | ) is later than --until (
2 | cat --since now --until -1h ARCHIVE/n1/1700000000 | ) is later than --until (
2 | jobs --since -5m | write -5min or -5month
2 | jobs --since 5m | write -5min or -5month
2 | jobs --since 29.11.2026 | write today, yesterday, -2h, -7d, -1week, "Tue 14:03", YYYY-MM-DD
2 | run -i 0.5 true | 0.5: expected a whole number with a unit (ms, s, min or h), such as 500ms
2 | plot 15 x.png | x.png is not a TYPE; use "-o x.png" to draw into this file
1 | plot -o - 15 cpu:usr | did you mean cpu:user?
1 | plot -o - 15 cpuu:user | did you mean cpu:user?
1 | plot -o - 15 gflops46 | did you mean gflops64?
1 | cat --job nosuch ARCHIVE/n1/1700000000 | job nosuch: no records in any of the files
1 | cat --job nosuch --dir ARCHIVE | "nodometer jobs --dir ARCHIVE" lists
1 | check 15 | 15: No such file or directory; "nodometer cat --job 15" prints
2 | check | missing FILE; the files of an archive are DIR/HOST/EPOCH
0 | cat --job 15 ARCHIVE/n1/1700000000 | "jobs":["15"]
END
while IFS='|' read -r status words text; do
	# shellcheck disable=SC2086 # several words
	tries $status "${text# }" "$bin/nodometer" --config "$work/conf" $words
done <"$work/rows"
[ ! -x nodometer-send ] || tries 0 'usage: nodometer-send' "$bin/nodometer-send" -h
tries 0 'usage: nodometer install-hooks' "$bin/nodometer" install-hooks -h
tries 127 'sleep 1: No such file or directory; write the command and its arguments as separate' \
	"$bin/nodometer" run 'sleep 1'
tries 127 "this is a shell command: use nodometer run -- sh -c '...'" "$bin/nodometer" run cd /
tries 2 'unknown command "jbos"; did you mean "jobs"?' "$bin/nodometer" help jbos
[ "$(wc -l <"$work/said")" = 1 ] || fail "help jbos: $(cat "$work/said")"
"$bin/nodometer" help nodometer-report >"$work/said" 2>&1 || fail "help: $(cat "$work/said")"
grep -qi 'report' "$work/said" || fail "help nodometer-report: $(cat "$work/said")"
if [ -x nodometer-tcp ]; then	# nodometer-tcp has an option -h
	tries 0 'usage: nodometer tcp graph' "$bin/nodometer-tcp" graph -h
fi

# The marks name job 15, and sacct gives this id for task 12_3. If sacct does not know a task, the
# error names the command that a user can try.
cat >"$work/bin/sacct" <<'END'
#!/bin/sh
echo 'JobID|JobIDRaw|JobName|User|Account|Partition|State|ExitCode|TimelimitRaw|NNodes'
case $* in *12_3) echo '12_3|15|array|ann|physics|main|COMPLETED|0:0|60|1' ;; esac
END
chmod +x "$work/bin/sacct"
PATH=$work/bin:$PATH
tries 0 'Job 15, 12_3' "$bin/nodometer-report" --dir "$work/a" 12_3
tries 1 '"sacct -j 12_4 -o JobIDRaw" prints it' "$bin/nodometer-report" --dir "$work/a" 12_4

# A mistake in the configuration is reported at its own line, with the right form.
# Rows of SECTION|KEY = VALUE| TEXT
check()
{
	while IFS='|' read -r section setting text; do
		printf '%s\n' '[agent]' "dir = $work/a" '' "$section" "$setting" >"$work/c"
		tries 1 "$work/c:5: ${text# }" "$bin/nodometer" config check "$work/c"
	done
}
check <<'END'
[agent]|interval = 0.5s| interval = 0.5s: expected a whole number with a unit (ms, s, min or h)
[agent]|retain-days = -1| retain-days = -1: expected a whole number from 0 to 36500
[agent]|free-floor = 1.5G| free-floor = 1.5G: expected a whole number, optionally followed by K
END
if [ -x nodometer-send ] && ./nodometer-send --help | grep -q '^.sink http.'; then
	check <<'END'
[sink http]|url = host:8428| [sink http] url = host:8428: missing scheme
[sink http]|token = x| unknown key token in [sink http]: put the token into a file that
[sink http]|password = x| unknown key password in [sink http]: put the password into a file
END
fi

# A word that is no command of the front end but names a program gets a message about the program.
if [ -x nodometer-send ]; then
	tries 2 'send is not a command; run nodometer-send (package' \
		"$work/bin/nodometer" send --check
	tries 2 'unknown command "sned"; did you mean nodometer-send?' "$work/bin/nodometer" sned
else
	tries 2 'send is not built: configured with --disable-delivery' "$work/bin/nodometer" send
fi
if [ -x nodometer-tcp ] && [ ! -e /usr/libexec/nodometer/nodometer-tcp ]; then
	"$work/bin/nodometer" --help | tr -s ' \n' ' ' >"$work/said"
	grep -q '(not installed: package nodometer-trace)' "$work/said" ||
		fail "--help without nodometer-trace: $(cat "$work/said")"
	"$bin/nodometer" --help | grep 'not installed' && fail 'what is there is not installed'
fi
tries 2 'unknown command "why"; "nodometer report JOB" says' "$work/bin/nodometer" why
tries 2 'unknown command "uninstall"; first "nodometer install-hooks --remove' \
	"$work/bin/nodometer" uninstall
tries 2 'unknown command "foo"; "nodometer --help"' "$work/bin/nodometer" foo
exit $failed
