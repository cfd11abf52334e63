# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# confine_lib.sh - what tests of confined programs share: capabilities and filters of their processes
. "$(dirname "$0")/lib.sh"
port=$(free_port)
abi=$(landlock_abi)
has_landlock=$((abi > 0))
# has_left PID CAPABILITIES: succeed if the process has exactly these effective capabilities
has_left() {
	[ "$(of "$1" CapEff)" = "$2" ]
}
# starts PROGRAM OPTIONS...: run PROGRAM in the background with pid $pid
starts() {
	program=$bin/$1
	shift
	"$program" "$@" 2>>"$log" 3>&- &
	pid=$!
	pids="$pids $pid"
}
none=0000000000000000
