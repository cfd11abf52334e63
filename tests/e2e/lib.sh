# SPDX-License-Identifier: BSD-3-Clause
# lib.sh - what the end-to-end tests share: a scratch folder, an agent, waiting, ending
# shellcheck shell=sh
# A test is sourced with this file first.  It works below the build folder, bounds every wait, and
# ends only what it started.  Output is shown by automake when the test fails.
set -u
: "${srcdir:=.}" "${NODOMETER:=$PWD/nodometer}"
# Tests run in a fixed time zone and language, and not below a journal.
LC_ALL=C TZ=UTC
export LC_ALL TZ
unset JOURNAL_STREAM NOTIFY_SOCKET

. "$srcdir/tests/e2e/free_port.sh"

# open_folder: make a folder with a short path that other users can read
open_folder() {
	made=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") && chmod 755 "$made" && echo "$made"
}

bin=$(dirname "$NODOMETER")
# has PROGRAM...: they are in this build, which may leave out parts
has() {
	for needed in "$@"; do
		[ -x "$bin/nodometer-$needed" ] || return 1
	done
}
host=node.test
scratch=$PWD/tests/e2e/$(basename "$0" .sh)${LANE:-}.tmp
# Root's receivers become another user, who may not reach a clone in a home directory.
[ "$(id -u)" != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$PWD" ||
	scratch=$(open_folder) closed=yes || exit 99
runtime=$scratch/run
archive=$scratch/archive
conf=$scratch/nodometer.conf
log=$scratch/log
pids=
lanes=
agent=

exec 3>&1	# where messages go, also from a command whose output is redirected

fail() {
	echo "FAIL: $*" >&3
	[ ! -s "$log" ] || { echo "--- the agent's log:"; tail -n 20 "$log"; } >&3
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# expect STATUS COMMAND...: run COMMAND and check its exit status, with a long timeout for marks
expect() {
	want=$1
	shift
	case "$want $1 ${3:-}" in
	[01]' nodometer --strict')
		verb=$2
		shift 3
		set -- nodometer "$verb" --strict --timeout 20 "$@"
		;;
	esac
	"$@"
	got=$?
	[ "$got" -eq "$want" ] || fail "$*: exit status $got, not $want"
}

# is WHAT GOT WANT: fail unless GOT equals WANT
is() {
	[ "$2" = "$3" ] || fail "$1: \"$2\", not \"$3\""
}

# for_receivers FOLDER: let root's receiver, which becomes another user, write there and run its
# programs
for_receivers() {
	[ "$(id -u)" != 0 ] || chown 65534:65534 "$1"
	[ -z "${closed:-}" ] || [ "$bin" = "$scratch/bin" ] || {
		mkdir -p "$scratch/bin"
		find "$bin" -maxdepth 1 -name 'nodometer*' -type f -exec cp {} "$scratch/bin" ';'
		bin=$scratch/bin
	}
}

# wait_until SECONDS COMMAND...: repeat COMMAND until it succeeds. SECONDS suffice on an idle
# machine; it fails after a minute at the earliest.
wait_until() {
	last=$((($1 > 60 ? $1 : 60) * 10)) tries=0 pause=0.025
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt $last ] || fail "waited in vain for: $*"
		[ $tries -lt 4 ] || pause=0.1	# each try is processes that others wait for
		sleep $pause
	done
}

forget() {	# PID
	rest=
	for p in $pids; do
		[ "$p" = "$1" ] || rest="$rest $p"
	done
	pids=$rest
}

