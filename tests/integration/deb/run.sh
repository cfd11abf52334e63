#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - Debian packages of this source on each release: built reproducibly, free of lint,
# installed, upgraded while a job runs, removed
#
# Runs in a build folder. The root is a bare Debian in which README's commands built the packages.
packages='mmdebstrap git'
namespaces=-m
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/debian.sh"

if [ $# = 0 ]; then	# each release in its own mount namespace
	for release in $releases; do
		"$0" "$release"
		status=$?
		[ $status != 77 ] || exit 77
		[ $status = 0 ] || fail "$release: see above"
	done
	finish
fi
version=$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)

inside()
{
	chroot "$root" "$@"
}

# built_again: build the packages again in another folder; they must be the same, byte for byte
built_again()
{
	# shellcheck disable=SC2016 # for the shell over there
	build_commands | within "$root" sh -exc 'mkdir ~/again; cd ~/again
		git clone -q https://example.org/nodometer; cd nodometer
		export DEB_BUILD_OPTIONS="nocheck noautodbgsym"; eval "$(cat)"' \
		>"$scratch/log" 2>&1 ||
		{ tail -n 40 "$scratch/log"; die 'not built again'; }
	for p in "$scratch/debs/$version-1"/*.deb; do
		cmp "$p" "$root/root/again/${p##*/}" || fail "$p: a second build is another file"
	done
}

# next_release PACKAGE: make a package with the same contents and a higher version
next_release()
{
	rm -rf "$scratch/next"
	name=${1##*/} control=$scratch/next/DEBIAN/control
	{
		dpkg-deb -R "$1" "$scratch/next" &&
			sed -i "s/^Version: .*/Version: $version-2/
				s/(= $version-1)/(= $version-2)/g" "$control" &&
			dpkg-deb -Znone -b "$scratch/next" \
				"$scratch/debs/$version-2/${name%%_*}_$version-2_${name##*_}"
	} >"$scratch/log" 2>&1 || { cat "$scratch/log"; die "no next release of $name"; }
}

on_root "$1"
kernel_files "$root"
mkdir -p "$scratch/debs/$version-1"
find "$root/root" -maxdepth 1 -name '*.deb' ! -name '*-dbgsym_*' \
	-exec cp {} "$scratch/debs/$version-1" ';'
[ "$(find "$scratch/debs/$version-1" -name '*.deb' | wc -l)" = 6 ] || fail 'not six packages'
taken=$(cd "$scratch/debs/$version-1" && eval echo "$(readme dpkg-buildpackage |
	sed -n 's|^apt-get install \(\.\./[^#]*\).*|\1|p' | sed 's|\.\./||g')")
case $taken in
"nodometer_$version-1_"*.deb\ "nodometer-common_$version-1_"*.deb) ;;
*) fail "README installs: $taken" ;;
esac
[ "$1" != "${releases%% *}" ] || ! is_all || { say 'building them again'; built_again; }
inside apt-get install -qq --no-install-recommends lintian >"$scratch/log" 2>&1 || die 'no lintian'
rm -f "$root"/root/*-dbgsym_*
inside sh -c 'lintian --fail-on error,warning /root/*.deb' >"$scratch/lint" 2>&1 || {
	cat "$scratch/lint"
	fail 'lintian finds errors or warnings'
}
say 'the next release: the same files'
mkdir "$scratch/debs/$version-2"
for p in "$scratch/debs/$version-1"/*.deb; do
	next_release "$p"
done

say "installing on a bare $1"
inside apt-get install -qq systemd >"$scratch/log" 2>&1 || die 'no systemd'
cp -r "$scratch/debs" "$root/tmp"
mkdir "$root/tmp/link"		# packages of a link named like XRootD's program: they conflict
for release in 1 2; do
	mv "$root/tmp/debs/$version-$release"/nodometer-mpxstats_*.deb "$root/tmp/link"
done
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/*.deb" \
	>"$scratch/log" 2>&1 || { cat "$scratch/log"; die 'dpkg -i failed'; }
inside getent passwd nodometer || fail 'no user nodometer'
[ "$(inside stat -c '%U %a' /var/lib/nodometer)" = 'nodometer 750' ] ||
	fail 'no archive folder of user nodometer'
wants=$root/etc/systemd/system/multi-user.target.wants
[ -L "$wants/nodometerd.service" ] || fail 'the agent does not start at boot'
[ ! -L "$wants/nodometer-send.service" ] || fail 'nodometer-send starts at boot, and nobody asked'
for p in nodometer-common nodometer nodometer-tools nodometer-trace nodometer-send; do
	for file in $(inside dpkg -L $p | grep -E '/s?bin/|/libexec/nodometer/[^/]*$'); do
		[ ! -f "$root$file" ] || inside dpkg -L $p |
			grep -q "/man/man[18]/${file##*/}\.[18]\.gz$" || fail "$file: no page in $p"
	done
	for unit in $(inside dpkg -L $p | sed -n 's|.*/system/\([^@]*\.[a-z]*\)$|\1|p'); do
		grep -q "stop .*'$unit'" "$root/var/lib/dpkg/info/$p.prerm" ||
			fail "$p: its removal does not stop $unit"
	done
done
for file in README.md.gz NEWS.gz; do
	[ -s "$root/usr/share/doc/nodometer-common/$file" ] || fail "no $file"
