# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# as_root_lib.sh - what tests of programs that root starts share: capabilities and users of their
# threads, and input that arrives after they became another user
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip 'not root, who alone has capabilities to drop'
own=$scratch/own	# only root may use it
mkdir -p "$own"
chmod 700 "$own"
mkfifo "$own/pipe"
nobody=$(id -u nodometer 2>/dev/null || echo 65534)
none=0
# shellcheck disable=SC2034 # CAP_DAC_READ_SEARCH, and CAP_PERFMON or, in older kernels, CAP_SYS_ADMIN
sample=0x4000200004

# values PID KEY: print the value of KEY in /proc/PID/status of each thread
values() { sed -n "/^$2:/s/^[^:]*:[[:blank:]]*\([^[:blank:]]*\).*/\1/p" "/proc/$1"/task/*/status; }
# within HEX PID KEY: succeed if no thread has capabilities besides HEX; KEY may be a pattern that
# matches several sets
within() {
	for set in $(values "$2" "$3"); do
		[ $((0x$set & ~$1)) = 0 ] || return 1
	done
}
# rests PID EFFECTIVE PERMITTED: succeed if each thread has only these capabilities. This must be so
# while the program waits for the next sample or packet.
rests() { within "$2" "$1" CapEff && within "$3" "$1" CapPrm && within "$3" "$1" CapBnd; }


# start NAME UID EFFECTIVE PERMITTED FILE COMMAND...: start COMMAND with pid $pid. Once COMMAND has
# made FILE, it must run as UID with only these capabilities.
start() {
	name=$1 uid=$2 effective=$3 permitted=$4 file=$5
	shift 5
	"$@" >"$scratch/out" 2>"$log" 3>&- 4>&- &
	pid=$!
	pids="$pids $pid"
	wait_until 10 test -s "$file"
	wait_until 10 rests $pid "$effective" "$permitted"
	is "$name: uid" "$(values $pid Uid | sort -u)" "$uid"
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		within "$permitted" $pid 'Cap\(Eff\|Prm\)' ||
			fail "$name: $(values $pid CapEff) of $(values $pid CapPrm)"
		sleep 0.1
	done
	echo "$name: uid $uid, CapEff $(values $pid CapEff | sort -u), CapPrm" \
		"$(values $pid CapPrm | sort -u), CapBnd $(values $pid CapBnd | sort -u)"
}
# run NAME UID EFFECTIVE PERMITTED FILE COMMAND...: call start with these arguments, then end
# COMMAND
run() {
	start "$@"
	end_program 10 $pid "$1"
}

# parses NAME INPUT COMMAND...: COMMAND, which reads a copy of INPUT from the pipe, must have no
# capabilities before it gets the first byte
parses() {
	name=$1 input=$2
	shift 2
	exec 4<>"$own/pipe"
	start "$name" "$nobody" $none $none "$input" "$@"
	wait_until 10 filtered $pid
	cat "$input" >&4
	exec 4>&-
	wait_until 10 gone $pid
	wait $pid || fail "$name: $(cat "$log")"
	forget $pid
}