cleanup() {
	status=$?
	trap - EXIT INT TERM HUP
	for p in $lanes; do	# runs of the same test, which clean up after themselves
		kill -TERM "$p" 2>/dev/null
		wait "$p"
	done
	for p in $pids; do
		kill -CONT "$p" 2>/dev/null
		kill -KILL "$p" 2>/dev/null
		wait "$p" 2>/dev/null
	done
	case $runtime in "$scratch"/*) ;; *) rm -rf "$runtime" ;; esac
	[ $status -ne 0 ] && [ $status -ne 77 ] || rm -rf "$scratch"
	exit $status
}
trap cleanup EXIT
trap 'exit 99' INT TERM HUP

# write_config [LINE...]: write a configuration with defaults for tests, followed by these lines. No
# tick is near. Type proc is off, since processes of other tests would cause new files. Jobs of this
# machine's scheduler are ignored for the same reason: a test with groups in its own tree sets
# job_cgroups=yes.
write_config() {
	[ "${job_cgroups:=no}" = yes ] && job_type=on || job_type=off
	{
		printf '%s\n' '[types]' 'proc = off' "job = $job_type" '[agent]' "dir = $archive" \
			"runtime-dir = $runtime" "hostname = $host" 'job-file =' 'interval = 24h' \
			'free-floor = 0' 'compress = no' "job-cgroups = $job_cgroups"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$conf"
}

nodometer() {
	"$bin/nodometer" --config "$conf" "$@"
}

# bounded SECONDS ARGUMENTS...: run nodometer, which must return in this time; a hang is killed
# after 30 s
bounded() {
	limit=$1
	shift
	timeout -k 1 "$limit" "$bin/nodometer" --config "$conf" "$@"
}

# quick MS COMMAND...: COMMAND returns within MS milliseconds in at least one of ten runs, plus the
# time to start ten programs: a busy machine may delay any single run
quick() {
	most=$1
	shift
	started=$(date +%s%N)
	"$bin/nodometer" --version >/dev/null
	most=$((most + ($(date +%s%N) - started) / 100000))
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		started=$(date +%s%N)
		"$@"
		took=$((($(date +%s%N) - started) / 1000000))
		[ $took -gt "$most" ] || return 0
	done
	fail "$*: took $took ms, ten times in turn"
}

answers() {
	bounded 30 status >"$scratch/status" 2>/dev/null
}

# launch_agent [OPTIONS...]: start an agent with pid $agent; it may not answer yet
launch_agent() {
	"$bin/nodometerd" --foreground --config "$conf" "$@" 2>>"$log" 3>&- &
	agent=$!
	pids="$pids $agent"
}

# launch_sender [OPTIONS...]: start nodometer-send with pid $sender
launch_sender() {
	"$bin/nodometer-send" --config "$conf" "$@" 2>>"$log" 3>&- &
	sender=$!
	pids="$pids $sender"
}

# kill_sender: the sender and the processes of its sinks
kill_sender() {
	# shellcheck disable=SC2046 # numbers
	kill -KILL "$sender" $(cat "/proc/$sender/task/$sender/children")
	wait "$sender" 2>/dev/null
	forget "$sender"
}

# keep_posts PATH: start a receiver at $port with pid $server, which keeps bodies of POST in PATH
keep_posts() {
	perl "$srcdir/tests/e2e/keep_posts.pl" "$port" "$1" 3>&- &
	server=$!
	pids="$pids $server"
}

start_agent() {
	launch_agent "$@"
	wait_until 20 answers
}

log_says() { grep -q "$1" "$log"; }	# PATTERN

# of PID KEY: print a value of /proc/PID/status
of() { sed -n "s/^$2:[[:blank:]]*//p" "/proc/$1/status" 2>/dev/null; }

children() {	# PID
	grep -l "^PPid:[[:blank:]]*$1\$" /proc/[0-9]*/status 2>/dev/null |
		sed 's|/proc/\([0-9]*\)/.*|\1|'
}

filtered() { [ "$(of "$1" Seccomp)" = 2 ] && [ "$(of "$1" NoNewPrivs)" = 1 ]; }	# PID

# landlock_abi: print the ABI version that kernel and build support, or 0; headers may be older than
# the kernel
landlock_abi() {
	if grep -q '^#define HAVE_LINUX_LANDLOCK_H' config.h; then
		perl -e 'my $v = syscall(444, 0, 0, 1); print $v > 0 ? $v : 0'
	else
		echo 0
	fi
}

is_zombie() {	# PID
	grep -q '^State:[[:blank:]]*Z' "/proc/$1/status" 2>/dev/null
}

gone() {	# PID...: none of them runs
	for p; do
		[ ! -d "/proc/$p" ] || is_zombie "$p" || return 1
	done
}

# end_program SECONDS PID NAME [SIGNAL]: end a program by SIGNAL (TERM); its exit status must be
# good
end_program() {
	kill -s "${4:-TERM}" "$2" || fail "$3 is gone"
	wait_until "$1" gone "$2"
	wait "$2" 2>/dev/null
	ended=$?
	forget "$2"
	[ "${4:-TERM}" = KILL ] || is "exit status of $3" "$ended" 0
}

stop_agent() { end_program 10 "$agent" "the agent" "$@"; }	# [SIGNAL]

# raw_files: print finished and current files of the host, oldest first. Starts no program, because
# polls call it.
raw_files() {
	for raw_file in "$archive/$host"/[0-9]*; do
		[ ! -e "$raw_file" ] || echo "$raw_file"
	done
}

# The identity of a mark's request is another each time: this is the text without them.
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

# count PATTERN: count the marks in the archive that match
count() {
	marks | grep -c -e "$1"
}

# left_marks: print the marks that wait in the runtime directory: files of hooks, and marks in the
# agent's groups. The header of the agent's file has the length of the text; its highest bit selects
# the half of the file.
left_marks() {
	find "$runtime/marks" -name '*.mark'
	[ -s "$runtime/marks/groups" ] || return 0
	used=$(od -An -v -t x4 -j 8 -N 4 "$runtime/marks/groups" | tr -d ' ')
	case $used in 8*) half=1048576 ;; *) half=0 ;; esac
	tail -c +$((17 + half)) "$runtime/marks/groups" | head -c "$((0x${used#?}))" | grep -a '^%'
}

