#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - RPMs of this source: built reproducibly, free of lint, installed, upgraded during a job,
# removed
#
# families/ has the macros of EL, Fedora and Debian that the spec file uses.
#
# Runs in a build folder. Installs into a scratch root that only this process sees mounted.
packages='rpm rpmlint busybox-static zstd systemd libibmad-dev libibumad-dev libcmocka-dev
	libpfm4-dev'
namespaces=-m
. "$(dirname "$0")/../lib.sh"

top=$scratch/rpmbuild root=$scratch/root
version=$(sed -n 's/^PACKAGE_VERSION = //p' Makefile)
archive=nodometer-$version.tar.xz

# rpm_build SPEC [OPTION...]: build the RPMs; the output is in $scratch/log
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

# names PATTERN: the spec file, expanded with the family's macros, must have a line that matches
names()
{
	grep -Eq "$1" "$scratch/parsed"
}

# family NAME: expand the spec file with the macros of family NAME; each file that it lists must
# have been installed by the build
family()
{
	say "the spec file on $1"
	rpmspec -P --load "$here/families/$1" "$scratch/nodometer.spec" >"$scratch/parsed" ||
		die 'cannot be parsed'
	tags='package|description|prep|build|install|check|pre|preun|post|postun|files|changelog'
	grep -nE '%[{a-z_?!]' "$scratch/parsed" |
		grep -vE "^[0-9]+:%($tags|license|doc|dir|exclude|config\\(noreplace\\))( |\$)" &&
		fail 'left as it was'
	paths=$(sed -n '/^%files/,/^%changelog/{
		s/^%\(exclude\|dir\|config([^ ]*)\) *//
		/^\//p
	}' "$scratch/parsed")
	[ "$(echo "$paths" | wc -l)" -gt 25 ] || fail "only these files: $paths"
	for path in $paths; do
		# shellcheck disable=SC2086 # a pattern
		set -- "$root"$path
		[ -e "$1" ] || fail "$path: there is no such file"
	done
}

# own_pages PACKAGE PROGRAM...: the manual page of each program must be in PACKAGE
own_pages()
{
	rpm --root "$root" -ql "$1" >"$scratch/files"
	shift
	for p; do
		grep -q "/${p##*/}\$" "$scratch/files" || fail "no program $p"
		grep -q "/man/man[18]/${p##*/}\.[18]\.gz\$" "$scratch/files" || fail "no page of $p"
	done
}

# new_agent: start the newly installed agent, which must take over from the running agent
new_agent()
{
	inside /usr/bin/nodometer status >/dev/null || fail 'other front end, same agent: no answer'
	inside /usr/bin/nodometer mark "$1" || fail 'other front end, same agent: no mark'
	stop "$agent"
	! inside /usr/bin/nodometer status >/dev/null 2>&1 || die 'the agent did not end'
	background chroot "$root" /usr/sbin/nodometerd
	agent=$started
	wait_until inside /usr/bin/nodometer status || die 'the new agent does not answer'
	inside /usr/bin/nodometer status | grep -w 17 || fail 'the new agent has forgotten the job'
}

say 'building the packages, make check in it: the unit tests'
XZ_OPT=-1 make dist >"$scratch/log" 2>&1 || { cat "$scratch/log"; die 'no make dist'; }
mkdir -p "$top/SOURCES"
cp "$archive" "$top/SOURCES"
tar -C "$scratch" -xf "$archive" --strip-components=2 "nodometer-$version/packaging"
# MAKEFLAGS and CFLAGS reach make(1) and the compiler in the spec file. Debian's packages are
# optimized and run scripts, too; optimization would double the time of this build.
# shellcheck disable=SC2016 # make expands it
MAKEFLAGS=$(makeflags_of '$(LONG_UNIT) $(UNIT)') CFLAGS='-g -O0'
export MAKEFLAGS CFLAGS
# do not clean up, because the packages of the next release are made from this build
rpm_build "$scratch/nodometer.spec" --noclean
grep -q '^# FAIL:  0$' "$scratch/log" || die 'the build ran no tests'
sed -n '/will be built with$/,/compiler/p' "$scratch/log" >"$scratch/rows"
[ "$(grep -c ' yes$' "$scratch/rows")" -ge 9 ] || fail 'configure says not what it found'
! grep ' no$' "$scratch/rows" || fail 'a package without it'
cp -r "$top/RPMS" "$top/SRPMS" "$scratch"

packages=$(cd "$scratch" && find RPMS SRPMS -name '*.rpm')
[ "$(echo "$packages" | wc -l)" = 7 ] || die "not six packages and the source: $packages"
if is_all; then
	say 'building them again'
	rpm_build "$scratch/nodometer.spec" --nocheck --noclean
	for p in $packages; do
		cmp "$scratch/$p" "$top/$p" || fail "$p: a second build is another file"
	done
