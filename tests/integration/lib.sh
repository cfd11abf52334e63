# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# lib.sh - functions that the integration tests share: packages, a scratch folder, processes
#
# tests/integration/NAME/run.sh sets "packages" to the Debian packages that it needs and, if it
# needs any, "namespaces" to options of unshare(1), then sources this file. Packages are installed
# first, because a namespace may have no network; with PACKAGES_ONLY=1 the test then ends. The test
# runs in a build folder and tries this build with a real component. It writes only below $scratch,
# ends only processes that it started, and leaves nothing behind. Its status is 0, 1, or 77 after a
# line "skipped: REASON" if it cannot run. KEEP=1 keeps $scratch.
set -u
LC_ALL=C TZ=UTC PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive
export LC_ALL TZ PATH DEBIAN_FRONTEND
unset JOURNAL_STREAM NOTIFY_SOCKET

bin=$PWD
here=$(cd "$(dirname "$0")" && pwd)
top=${here%/tests/integration/*}
scratch=$bin/scratch/${here##*/}	# not below tests/: "make dist" copies that folder
started='' pids='' policy=''

# shellcheck source=words.sh
. "$top/tests/integration/words.sh"
# shellcheck source=../which.sh
. "$top/tests/which.sh"
# shellcheck source=../e2e/free_port.sh
. "$top/tests/e2e/free_port.sh"

# need_packages NAME...: install the missing Debian packages, without starting their services
need_packages()
{
	command -v apt-get >/dev/null || skip "no apt-get, and packages are known by Debian's names"
	if [ "$(id -u)" = 0 ] && [ ! -e /usr/sbin/policy-rc.d ]; then
		policy=/usr/sbin/policy-rc.d	# invoke-rc.d(8): 101 is "forbidden by policy"
		printf '#!/bin/sh\nexit 101\n' >"$policy" && chmod 755 "$policy" || exit 1
	fi
	"$top/quickstart" --deps-only "$@"
	r=$?
	[ -z "$policy" ] || rm -f "$policy"
	policy=
	[ $r = 0 ] || skip "cannot install $*"
}

# readme WORD: print the commands of the first indented block in README that contains WORD
readme()
{
	awk -v word="$1" '/^    / { block = block substr($0, 5) "\n"; next }
		index(block, word) { exit } { block = "" }
		END { printf "%s", block }' "${here%/tests/integration/*}/README.md"
}

# npm_installs PACKAGE...: install npm packages below $scratch. On failure, write the reason to
# $scratch/npm. npm itself would try to reach a registry for two minutes.
npm_installs()
{
	(cd "$scratch" && timeout 120 npm install --no-audit --no-fund --loglevel=error \
		--fetch-retries=1 --fetch-retry-mintimeout=2000 --fetch-timeout=15000 \
		--prefix "$scratch" "$@") >"$scratch/npm.log" 2>&1 && return
	sed -n 's/.*reason: //p' "$scratch/npm.log" | head -n 1 >"$scratch/npm"
	return 1
}

# background COMMAND...: start COMMAND with pid $started; it runs until stop() is called or the test
# ends
background()
{
	"$@" </dev/null &
	started=$!
	pids="$pids $started"
}

# stop PID...: end processes that background() started
stop()
{
	for p; do
		kill -TERM "$p" 2>/dev/null
	done
	for p; do
		wait "$p" 2>/dev/null
	done
}

# sending HOST: make an archive of HOST, whose file $raw has only a header, and a sender's
# configuration $conf with the sections that are on standard input
sending()
{
	mkdir -p "$scratch/archive/$1" || exit 1
	raw=$scratch/archive/$1/1700000000 conf=$scratch/conf
	sed -n '1,/^$/p' "$top/tests/formats/export/a.raw" >"$raw"
	ln "$raw" "$scratch/archive/$1/current"
	{
		printf '%s\n' '[agent]' "hostname = $1" "dir = $scratch/archive" \
			"runtime-dir = $scratch/run" '[send]' "state-dir = $scratch/state"
		cat
	} >"$conf"
}

# sender: start nodometer-send with pid $sender
sender()
{
	background "$bin/nodometer-send" --config "$conf" 2>>"$scratch/send.log"
	sender=$started
}

# installed ROOT: run make install into ROOT
installed()
{
	make install DESTDIR="$1" >"$scratch/log" 2>&1 ||
		{ cat "$scratch/log"; die 'no make install'; }
}

# a_copy FILE...: make $root a copy of this system with this build installed and FILEs in /tmp. Add
# an address to this network namespace, because Slurm and Grid Engine accept no loopback address.
a_copy()
{
	root=$scratch/root
	overlay "$root"
	installed "$root"
	kernel_files "$root"
	cp "$@" "$top/tests/integration/words.sh" "$root/tmp" || exit 1
	# without this file, each lookup of a name would wait for a DNS server
	[ -e "$root/etc/hosts" ] ||
		printf '127.0.0.1 localhost %s\n' "$(uname -n)" >"$root/etc/hosts"
	ip link set lo up
	ip address add 10.77.0.1/32 dev lo
}

# listens PORT: succeed if a process in this network namespace listens at PORT
listens() { grep -q ":$(printf %04X "$1") 00000000:0000 0A" /proc/net/tcp; }

# answers URL: succeed if a server answers at URL; its answer is in $scratch/answer
answers() { curl -fsS -o "$scratch/answer" "$1" 2>"$scratch/err"; }

