#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - Debian packages of this source: built, the same twice, clean, installed, upgraded while a
# job runs, removed
#
# Runs in a build folder. The root is a throw-away copy of this system's.
namespaces=-m
. "$(dirname "$0")/../lib.sh"
need_packages build-essential debhelper fakeroot lintian

root=$scratch/root
version=$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)

inside()
{
	chroot "$root" "$@"
}

# deb_build VERSION [FOLDER]: packages in $scratch/debs/FOLDER, else VERSION
deb_build()
{
	from=$scratch/${2-$1}
	mkdir -p "$from" "$scratch/debs/${2-$1}"
	tar -C "$from" -xf "nodometer-$version.tar.xz"
	cp -r "$from/nodometer-$version/packaging/debian" "$from/nodometer-$version/debian"
	sed -i "1s/([^)]*)/($1)/" "$from/nodometer-$version/debian/changelog"
	(cd "$from/nodometer-$version" &&
		DEB_BUILD_OPTIONS='nocheck noautodbgsym' dpkg-buildpackage -us -uc -b) \
		>"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; die 'no package'; }
	mv "$from"/*.deb "$scratch/debs/${2-$1}"
}

say 'building the packages'
make dist >"$scratch/log" 2>&1 || { cat "$scratch/log"; die 'no make dist'; }
deb_build "$version-1"
say 'building them again'
deb_build "$version-1" again
[ "$(find "$scratch/debs/$version-1" -name '*.deb' | wc -l)" = 4 ] || fail 'not four packages'
for p in "$scratch/debs/$version-1"/*.deb; do
	cmp "$p" "$scratch/debs/again/${p##*/}" || fail "$p: a second build is another file"
done
lintian --fail-on error "$scratch/debs/$version-1"/*.deb >"$scratch/lint" 2>&1 || {
	cat "$scratch/lint"
	fail 'lintian finds errors'
}
say 'building the next release'
deb_build "$version-2"

say 'installing on a throw-away copy of this system'
overlay "$root"
kernel_files "$root"
cp -r "$scratch/debs" "$root/tmp"
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/*.deb" \
	>"$scratch/log" 2>&1 || { cat "$scratch/log"; die 'dpkg -i failed'; }
inside getent passwd nodometer || fail 'no user nodometer'
[ "$(inside stat -c '%U %a' /var/lib/nodometer)" = 'nodometer 750' ] ||
	fail 'no archive folder of user nodometer'
wants=$root/etc/systemd/system/multi-user.target.wants
[ -L "$wants/nodometerd.service" ] || fail 'the agent does not start at boot'
[ ! -L "$wants/nodometer-send.service" ] || fail 'nodometer-send starts at boot, and nobody asked'
for p in nodometer nodometer-tools nodometer-trace nodometer-send; do
	for file in $(inside dpkg -L $p | grep -E '/s?bin/|/libexec/nodometer/[^/]*$'); do
		[ ! -f "$root$file" ] || inside dpkg -L $p |
			grep -q "/man/man[18]/${file##*/}\.[18]\.gz$" || fail "$file: no page in $p"
	done
done
inside dpkg -r nodometer-tools nodometer-send >"$scratch/log" 2>&1 || fail 'no trace alone'
inside nodometer xrootd --help >/dev/null || fail 'nodometer xrootd does not run'
inside nodometer report --help >/dev/null 2>&1 && fail 'a report without -tools'
inside dpkg -r nodometer-trace >"$scratch/log" 2>&1 || fail 'no -trace removed'
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/nodometer-send_*.deb" \
	>"$scratch/log" 2>&1 || fail 'no -send alone'
inside nodometer-send --help >/dev/null || fail 'nodometer-send does not run'
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-1/*.deb" >"$scratch/log" 2>&1 ||
	fail 'not installed again'
inside systemctl disable nodometerd >/dev/null 2>&1

say 'a job during which the package is upgraded'
background chroot "$root" /usr/sbin/nodometerd
agent=$started
wait_until inside nodometer status || die 'the agent does not answer'
inside nodometer begin --strict 18 || fail 'no begin'
echo '; edited here' >>"$root/etc/nodometer/nodometer.conf"
inside sh -c "dpkg --force-depends -i /tmp/debs/$version-2/*.deb" \
	>"$scratch/log" 2>&1 || { cat "$scratch/log"; fail 'the upgrade failed'; }
inside dpkg-query -W nodometer nodometer-tools nodometer-trace nodometer-send
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
grep -q 'marks at both ends' "$scratch/report" ||
	{ cat "$scratch/report"; fail 'the report misses a mark'; }

say 'removing it'
stop "$agent"
inside dpkg -r nodometer-send nodometer-trace nodometer-tools nodometer >"$scratch/log" 2>&1 ||
	fail 'dpkg -r failed'
grep -q '^; edited here$' "$root/etc/nodometer/nodometer.conf" || fail 'the configuration is gone'
[ ! -e "$root/usr/bin/nodometer" ] || fail 'the program is still there'
find "$root/var/lib/nodometer" -name current | grep -q . || fail 'the archive is gone'
inside dpkg -P nodometer >"$scratch/log" 2>&1 || fail 'dpkg -P failed'
[ ! -e "$root/etc/nodometer" ] || fail 'a purge leaves the configuration'
inside getent passwd nodometer >/dev/null || fail 'the user is gone, its files are not'
find "$root/var/lib/nodometer" -name current | grep -q . || fail 'a purge removes the archive'
finish
