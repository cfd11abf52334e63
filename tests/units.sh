#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# units.sh - units, sockets, folders and logrotate's files are as the programs need them
#
# Runs in a build folder. Without this test, only a machine with systemd would show a mistake in
# these files.
srcdir=${srcdir:-.} failed=0
fail() {
	echo "FAIL: $*"
	failed=1
}
# of UNIT KEY: print the values of KEY in UNIT, one per line
of() { sed -n "s/^$2=//p" "packaging/$1"; }
# needs UNIT KEY=VALUE WHY: fail with WHY unless UNIT has the line KEY=VALUE
needs() { grep -qxF -e "$2" "packaging/$1" || fail "$1 has no $2: $3"; }

for path in packaging/*.service; do
	unit=${path#packaging/}
	program=$(of "$unit" ExecStart | sed 's/ .*//')
	[ -x "./${program##*/}" ] || fail "$unit starts $program, which is not built"
	[ -z "$(of "$unit" Restart)" ] || needs "$unit" RestartPreventExitStatus=2 \
		'it would restart for ever with a wrong configuration'
	[ -z "$(of "$unit" ExecReload)" ] ||
		needs "$unit" "ExecReload=/bin/sh -c 'kill -HUP \$MAINPID'" 'SIGHUP reloads'
	needs "$unit" UMask=0077 'its files would be readable for all'
	needs "$unit" NoNewPrivileges=yes 'a fault of its code could reach a set-user-ID program'
	needs "$unit" ProtectSystem=strict 'a fault of its code could write anywhere'
	needs "$unit" User=nodometer 'it would run as root'
	for key in CapabilityBoundingSet RestrictAddressFamilies SystemCallFilter; do
		grep -q "^$key=" "$path" || fail "$unit has no $key: all would be allowed"
	done
	for key in MemoryMax TasksMax; do
		[ -n "$(of "$unit" $key)" ] || fail "$unit has no $key: jobs would pay for a fault"
	done
	for user in $(of "$unit" User); do
		grep -q "^u $user " packaging/sysusers.d/nodometer.conf ||
			fail "$unit runs as $user, whom sysusers.d does not make"
	done
	for capability in $(of "$unit" AmbientCapabilities); do
		case " $(of "$unit" CapabilityBoundingSet) " in
		*" $capability "*) ;;
		*) fail "$unit may not have $capability, which it is given" ;;
		esac
	done
done

needs nodometerd.service Type=notify 'the agent says when it is ready'
[ -n "$(of nodometerd.service WatchdogSec)" ] ||
	fail "nodometerd.service has no WatchdogSec: systemd would not restart an agent that hangs"
for capability in DAC_READ_SEARCH PERFMON BPF; do
	of nodometerd.service AmbientCapabilities | grep -qw "CAP_$capability" ||
		fail "nodometerd.service has no CAP_$capability in AmbientCapabilities:" \
			'types that need it would be absent'
done
needs nodometerd.service RuntimeDirectoryPreserve=yes \
	'a restart would lose the running jobs and the marks that wait'
for call in perf_event_open bpf landlock_restrict_self; do
	of nodometerd.service SystemCallFilter | grep -v '^~' | grep -qw $call ||
		fail "nodometerd.service forbids $call"
done
if [ -e packaging/nodometer-answer.socket ]; then
	needs nodometer-answer.socket SocketMode=0666 'any user may ask'
	needs nodometer-answer.socket Accept=yes 'each request has a process of its own'
	needs nodometer-answer@.service StandardInput=socket 'the request is there'
fi

# A unit must not end a program before the program's own deadline, and must let the program write to
# its state folder.
answer_s=$(sed -n 's/^#define ANSWER_S *//p' "$srcdir/delivery/answer/nodometer-answer.c")
runs_s=$(of nodometer-answer@.service RuntimeMaxSec)
[ "${runs_s%s}" -gt $((answer_s + 10)) ] ||
	fail "nodometer-answer@.service ends after $runs_s an answer that may take $answer_s s"