done
printf '[agent]\ninterval = 7min\n' >"$root/etc/nodometer/conf.d/10-here.conf"
printf '[agent]\nintervall = 7min\n' >"$root/etc/nodometer/conf.d/20-here.conf"
inside nodometer config check 2>"$scratch/log" && fail 'an error in conf.d is not seen'
grep -q '^/etc/nodometer/conf.d/20-here.conf:2: .*did you mean interval?$' "$scratch/log" ||
	{ cat "$scratch/log"; fail 'an error in conf.d'; }
rm "$root/etc/nodometer/conf.d/20-here.conf"
inside nodometer config check >"$scratch/log" || fail 'conf.d is not taken'
grep -qx '/etc/nodometer/nodometer.conf, /etc/nodometer/conf.d/10-here.conf: no errors' \
	"$scratch/log" || { cat "$scratch/log"; fail 'which files were read'; }

say 'the name of XRootD'"'"'s program'
inside dpkg --force-depends -r xrootd-server >/dev/null 2>&1	# XRootD may not be installed
inside sh -c "dpkg --force-depends -i /tmp/link/*-1_*.deb" >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; fail 'no -mpxstats'; }
inside mpxstats --keys | grep -q '^link.in ' || fail 'mpxstats does not run'
inside dpkg -r nodometer-mpxstats >"$scratch/log" 2>&1 || fail 'no -mpxstats removed'

say 'a login node: no agent, and nothing that starts it'
inside dpkg -r nodometer nodometer-send nodometer-trace >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; fail 'no tools without the agent'; }
inside nodometer report --help >/dev/null || fail 'no report without the agent'
[ ! -e "$root/usr/sbin/nodometerd" ] || fail 'an agent'
[ ! -e "$root/lib/systemd/system/nodometerd.service" ] || fail 'a unit'
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/*.deb" >"$scratch/log" 2>&1 ||
	fail 'not installed again'
inside dpkg -r nodometer-tools nodometer-send nodometer >"$scratch/log" 2>&1 ||
	fail 'no trace alone'
inside nodometer xrootd --help >/dev/null || fail 'nodometer xrootd does not run'
inside nodometer report 1 >/dev/null 2>"$scratch/log" && fail 'a report without -tools'
grep -q 'package nodometer-tools$' "$scratch/log" || fail 'it does not say which package has it'
inside dpkg -r nodometer-trace >"$scratch/log" 2>&1 || fail 'no -trace removed'
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/nodometer-send_*.deb" \
	>"$scratch/log" 2>&1 || fail 'no -send alone'
inside nodometer-send --help >/dev/null || fail 'nodometer-send does not run'
inside dpkg -r nodometer-send >"$scratch/log" 2>&1 || fail 'no -send removed'
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/*.deb" >"$scratch/log" 2>&1 ||
	fail 'not installed again'
inside systemctl disable nodometerd >/dev/null 2>&1

say 'a job during which the package is upgraded'
background chroot "$root" /usr/sbin/nodometerd
agent=$started
wait_until inside nodometer status || die 'the agent does not answer'
inside nodometer status | grep -q '^interval  *420 s$' || fail 'conf.d is not in force'
inside nodometer begin --strict 18 || fail 'no begin'
echo '; edited here' >>"$root/etc/nodometer/nodometer.conf"
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-2/*.deb" \
	>"$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'the upgrade failed'; }
inside dpkg-query -W nodometer-common nodometer nodometer-tools nodometer-trace nodometer-send
grep -q '^; edited here$' "$root/etc/nodometer/nodometer.conf" ||
	fail 'the upgrade overwrote the edited configuration'
[ ! -L "$wants/nodometerd.service" ] || fail 'the upgrade enables what was disabled'
stop "$agent"
! inside nodometer status >/dev/null 2>&1 || die 'the old agent did not end'
background chroot "$root" /usr/sbin/nodometerd
agent=$started
wait_until inside nodometer status || die 'the new agent does not answer'
inside nodometer status | grep -w 18 || fail 'the new agent has forgotten the job'
inside nodometer end --strict 18 || fail 'no end'
inside nodometer report 18 >"$scratch/report" || fail 'no report'
# A long upgrade only causes a gap in the samples; the marks must be there.
! grep -q 'No begin mark\|No end mark' "$scratch/report" ||
	{ cat "$scratch/report"; fail 'the report misses a mark'; }

say 'removing it'
stop "$agent"
mkdir -p "$root/etc/slurm"
echo 'Prolog=/usr/libexec/nodometer/hooks/slurm/prolog' >"$root/etc/slurm/slurm.conf"
inside dpkg -r nodometer-send nodometer-trace nodometer-tools nodometer nodometer-common \
	>"$scratch/log" 2>&1 ||
	fail 'dpkg -r failed'
grep -q '^nodometer: /etc/slurm/slurm.conf still runs ' "$scratch/log" ||
	fail "no word about slurm.conf: $(cat "$scratch/log")"
grep -q '^; edited here$' "$root/etc/nodometer/nodometer.conf" || fail 'the configuration is gone'
[ ! -e "$root/usr/bin/nodometer" ] || fail 'the program is still there'
find "$root/var/lib/nodometer" -name current | grep -q . || fail 'the archive is gone'
rm "$root/etc/nodometer/conf.d/10-here.conf"
inside dpkg -P nodometer nodometer-common >"$scratch/log" 2>&1 || fail 'dpkg -P failed'
[ ! -e "$root/etc/nodometer" ] || fail 'a purge leaves the configuration'
inside getent passwd nodometer >/dev/null || fail 'the user is gone, its files are not'
find "$root/var/lib/nodometer" -name current | grep -q . || fail 'a purge removes the archive'
finish
