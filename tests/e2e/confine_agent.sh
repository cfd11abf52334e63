#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# confine_agent.sh - the agent, its processes and bad code in a vendor's library are confined
. "$(dirname "$0")/confine_lib.sh"

# as_bits NAME,NAME...: print the mask of these capabilities in the form of /proc/PID/status
as_bits() {
	bits=0
	for name in $(echo "$1" | tr , ' '); do
		case $name in
		none) continue ;;
		cap_chown) n=0 ;;
		cap_dac_override) n=1 ;;
		cap_dac_read_search) n=2 ;;
		cap_fowner) n=3 ;;
		cap_sys_admin) n=21 ;;
		cap_perfmon) n=38 ;;
		*) n=$name ;;
		esac
		bits=$((bits | 1 << n))
	done
	printf '%016x\n' "$bits"
}
# agrees on|off: "nodometer status" must report the same capabilities as the kernel, and seccomp as
# $1; no child process may have more capabilities than the agent
agrees() {
	is 'capabilities in status' "$(as_bits "$(value_of capabilities)")" "$(of "$agent" CapEff)"
	is 'capabilities that it may take' "$(of "$agent" CapPrm)" "$(of "$agent" CapEff)"
	is 'seccomp in status' "$(value_of seccomp)" "$1"
	for child in $(children "$agent"); do
		name=$(of "$child" Name) held=$(of "$child" CapPrm)
		filter=$(of "$child" Seccomp)$(of "$child" NoNewPrivs)
		[ -d "/proc/$child" ] || continue	# a process that looks up names ends soon
		is "seccomp of $name" "$filter" "$(of "$agent" Seccomp)$(of "$agent" NoNewPrivs)"
		is "capabilities that $name has and the agent has not" \
			$((0x$held & ~0x$(of "$agent" CapPrm))) 0
	done
}

# The agent has only the capabilities that its types need and, as root, those for writing the
# archive of another user.
write_config
start_agent
filtered "$agent" || fail 'no filter of system calls'
caps=$(of "$agent" CapEff)
is 'capabilities that no type needs' $((0x$caps & ~0x400020000f)) 0
for child in $(children "$agent"); do
	[ "$(of "$child" Name)" != writer ] ||
		is "those of its writer that no archive needs" $((0x$(of "$child" CapPrm) & ~0xb)) 0
done
nodometer status --json >"$scratch/json"
grep -q "\"landlock\":$abi,\"landlock_holds\":\"[a-z,]*\",\"seccomp\":\"on\"," "$scratch/json" &&
	grep -q '"capabilities":"[a-z_,]*",' "$scratch/json" ||
	fail "status: $(cat "$scratch/json")"
is 'landlock in status' "$(value_of 'landlock ABI (0: none)')" "$abi"
agrees on

# A reload refuses folders that the agent was not started with, but accepts folders below its own.
if [ "$has_landlock" = 1 ]; then
	old=$archive
	archive=$scratch/elsewhere
	write_config
	kill -HUP "$agent"
	wait_until 5 log_says "$archive: the agent is confined to the folders"
	[ ! -e "$archive" ] || fail 'it made the folder'
	archive=$old/below
	write_config
	kill -HUP "$agent"
	wait_until 5 test -e "$archive/$host/current"
	archive=$old
fi
stop_agent

# If all types that need capabilities are off, the agent has none of these capabilities.
write_config '[types]' "$("$bin/nodometer" types --all --config "$conf" |
	sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1 = off/p' | grep -v '^nodometer ')" 'cpu = on'
start_agent
caps=$(of "$agent" CapEff)
is 'capabilities of type cpu alone' $((0x$caps & 0x4000200004)) 0
stop_agent

# With "confine = no", the agent keeps the capabilities with which it was started.
write_config 'confine = no'
start_agent
# Even then, the agent drops CAP_BPF (bit 39) once its programs for the kernel are loaded.
is 'its capabilities' "$(of "$agent" CapEff)" \
	"$(printf '%016x' $((0x$(of self CapEff) & ~0x8000000000)))"
is 'its filters' "$(of "$agent" Seccomp)" "$(of self Seccomp)"
is 'status' "$(value_of 'not confined:')" 'confine = no'
is 'landlock in status' "$(value_of 'landlock ABI (0: none)')" 0
agrees off
stop_agent

# A worker loads a vendor's library that contains bad code.
# shellcheck disable=SC2086 # CC may be two words
command -v ${CC:-cc} >/dev/null || skip 'no compiler for the worker that tries'
# shellcheck disable=SC2086
${CC:-cc} -shared -fPIC -o "$scratch/libnvidia-ml.so.1" "$srcdir/tests/collectors/nvml_stub.c" \
	"$srcdir/tests/e2e/intruder.c" || fail intruder.c
# result_of WHAT: print the error of the intruder's attempt WHAT
result_of() {
	sed -n "s/^intruder: $1: //p" "$log" | tail -n 1
}
write_config '[types]' 'nvidia_mig = off'
: >"$log"
export INTRUDER_FILE="$archive/intruder" INTRUDER_SOCKET="$runtime/control"
LD_LIBRARY_PATH=$scratch launch_agent
wait_until 20 answers
wait_until 10 log_says '^intruder: end'
is 'exec' "$(result_of exec)" 'Operation not permitted'
is 'connect' "$(result_of connect)" 'Operation not permitted'
is 'internet' "$(result_of internet)" 'Operation not permitted'
if [ "$has_landlock" = 1 ]; then
	is 'open of /etc/shadow' "$(result_of shadow)" 'Permission denied'
	is 'write to the archive' "$(result_of write)" 'Permission denied'
fi
worker=
for child in $(children "$agent"); do
	[ "$(of "$child" Name)" != nvidia_gpu ] || worker=$child
done
filtered "$worker" || fail 'the worker has no filter'
is 'capabilities of the worker' "$(of "$worker" CapEff)" $none
stop_agent