fi
line=$(readme 'rpmbuild -ta' | sed -n 's|^dnf install ~/rpmbuild/||p')
taken=$(cd "$scratch" && bash -c "echo $line")
case $taken in
RPMS/*/"nodometer-$version-"*.rpm\ RPMS/*/"nodometer-common-$version-"*.rpm) ;;
*) fail "README installs: $taken" ;;
esac
# shellcheck disable=SC2086 # a list of names
(cd "$scratch" && rpmlint -c rpmlint.toml $packages) >"$scratch/lint" 2>&1
grep ' [EW]: ' "$scratch/lint" && fail 'rpmlint finds errors or warnings'
grep -q ' 0 errors, 0 warnings' "$scratch/lint" ||
	{ cat "$scratch/lint"; fail 'rpmlint did not run'; }

say 'the next release, of the programs that were built'
rm -r "$top/RPMS" "$top/SRPMS"
new='%{buildroot}%{_sysconfdir}/nodometer/nodometer.conf'
sed -e 's/^\(Release: *\)1/\12/' -e 's/^%setup -q/& -D -T/' \
	-e '/^%build/,/^%install/{ /^%configure/d; /^make /d; }' -e "/^make install/a\\
echo '; new here' >>$new" "$scratch/nodometer.spec" >"$scratch/next.spec"
rpm_build "$scratch/next.spec" --nocheck

say 'installing into a scratch root'
mkdir -p "$root/bin"
cp /bin/busybox "$root/bin/sh"
rpm --root "$root" --initdb
# shellcheck disable=SC2046
rpm --root "$root" --nodeps -i $(find "$scratch/RPMS" -name '*.rpm') || die 'rpm -i failed'
# No two packages may have a file in common; each has the licence in a folder of its own.
rpm --root "$root" -qa --qf '[%{FILENAMES}\n]' | sort | uniq -d |
	grep -v '^/usr/lib/.build-id$' && fail 'in two packages'
rpm --root "$root" --nodeps -V nodometer-common nodometer nodometer-tools nodometer-trace \
	nodometer-send ||
	fail 'rpm -V finds differences'
copy_libraries "$root" "$root"/usr/bin/nodometer "$root"/usr/sbin/nodometer* \
	"$root"/usr/libexec/nodometer/nodometer-*
kernel_files "$root"

own_pages nodometer nodometerd
own_pages nodometer-common nodometer nodometer-install-hooks nodometer-tidy nodometer-top \
	nodometer-types
for p in tools trace send; do
	rpm --root "$root" -qR nodometer-$p | grep '^nodometer =' && fail "-$p pulls in the agent"
done
own_pages nodometer-tools nodometer-answer nodometer-cat nodometer-check nodometer-report
own_pages nodometer-trace nodometer-mpxstats nodometer-trace nodometer-xrootd
own_pages nodometer-send nodometer-send
own_pages nodometer-mpxstats mpxstats
inside /usr/bin/mpxstats --keys | grep -q '^link.in ' || fail 'mpxstats does not run'
rpm --root "$root" --nodeps -e nodometer-mpxstats || fail 'no -mpxstats removed'
for p in tools trace send; do
	rpm --root "$root" --nodeps -e nodometer-$p || fail "-$p cannot be removed by itself"
done
for pair in tools:cat trace:mpxstats trace:xrootd; do
	p=nodometer-${pair%:*} command=${pair#*:}
	inside /usr/bin/nodometer "$command" --help >/dev/null 2>&1 && fail "$command without $p"
	rpm --root "$root" --nodeps -i "$scratch"/RPMS/*/"$p"-[0-9]*.rpm || fail "no $p"
	inside /usr/bin/nodometer "$command" --help >/dev/null || fail "$command with only $p"
	rpm --root "$root" --nodeps -e "$p"
done
for p in tools trace send mpxstats; do
	rpm --root "$root" --nodeps -i "$scratch"/RPMS/*/"nodometer-$p"-[0-9]*.rpm || fail "no -$p"
done
inside /usr/sbin/nodometer-send --help >/dev/null || fail 'nodometer-send does not run'

sysusers='^ */usr/bin/systemd-sysusers /usr/lib/sysusers.d/nodometer.conf'
for f in debian el8 el9 fedora41 fedora42; do
	family $f
	case $f in
	fedora42) ! names "$sysusers|useradd" || fail 'rpm makes the user, and %post, too' ;;
	*) { names "$sysusers" && names useradd; } || fail 'nobody makes the user' ;;
	esac
	case $f in
	debian) names 'systemctl --no-reload preset nodometerd.service' || fail 'no preset' ;;
	*)
		for m in post preun postun_with_restart; do
			names "^family systemd_$m nodometerd.service" || fail "not its $m"
			names "^family systemd_$m nodometer-send.service" || fail "not its $m"
		done
		;;
	esac
	case $f in
	debian | el8) ! names '^Requires: *fuse3' || fail 'wants what it has not' ;;
	*) names '^Requires: *fuse3' || fail 'nodometer trace without fusermount3' ;;
	esac
	case $f in
	debian) ! names '^BuildRequires' || fail 'wants packages of other names' ;;
	el8) ! names 'systemd-rpm-macros' || fail 'EL 8 has no systemd-rpm-macros' ;;
	*) names '^BuildRequires: *systemd-rpm-macros' || fail 'no macros to build with' ;;
	esac