left_nothing() { [ -z "$(left_marks)" ]; }

# "TIME JOBS" of every group, in order
# shellcheck disable=SC2046 # paths of the scratch folder hold no blanks
groups() {
	awk 'blank && !/^\$/ { print } { blank = $0 == "" }' $(raw_files) /dev/null
}

# goes_on SAMPLES: wait for SAMPLES unrequested groups after the first $n. Samples below 10 s wait
# in memory (gathered.sh) until a requested sample writes them.
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

# flood PORT TEXT: send TEXT to the port again and again, for at most 30 seconds; $flooder is its
# pid
flood() {
	perl -MSocket -e 'socket(my $s, PF_INET, SOCK_DGRAM, 0) or die;
		my ($to, $end) = (pack_sockaddr_in($ARGV[0], INADDR_LOOPBACK), time + 30);
		while (time < $end) { send($s, $ARGV[1], 0, $to) for 1 .. 2000 }' "$1" "$2" 3>&- &
	flooder=$!
	pids="$pids $flooder"
}
end_flood() {
	kill "$flooder" || fail 'it ended when nothing came any more'
	wait "$flooder" 2>/dev/null
	forget "$flooder"
}

is_newest() {
	newest=$(raw_files | tail -n 1)
	[ "$(find "$archive/$host/current" -samefile "$newest")" ]
}
current_is_newest() { is_newest || fail "current is not $newest"; }

# whole FILE...: nodometer check finds no defect, and neither does an independent parser
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

value_of() {	# WORD of the label of a line of "nodometer status" -> its value
	nodometer status | sed -n "s/^$1  *//p"
}

taken() { value_of 'samples taken'; }
has_taken() { answers && [ "$(taken)" -ge "$1" ]; }	# SAMPLES

[ -x "$bin/nodometer" ] || skip "nodometer was not built"
[ -x "$bin/nodometerd" ] || skip "nodometerd was not built"
rm -rf "$scratch"
mkdir -p "$scratch" "$archive" || exit 99
# The path of a socket has at most 107 bytes.
[ ${#runtime} -lt 90 ] || runtime=$(open_folder) || exit 99
write_config