state=$(sed -n 's|^;state-dir *= .*/lib/||p' packaging/nodometer.conf)
needs nodometer-send.service "StateDirectory=$state" 'the sender could not keep its cursors'

# Both units of the receiver and the socket use the same port, so only one unit can run.
port=$(of nodometer-xrootd.socket ListenDatagram)
for unit in nodometer-xrootd.service nodometer-xrootd-lines.service; do
	of $unit Environment | grep -q "PORT_OPTION=--port $port\"" ||
		fail "$unit has another port than nodometer-xrootd.socket"
done
needs nodometer-xrootd-lines.service Conflicts=nodometer-xrootd.service 'both want the port'

# Each program and each unit is in a Debian package and in an RPM.
for name in ./nodometer-* packaging/*.service packaging/*.socket; do
	name=${name##*/}
	case $name in
	nodometer-gather) continue ;;	# this script has its own line
	*.tar.*) continue ;;		# made by "make dist"
	esac
	grep -qs "/$name\( .*\)\{0,1\}\$" "$srcdir"/packaging/debian/*.install ||
		fail "no package of Debian has $name"
	grep -q "^%{_[a-z]*dir}.*/$name\$" "$srcdir/packaging/nodometer.spec.in" ||
		fail "no RPM has $name"
done

# If slurm.conf still runs the hooks, removing the package prints a warning, but upgrading it does
# not.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
mkdir "$work/slurm"
echo '#Prolog=/usr/libexec/nodometer/hooks/slurm/prolog' >"$work/slurm/plugstack.conf"
echo 'Prolog=/usr/libexec/nodometer/hooks/slurm/prolog' >"$work/slurm/slurm.conf"
# warns SCRIPT WORD TEXT: SCRIPT, run with the argument WORD, must print one line that begins with
# TEXT, or nothing if TEXT is empty
warns() {
	said=$(sed "s|/etc/slurm|$work/slurm|g; s|%{_libexecdir}|/usr/libexec|" "$1" |
		sh -s "$2" 2>&1) || fail "${1##*/} $2: a failure would keep the package"
	case $3,$said in
	, | ?*,"nodometer: $3"*[!?]) [ "$(echo "$said" | wc -l)" = 1 ] ;;
	*) false ;;
	esac || fail "${1##*/} $2 says: $said"
}
sed -n '/^%preun common/,/^:$/p' "$srcdir/packaging/nodometer.spec.in" | tail -n +2 >"$work/preun"
for row in "$srcdir/packaging/debian/nodometer-common.prerm remove upgrade" "$work/preun 0 1"; do
	script=${row%% *} words=${row#* }
	warns "$script" "${words% *}" "$work/slurm/slurm.conf still runs "
	warns "$script" "${words#* }" ''
done
rm "$work/slurm/slurm.conf"
warns "$srcdir/packaging/debian/nodometer-common.prerm" remove ''
warns "$work/preun" 0 ''

# tmpfiles.d makes folders with the modes that the agent's unit sets, because hooks write to them
# even if no agent runs.
folder() {	# NAME MODE
	grep -qx "d [^ ]*/$1 $2 nodometer nodometer -" packaging/tmpfiles.d/nodometer.conf ||
		fail "tmpfiles.d does not make $1 with mode $2"
}
folder lib/nodometer "$(of nodometerd.service StateDirectoryMode)"
is_closed=$(of nodometerd.service StateDirectoryMode)
[ "$is_closed" = 0750 ] || fail "the archive has mode $is_closed: all users may read it"
folder nodometer 0755	# below /run; every user must find the socket there

# logrotate must not use copytruncate, which would lose lines written meanwhile: the receiver opens
# a new file at SIGHUP.
rotated=packaging/logrotate.d/nodometer-xrootd
if [ ! -e $rotated ]; then
	[ ! -x nodometer-xrootd ] || fail "$rotated is not made"
elif grep -q copytruncate $rotated || ! grep -qx '	nocreate' $rotated; then
	fail "$rotated does not leave it to the receiver to make a new file"
fi
exit $failed