done

say 'a job during which the package is upgraded, and downgraded'
background chroot "$root" /usr/sbin/nodometerd
agent=$started
wait_until inside /usr/bin/nodometer status || die 'the agent does not answer'
inside /usr/bin/nodometer begin --strict 17 || fail 'no begin'
conf=$root/etc/nodometer/nodometer.conf
echo '; edited here' >>"$conf"
# shellcheck disable=SC2046
rpm --root "$root" --nodeps -U $(find "$top/RPMS" -name '*.rpm') || fail 'rpm -U failed'
rpm --root "$root" -q nodometer | grep -e '-2\.test' || fail 'not upgraded'
grep -q '^; edited here$' "$conf" || fail 'the upgrade overwrote the edited configuration'
grep -q '^; new here$' "$conf.rpmnew" || fail 'the new configuration does not stand beside it'
new_agent upgraded
# shellcheck disable=SC2046
rpm --root "$root" --nodeps -U --oldpackage $(find "$scratch/RPMS" -name '*.rpm') ||
	fail 'rpm -U --oldpackage failed'
rpm --root "$root" -q nodometer | grep -e '-1\.test' || fail 'not downgraded'
new_agent downgraded
inside /usr/bin/nodometer end --strict 17 || fail 'no end'
inside /usr/bin/nodometer report 17 >"$scratch/report" || fail 'no report'
sed -n '/^Not certain/,/^$/p' "$scratch/report" |
	grep -v -e '^Not certain' -e ': [0-9]* gaps*, ' -e '^$' &&
	{ cat "$scratch/report"; fail 'the report misses more than the time without an agent'; }
marks=$(cat "$root"/var/lib/nodometer/*/[0-9]* | zstd -dcf 2>/dev/null |
	grep -aoE '^%(begin|end) 17')
[ "$marks" = '%begin 17
%end 17' ] || fail "not one begin and one end: $marks"

say 'removing it'
stop "$agent"
rpm --root "$root" --nodeps -e nodometer-send nodometer-trace nodometer-tools nodometer \
	nodometer-common ||
	fail 'rpm -e failed'
grep -q '^; edited here$' "$root/etc/nodometer/nodometer.conf.rpmsave" ||
	fail 'the edited configuration is gone'
[ ! -e "$root/usr/bin/nodometer" ] || fail 'the program is still there'
find "$root/var/lib/nodometer" -name current | grep -q . || fail 'the archive is gone'

say 'a whole system: the user, the folders, and what starts at boot'
root=$scratch/system wants=etc/systemd/system/multi-user.target.wants
overlay "$root"
kernel_files "$root"
cp -r "$scratch/RPMS" "$root/RPMS"
mkdir -p "$root/etc/systemd/system-preset"
printf 'enable nodometerd.service\ndisable *\n' >"$root/etc/systemd/system-preset/00-here.preset"
inside sh -c 'rpm --nodeps -i RPMS/*/*.rpm' >"$scratch/log" 2>&1 ||
	{ cat "$scratch/log"; fail 'rpm -i failed'; }
inside getent passwd nodometer | grep /var/lib/nodometer: || fail 'no user nodometer'
[ "$(inside stat -c '%U:%G %a' /var/lib/nodometer)" = 'nodometer:nodometer 750' ] ||
	fail 'no archive folder of user nodometer'
[ -L "$root/$wants/nodometerd.service" ] || fail 'the preset enables it, and it is not'
[ ! -L "$root/$wants/nodometer-send.service" ] || fail 'the preset disables it, and it is enabled'
inside systemctl disable nodometerd >/dev/null 2>&1
rm -rf "$root/RPMS"
cp -r "$top/RPMS" "$root/RPMS"
inside sh -c 'rpm --nodeps -U RPMS/*/*.rpm' >"$scratch/log" 2>&1 || fail 'rpm -U failed'
[ ! -L "$root/$wants/nodometerd.service" ] || fail 'an upgrade enables what was disabled'
inside systemctl enable nodometerd nodometer-send >/dev/null 2>&1
[ -L "$root/$wants/nodometer-send.service" ] || fail 'cannot be enabled'
touch "$root/var/lib/nodometer/kept"
inside rpm --nodeps -e nodometer-send nodometer-trace nodometer-tools nodometer \
	nodometer-common >"$scratch/log" 2>&1 || fail 'rpm -e failed'
find "$root/$wants" -name 'nodometer*' | grep . && fail 'removed, and still enabled'
inside getent passwd nodometer >/dev/null || fail 'the user is gone, its files are not'
[ -e "$root/var/lib/nodometer/kept" ] || fail 'the archive is gone'
finish