# boot_container ROOT SECONDS OPTION...: boot systemd in ROOT, with $share as /share, and run
# /share/inside.sh there. Its output is in $share/out, its status in $share/status. Returns 1 if
# systemd did not start inside.sh; see $scratch/console.
boot_container()
{
	root_to_boot=$1 longest=$2
	shift 2
	mkdir -p "$root_to_boot/share"
	: >"$root_to_boot/etc/machine-id"
	cat >"$root_to_boot/etc/systemd/system/inside.service" <<-'UNIT'
	[Unit]
	Requires=sysinit.target basic.target dbus.service
	Wants=nodometerd.service
	After=basic.target dbus.service nodometerd.service
	[Service]
	Type=oneshot
	ExecStart=/bin/sh -c '/share/inside.sh >/share/out 2>&1; echo $? >/share/status'
	ExecStopPost=/bin/systemctl --no-block poweroff -ff
	UNIT
	timeout -k 5 "$longest" systemd-nspawn -q --register=no --keep-unit -b -D "$root_to_boot" \
		--private-network --bind="$share:/share" --tmpfs=/tmp --tmpfs=/var/tmp \
		--link-journal=no --console=pipe "$@" systemd.unit=inside.service \
		systemd.show_status=0 </dev/null >"$scratch/console" 2>&1
	[ -e "$share/out" ]
}

# in_container ROOT SECONDS OPTION...: call boot_container, and print the output of inside.sh; fail
# if inside.sh fails
in_container()
{
	say 'booting'
	boot_container "$@" ||
		{ cat "$scratch/console"; skip 'systemd does not boot in a container here'; }
	cat "$share/out"
	[ "$(cat "$share/status")" = 0 ] || fail 'see above'
}

# certificate NAME [NAMES]: make a self-signed certificate $scratch/NAME.pem and its key, for
# localhost or NAMES
certificate()
{
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost \
		-keyout "$scratch/$1.key" -out "$scratch/$1.pem" \
		-addext "subjectAltName=${2:-DNS:localhost}" 2>"$scratch/log" ||
		die "$(cat "$scratch/log")"
}

# expired_certificate NAME: make a certificate that expired ten days ago. openssl(1) cannot sign an
# expired certificate, so it runs with a clock that is ten days slow.
expired_certificate()
{
	cat >"$scratch/past.c" <<-'X'
	#include <time.h>
	time_t time(time_t *t) { struct timespec now; clock_gettime(CLOCK_REALTIME, &now);
		if (t) *t = now.tv_sec - 10 * 86400; return now.tv_sec - 10 * 86400; }
	X
	cc -shared -fPIC -o "$scratch/past.so" "$scratch/past.c" || skip 'no compiler'
	(LD_PRELOAD=$scratch/past.so; export LD_PRELOAD; certificate "$1") || exit 1
}

# copy_libraries ROOT PROGRAM...: copy the shared libraries of the programs to ROOT, to the same
# paths
copy_libraries()
{
	to=$1
	shift
	ldd "$@" | grep -o '/[^ :]*\.so[^ :]*' | sort -u | while read -r file; do
		mkdir -p "$to/$(dirname "$file")"
		[ -e "$to$file" ] || cp "$file" "$to$file"
	done
}

# kernel_files ROOT: mount /proc, /sys and /dev in ROOT
kernel_files()
{
	mkdir -p "$1/proc" "$1/sys" "$1/dev" "$1/run" "$1/tmp"
	mount -t proc proc "$1/proc"
	mount --rbind /sys "$1/sys"
	mount --rbind /dev "$1/dev"
	mount -t tmpfs tmpfs "$1/run"
	mount -t tmpfs tmpfs "$1/tmp"
}

# overlay ROOT: make ROOT an overlay of this system; changes in ROOT are lost at the end
overlay()
{
	mkdir -p "$scratch/overlay" "$1"
	mount -t tmpfs tmpfs "$scratch/overlay"
	mkdir "$scratch/overlay/upper" "$scratch/overlay/work"
	mount -t overlay -o "lowerdir=/,upperdir=$scratch/overlay/upper,workdir=$scratch/overlay/work" \
		overlay "$1" || skip 'no overlay file system'
	# no agent or archive of this system itself may be seen in ROOT
	rm -rf "$1/var/lib/nodometer" "$1/run/nodometer" "$1"/usr/lib/systemd/system/nodometer*
}

clean_up()
{
	status=$?
	trap - EXIT INT TERM HUP
	# shellcheck disable=SC2086 # a list of numbers
	stop $pids
	[ -z "$policy" ] || rm -f "$policy"
	awk -v below="$scratch/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts |
		sort -r | while read -r at; do umount -l "$at"; done
	[ -n "${KEEP:-}" ] || rm -rf "$scratch"
	exit $status
}

[ -n "${PACKAGES_ONLY-}" ] || [ -x "$bin/nodometer" ] ||
	skip 'run it in a folder where nodometer was built'
# shellcheck disable=SC2086 # a list of names
[ -n "${ALONE-}" ] || [ -z "${packages-}" ] || need_packages $packages
[ -z "${PACKAGES_ONLY-}" ] || exit 0
if [ -n "${namespaces-}" ] && [ -z "${ALONE-}" ]; then
	# shellcheck disable=SC2086 # a list of options
	unshare $namespaces true 2>/dev/null || skip "not allowed: unshare $namespaces"
	# shellcheck disable=SC2086
	ALONE=1 exec unshare $namespaces "$0" "$@"
fi
unset ALONE
rm -rf "$scratch"
mkdir -p "$scratch" || exit 1
trap clean_up EXIT
trap 'exit 1' INT TERM HUP
