# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib.sh - what end-to-end tests share: a scratch folder, a configuration, checks, waiting, cleanup
#
# A test sources this file first. A test works below the build folder, limits every wait, and ends
# only processes that it started. Automake shows the output of a failed test.
set -u
: "${srcdir:=.}" "${NODOMETER:=$PWD/nodometer}"
# Tests run in a fixed time zone and language, and without the journal.
LC_ALL=C TZ=UTC
export LC_ALL TZ
unset JOURNAL_STREAM NOTIFY_SOCKET

. "$srcdir/tests/e2e/free_port.sh"
. "$srcdir/tests/e2e/lib_programs.sh"
. "$srcdir/tests/e2e/lib_archive.sh"

# open_folder: make a folder with a short path that other users can read
open_folder() {
	made=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") && chmod 755 "$made" && echo "$made"
}

bin=$(dirname "$NODOMETER")
# has PROGRAM...: succeed if this build has these programs; a build may leave out parts
has() {
	for needed in "$@"; do
		[ -x "$bin/nodometer-$needed" ] || return 1
	done
}
host=node.test
scratch=$PWD/tests/e2e/$(basename "$0" .sh)${LANE:-}.tmp
# As root, receivers become another user. If that user has no access to the current folder, such as
# a clone in a home directory, use another scratch folder.
[ "$(id -u)" != 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$PWD" ||
	scratch=$(open_folder) closed=yes || exit 99
runtime=$scratch/run
archive=$scratch/archive
conf=$scratch/nodometer.conf
log=$scratch/log
pids=
lanes=
agent=

exec 3>&1	# descriptor for messages, also from a command whose output is redirected

fail() {
	echo "FAIL: $*" >&3
	[ ! -s "$log" ] || { echo "--- the agent's log:"; tail -n 20 "$log"; } >&3
	exit 1
}

skip() {
	echo "SKIP: $*"
	exit 77
}

# expect STATUS COMMAND...: run COMMAND and check its exit status; hooks with --strict get a timeout
# of 20 s
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

# contains FILE PATTERN: fail unless a line of $scratch/FILE matches PATTERN
contains() {
	grep -q -e "$2" "$scratch/$1" || fail "no \"$2\" in $1: $(cat "$scratch/$1")"
}

# for_receivers FOLDER: let the user that root's receiver becomes write to FOLDER and run the
# programs
for_receivers() {
	[ "$(id -u)" != 0 ] || chown 65534:65534 "$1"
	[ -z "${closed:-}" ] || [ "$bin" = "$scratch/bin" ] || {
		mkdir -p "$scratch/bin"
		find "$bin" -maxdepth 1 -name 'nodometer*' -type f -exec cp {} "$scratch/bin" ';'
		bin=$scratch/bin
	}
}

# wait_until SECONDS COMMAND...: repeat COMMAND until it succeeds. On an idle machine, SECONDS are
# enough; on a busy machine, wait for at least a minute before failing.
wait_until() {
	last=$((($1 > 60 ? $1 : 60) * 10)) tries=0 pause=0.025
	shift
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt $last ] || fail "waited in vain for: $*"
		[ $tries -lt 4 ] || pause=0.1	# each try starts processes, which delay other tests
		sleep $pause
	done
}

cleanup() {
	status=$?
	trap - EXIT INT TERM HUP
	# lanes are parallel runs of the same test, which clean up after themselves
	for p in $lanes; do
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

# write_config [LINE...]: write a configuration with defaults for tests, followed by these lines.
# The interval is a day. Type proc is off, and jobs of this machine's scheduler are ignored, because
# both would cause new files; a test with cgroups in its own tree sets job_cgroups=yes.
write_config() {
	[ "${job_cgroups:=no}" = yes ] && job_type=on || job_type=off
	{
		printf '%s\n' '[types]' 'proc = off' "job = $job_type" '[agent]' "dir = $archive" \
			"runtime-dir = $runtime" "hostname = $host" 'job-file =' 'interval = 24h' \
			'free-floor = 0' 'compress = no' "job-cgroups = $job_cgroups"
		[ $# -eq 0 ] || printf '%s\n' "$@"
	} >"$conf"
}

[ -x "$bin/nodometer" ] || skip "nodometer was not built"
[ -x "$bin/nodometerd" ] || skip "nodometerd was not built"
rm -rf "$scratch"
mkdir -p "$scratch" "$archive" || exit 99
# The path of a socket has at most 107 bytes.
[ ${#runtime} -lt 90 ] || runtime=$(open_folder) || exit 99
write_config
