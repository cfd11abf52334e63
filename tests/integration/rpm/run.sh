#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - RPMs of this source: built, the same twice, clean, installed, upgraded in a job, removed
#
# Runs in a build folder. Installs into a scratch root that only this process sees mounted.
namespaces=-m
. "$(dirname "$0")/../lib.sh"
need_packages rpm rpmlint busybox-static

top=$scratch/rpmbuild root=$scratch/root
version=$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)
archive=nodometer-$version.tar.xz

# rpm_build SPEC [OPTION...]: what it says is in $scratch/log
rpm_build()
{
	spec=$1
	shift
	rpmbuild -ba --nodeps --define "_topdir $top" --define 'dist .test' "$@" "$spec" \
		>"$scratch/log" 2>&1 || { tail -n 40 "$scratch/log"; die "$spec does not build"; }
}

inside()
{
	chroot "$root" "$@"
}

say 'building the packages, make check in it'
make dist >"$scratch/log" 2>&1 || { cat "$scratch/log"; die 'no make dist'; }
mkdir -p "$top/SOURCES"
cp "$archive" "$top/SOURCES"
tar -C "$scratch" -xf "$archive" --strip-components=2 "nodometer-$version/packaging"
rpm_build "$scratch/nodometer.spec"
grep -q '^# FAIL:  0$' "$scratch/log" || die 'the build ran no tests'
cp -r "$top/RPMS" "$top/SRPMS" "$scratch"

say 'building them again'
rpm_build "$scratch/nodometer.spec" --nocheck
packages=$(cd "$scratch" && find RPMS SRPMS -name '*.rpm')
[ "$(echo "$packages" | wc -l)" = 5 ] || die "not five packages: $packages"
for p in $packages; do
	cmp "$scratch/$p" "$top/$p" || fail "$p: a second build is another file"
done
# shellcheck disable=SC2086 # a list of names
(cd "$scratch" && rpmlint -c rpmlint.toml $packages) >"$scratch/lint" 2>&1
grep ' E: ' "$scratch/lint" && fail 'rpmlint finds errors'
grep -q ' 0 errors' "$scratch/lint" || { cat "$scratch/lint"; fail 'rpmlint did not run'; }

say 'building the next release'
rm -r "$top/RPMS" "$top/SRPMS"
sed 's/^\(Release: *\)1/\12/' "$scratch/nodometer.spec" >"$scratch/next.spec"
rpm_build "$scratch/next.spec" --nocheck

say 'installing into a scratch root'
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/sh"
rpm --root "$root" --initdb
# shellcheck disable=SC2046
rpm --root "$root" --nodeps -i $(find "$scratch/RPMS" -name '*.rpm') || die 'rpm -i failed'
rpm --root "$root" --nodeps -V nodometer nodometer-tools nodometer-trace nodometer-send ||
	fail 'rpm -V finds differences'
copy_libraries "$root" "$root"/usr/bin/nodometer "$root"/usr/sbin/nodometerd \
	"$root"/usr/libexec/nodometer/nodometer-*
kernel_files "$root"

say 'a job during which the package is upgraded'
background chroot "$root" /usr/sbin/nodometerd
agent=$started
wait_until inside /usr/bin/nodometer status || die 'the agent does not answer'
inside /usr/bin/nodometer begin --strict 17 || fail 'no begin'
echo '; edited here' >>"$root/etc/nodometer/nodometer.conf"
# shellcheck disable=SC2046
rpm --root "$root" --nodeps -U $(find "$top/RPMS" -name '*.rpm') || fail 'rpm -U failed'
rpm --root "$root" -q nodometer
inside /usr/bin/nodometer status >/dev/null || fail 'the new front end, the old agent: no answer'
stop "$agent"
! inside /usr/bin/nodometer status >/dev/null 2>&1 || die 'the old agent did not end'
background chroot "$root" /usr/sbin/nodometerd
agent=$started
wait_until inside /usr/bin/nodometer status || die 'the new agent does not answer'
inside /usr/bin/nodometer status | grep -w 17 || fail 'the new agent has forgotten the job'
inside /usr/bin/nodometer end --strict 17 || fail 'no end'
inside /usr/bin/nodometer report 17 >"$scratch/report" || fail 'no report'
grep -q 'marks at both ends' "$scratch/report" ||
	{ cat "$scratch/report"; fail 'the report misses a mark'; }

say 'removing it'
stop "$agent"
rpm --root "$root" --nodeps -e nodometer-send nodometer-trace nodometer-tools nodometer ||
	fail 'rpm -e failed'
grep -q '^; edited here$' "$root/etc/nodometer/nodometer.conf.rpmsave" ||
	fail 'the edited configuration is gone'
[ ! -e "$root/usr/bin/nodometer" ] || fail 'the program is still there'
find "$root/var/lib/nodometer" -name current | grep -q . || fail 'the archive is gone'
finish
