#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# confine.sh - what runs for long is confined: by the kernel's own word, and where it tries
. "$(dirname "$0")/lib.sh"
port=$(free_port)

abi=$(landlock_abi)
has_landlock=$((abi > 0))
has_left() {	# PID CAPABILITIES
	[ "$(of "$1" CapEff)" = "$2" ]
}
starts() {	# PROGRAM OPTIONS...: in the background, $pid
	program=$bin/$1
	shift
	"$program" "$@" 2>>"$log" 3>&- &
	pid=$!
	pids="$pids $pid"
}
as_bits() {	# NAME,NAME: as /proc/PID/status has them
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
# agrees on|off: status says what an administrator finds of the agent and of all its processes
agrees() {
	is 'capabilities in status' "$(as_bits "$(value_of capabilities)")" "$(of "$agent" CapEff)"
	is 'capabilities that it may take' "$(of "$agent" CapPrm)" "$(of "$agent" CapEff)"
	is 'seccomp in status' "$(value_of seccomp)" "$1"
	for child in $(children "$agent"); do
		name=$(of "$child" Name) held=$(of "$child" CapPrm)
		filter=$(of "$child" Seccomp)$(of "$child" NoNewPrivs)
		[ -d "/proc/$child" ] || continue	# who asks for names ends soon
		is "seccomp of $name" "$filter" "$(of "$agent" Seccomp)$(of "$agent" NoNewPrivs)"
		is "capabilities that $name has and the agent has not" \
			$((0x$held & ~0x$(of "$agent" CapPrm))) 0
	done
}

# A receiver with a file: no capability, and root is who owns the folder, or nobody.
none=0000000000000000
for receiver in 'nodometer-xrootd --events' 'nodometer-mpxstats -f flat -s'; do
	has xrootd mpxstats || break
	mkdir "$scratch/out"
	for_receivers "$scratch/out"
	# shellcheck disable=SC2086 # words
	starts $receiver -p $port -o "$scratch/out/file"
	wait_until 10 filtered "$pid"
	wait_until 10 has_left "$pid" $none
	[ "$(id -u)" != 0 ] || is 'its user' "$(of "$pid" Uid | tr '\t' ' ')" \
		'65534 65534 65534 65534'
	for child in $(children "$pid"); do	# which asks for names
		wait_until 10 filtered "$child"
		wait_until 10 has_left "$child" $none
	done
	# The folder is another one now: what it was given is not there.
	mv "$scratch/out" "$scratch/moved"
	mkdir "$scratch/foreign"
	for_receivers "$scratch/foreign"
	ln -s foreign "$scratch/out"
	kill -HUP "$pid"
	if [ "$has_landlock" = 1 ]; then
		wait_until 10 log_says "$scratch/out/file: Permission denied"
		[ ! -e "$scratch/foreign/file" ] || fail "$receiver writes where it pleases"
	else
		wait_until 10 test -e "$scratch/foreign/file"
	fi
	end_program 10 "$pid" "$receiver"
	rm -r "$scratch/out" "$scratch/foreign" "$scratch/moved"
	: >"$log"
done

# The sender: root is the archive's owner, without any capability, where that user may be.
if has send; then
	case $runtime in
	"$scratch"/*) runtime=$(open_folder) || exit 99 ;;
	esac
	archive=$runtime/archive
	mkdir "$archive"
	write_config '[send]' "state-dir = $runtime/state" '[sink xrootd]' \
		"destination = 127.0.0.1:$port"
	expect 0 nodometer collect --stdout >/dev/null
	expect 0 nodometer collect
	[ "$(id -u)" != 0 ] || chown -R 12345:54321 "$archive"
	starts nodometer-send --config "$conf"
	wait_until 10 filtered "$pid"
	is 'capabilities of the sender' "$(of "$pid" CapEff)$(of "$pid" CapPrm)" $none$none
	[ "$(id -u)" != 0 ] || is 'its user' "$(of "$pid" Uid | tr '\t' ' ')" \
		'12345 12345 12345 12345'
	# A sink that writes elsewhere is refused at a reload, one that needs no other path is not.
	if [ "$has_landlock" = 1 ]; then
		mkdir "$runtime/text"
		write_config '[send]' "state-dir = $runtime/state" '[sink metrics]' \
			"textfile-dir = $runtime/text"
		kill -HUP "$pid"
		wait_until 5 log_says "$runtime/text: the sender is confined to the paths"
		write_config '[send]' "state-dir = $runtime/state" \
			'[sink xrootd]' "destination = 127.0.0.1:$port" \
			'[sink xrootd b]' "destination = 127.0.0.1:$port"
		kill -HUP "$pid"
		wait_until 5 log_says 'configuration read again: 2 sinks'
	fi
	end_program 10 "$pid" 'the sender'
fi
archive=$scratch/archive

# The agent: what its types need, and root what writes an archive of another user's.
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

# Folders that it was not started with are refused at a reload, what is below them is not.
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

# No type that needs them: none of those.
write_config '[types]' "$("$bin/nodometer" types --all --config "$conf" |
	sed -n 's/^\([a-z][a-z0-9_]*\) .*/\1 = off/p' | grep -v '^nodometer ')" 'cpu = on'
start_agent
caps=$(of "$agent" CapEff)
is 'capabilities of type cpu alone' $((0x$caps & 0x4000200004)) 0
stop_agent

# "no" leaves it as it was started.
write_config 'confine = no'
start_agent
# But for CAP_BPF, which it has until programs are loaded.
is 'its capabilities' "$(of "$agent" CapEff)" \
	"$(printf '%016x' $((0x$(of self CapEff) & ~0x8000000000)))"
is 'its filters' "$(of "$agent" Seccomp)" "$(of self Seccomp)"
is 'status' "$(value_of 'not confined:')" 'confine = no'
is 'landlock in status' "$(value_of 'landlock ABI (0: none)')" 0
agrees off
stop_agent

# Bad code in a vendor's library, which a worker loads.
# shellcheck disable=SC2086 # CC may be two words
command -v ${CC:-cc} >/dev/null || skip 'no compiler for the worker that tries'
# shellcheck disable=SC2086
${CC:-cc} -shared -fPIC -o "$scratch/libnvidia-ml.so.1" "$srcdir/tests/collectors/nvml_stub.c" \
	"$srcdir/tests/e2e/intruder.c" || fail intruder.c
tried() {	# WHAT -> how it ended
	sed -n "s/^intruder: $1: //p" "$log" | tail -n 1
}
write_config '[types]' 'nvidia_mig = off'
: >"$log"
export INTRUDER_FILE="$archive/intruder" INTRUDER_SOCKET="$runtime/control"
LD_LIBRARY_PATH=$scratch launch_agent
wait_until 20 answers
wait_until 10 log_says '^intruder: end'
is 'exec' "$(tried exec)" 'Operation not permitted'
is 'connect' "$(tried connect)" 'Operation not permitted'
is 'internet' "$(tried internet)" 'Operation not permitted'
if [ "$has_landlock" = 1 ]; then
	is 'open of /etc/shadow' "$(tried shadow)" 'Permission denied'
	is 'write to the archive' "$(tried write)" 'Permission denied'
fi
worker=
for child in $(children "$agent"); do
	[ "$(of "$child" Name)" != nvidia_gpu ] || worker=$child
done
filtered "$worker" || fail 'the worker has no filter'
is 'capabilities of the worker' "$(of "$worker" CapEff)" $none
stop_agent
