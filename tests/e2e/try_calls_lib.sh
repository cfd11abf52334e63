# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# try_calls_lib.sh - run the script that sources this file in namespaces of its own, and make
# processes there try the calls of an intruder
[ "$(id -u)" = 0 ] || { echo 'SKIP: root alone can make others try'; exit 77; }
[ -n "${THROWN_AWAY:-}" ] || unshare --mount --pid --net --fork true 2>/dev/null ||
	{ echo 'SKIP: no right to namespaces of its own'; exit 77; }
[ -n "${THROWN_AWAY:-}" ] || THROWN_AWAY=1 exec unshare --mount --uts --ipc --net --pid --fork \
	--mount-proc "$0" "$@"
. "$(dirname "$0")/lib.sh"
port=$(free_port)
# Disable the leak checker of sanitizer builds: it traces its own process, and a process can have
# only one tracer.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# Work below /mnt, which every user can enter; if a call succeeds, it changes only this folder.
mount -t tmpfs -o mode=755 none /mnt || skip 'nothing can be mounted'
mkdir -p "$scratch" /mnt/bin /mnt/victims
mount --bind "$bin" /mnt/bin || skip 'nothing can be mounted'
# shellcheck disable=SC2086 # CC may be two words
${CC:-cc} -o /mnt/try "$srcdir/tests/e2e/try_calls.c" 2>"$scratch/said" ||
	skip "no compiler: $(cat "$scratch/said")"
bin=/mnt/bin
scratch=/mnt/scratch
mkdir -p /mnt/etc/ssh
for of_etc in passwd group nsswitch.conf hosts login.defs localtime ld.so.cache alternatives; do
	[ ! -e "/etc/$of_etc" ] || cp -a "/etc/$of_etc" /mnt/etc
done
for secret in shadow gshadow sudoers ssh/ssh_host_ed25519_key; do
	(umask 077 && echo secret >"/mnt/etc/$secret")
done
mount --bind /mnt/etc /etc || skip 'nothing can be mounted'
archive=$scratch/archive
runtime=$scratch/run
conf=$scratch/nodometer.conf
log=$scratch/log
mkdir -p "$archive" "$runtime" "$scratch/out" "$scratch/text"
for_receivers "$scratch/out"
chown -R 12345:54321 "$archive" "$runtime" "$scratch/text"

uid() { of "$1" Uid | cut -f 1; }
# rests PID: succeed if the process waits in a system call
rests() {
	case $(cat "/proc/$1/syscall" 2>/dev/null) in running | '') return 1 ;; esac
}
ready_or_gone() { [ ! -d "/proc/$1" ] || { filtered "$1" && rests "$1"; }; }

# try PID: let process PID try each call, and write lines "CALL ERRNO" to $scratch/tried
n=0
try() {
	n=$((n + 1))
	wait_until 10 rests "$1"
	/mnt/try "$1" "$(uid "$1")" "/mnt/victims/$n" >"$scratch/tried" 2>"$scratch/said" ||
		fail "$(of "$1" Name): $(cat "$scratch/said")"
}

# Calls that fail even in an unconfined process, because of this machine's own rules, prove nothing:
# leave them out of the list.
sleep 1000 3>&- &
pids="$pids $!"
wait_until 10 rests $!
/mnt/try $! 0 /mnt/victims/0 >"$scratch/tried" 2>"$scratch/said" || {
	[ $? -ne 77 ] || skip 'registers of this architecture are not known'
	skip "nothing can be tried: $(cat "$scratch/said")"
}
awk '$2 != 1 && $2 != 13 && $2 != 18 && $2 != 38 { print $1 }' "$scratch/tried" >"$scratch/list"
listed=$(grep -c . "$scratch/list")
[ "$listed" -ge 40 ] || skip "a list of $listed calls"

# Landlock in older kernels cannot refuse all of these calls; nodometer status must then not claim
# it.
abi=$(landlock_abi)
[ "$abi" -gt 0 ] || skip 'no landlock'
unheld='' holds=files
[ "$abi" -ge 3 ] && holds=$holds,truncate || unheld="$unheld truncate"
[ "$abi" -lt 5 ] || holds=$holds,devices
signals=	# calls allowed to processes that may end their children
[ "$abi" -ge 6 ] && holds=$holds,signals,sockets ||
	unheld="$unheld connect sendto" signals=kill

# refuses PID WHAT [CALL...]: process PID, described by WHAT, must be refused all calls of the list
# except CALL, which it needs
total=0
refuses() {
	pid=$1
	what=$2
	shift 2
	wait_until 10 filtered "$pid"
	try "$pid"
	succeeds=$(awk -v needs=" $* $unheld " 'NR == FNR { e[$1] = $2; next }
		e[$1] !~ /^(1|13|18|38)$/ && !index(needs, " " $1 " ") {
			print $1 " gives " e[$1]; exit
		}' "$scratch/tried" "$scratch/list")
	[ -z "$succeeds" ] || fail "$what, uid $(uid "$pid"): $succeeds"
	total=$((total + listed))
	filtered "$pid" || fail "$what does not go on"
	echo "$what: uid $(uid "$pid"), CapEff $(of "$pid" CapEff), CapBnd $(of "$pid" CapBnd)"
}
