# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# debian.sh - roots (bare installations) of Debian releases, in which README's commands built the
# packages
#
# Source this file after lib.sh, in a mount namespace. A root stays in the build folder for all
# tests of a run, until a source file changes; each test works on an overlay of the root.
# shellcheck disable=SC2034,SC2154 # variables of the test and of lib.sh
releases='bookworm trixie'
[ "$(id -u)" = 0 ] || skip 'not root'
command -v mmdebstrap >/dev/null || skip 'no mmdebstrap'
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' |
	head -n 1)
[ -n "$mirror" ] || skip 'no mirror of Debian among the sources of apt'

# within ROOT COMMAND...: run COMMAND in ROOT with the environment of an administrator's prompt, and
# answer yes to apt's questions
within()
{
	at=$1
	shift
	chroot "$at" env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
		HOME=/root LC_ALL=C TZ=UTC DEBIAN_FRONTEND=noninteractive TERM=dumb "$@"
}

# source_files: print the names of the source files, each with a NUL after it
source_files()
{
	git -C "$top" ls-files -z --cached --others --exclude-standard 2>/dev/null ||
		(cd "$top" && find . -path ./build -prune -o -type f -print0)
}

# repository ROOT: make in ROOT the git repository that README's commands clone
repository()
{
	mkdir -p "$1/srv/nodometer"
	source_files | (cd "$top" && xargs -0 sh -c 'for f; do [ ! -e "$f" ] || printf "%s\0" "$f"
		done' files) | tar -C "$top" --null -T - -c | tar -C "$1/srv/nodometer" -x \
		--no-same-owner
	# shellcheck disable=SC2016 # for the shell over there
	within "$1" sh -ec 'cd /srv/nodometer
		git config --system url.file:///srv/nodometer.insteadOf https://example.org/nodometer
		git config --system user.email nobody@example.org
		git config --system user.name nobody
		git init -q && git add -f . && git commit -qm "the tree that is tested"'
}

# try_commands: print README's commands that get and try the source; build_commands: print those
# that build the packages
try_commands() { readme 'git clone'; }
build_commands() { readme dpkg-buildpackage | sed '/^apt-get install \.\./,$d'; }

# is_tried RELEASE: succeed if README's commands also try the source on this release: on the newest
# release or, before a release of nodometer, on all
is_tried() { [ "${checks:-yes}" = yes ] && { is_all || [ "$1" = "${releases##* }" ]; }; }

# build_options RELEASE: print the options of the package build. Only the packages of the oldest
# release are optimized, because that takes long; before a release of nodometer, all are.
build_options()
{
	echo "noautodbgsym${checks:+ nocheck}$(is_all || [ "$1" = "${releases%% *}" ] || echo ' noopt')"
}

# make_root RELEASE: make the root $built, with the packages in its /root; the output is in
# $built.log. With checks=no, do not try the source as README does, and do not check the packages.
make_root()
{
	rm -rf "$built" "$built.log"
	mmdebstrap --quiet --mode=root --variant=minbase "$1" "$built" "$mirror" \
		>"$built.log" 2>&1 || { tail -n 5 "$built.log"; skip "no $1 from $mirror"; }
	printf 'force-unsafe-io\n' >"$built/etc/dpkg/dpkg.cfg.d/fast"
	printf 'APT::Get::Assume-Yes "true";\nAcquire::Languages "none";\n' \
		>"$built/etc/apt/apt.conf.d/yes"
	printf '#!/bin/sh\nexit 101\n' >"$built/usr/sbin/policy-rc.d"
	chmod 755 "$built/usr/sbin/policy-rc.d"
	printf '127.0.0.1 localhost\n' >"$built/etc/hosts"
	kernel_files "$built"
	within "$built" sh -ec 'apt-get update
		apt-get install --no-install-recommends git ca-certificates' >>"$built.log" 2>&1 &&
		repository "$built" >>"$built.log" 2>&1 ||
		{ tail -n 20 "$built.log"; die "no git in $1"; }
	# shellcheck disable=SC2016 # for the shell over there
	{
		try_commands | { is_tried "$1" && cat || sed 1q; } |
			within "$built" sh -exc 'cd; export CFLAGS=-O0; eval "$(cat)"' &&
			build_commands | within "$built" env \
				DEB_BUILD_OPTIONS="$(build_options "$1")" \
				MAKEFLAGS="$(part_makeflags)" \
				sh -exc 'cd ~/nodometer; eval "$(cat)"'
	} >>"$built.log" 2>&1 || {
		grep '^FAIL' "$built.log"
		tail -n 30 "$built.log" | cut -c 1-200
		die "$1: README builds no packages"
	}
	: >"$built.done"
}

# is_made: succeed if the root $built exists, and no source file is newer than it
is_made()
{
	[ -e "$built.done" ] && [ ! "$(cd "$top" && source_files | xargs -0 sh -c '
		find "$@" -newer "$0" 2>/dev/null' "$built.done")" ]
}

# need_root RELEASE: set $built to the root of RELEASE, and make this root unless another test has
# made it in this run
need_root()
{
	built=$bin/debian/$1${checks:+-unchecked}
	mkdir -p "${built%/*}"
	exec 8>"$built.lock"
	flock 8
	is_made || {
		rm -f "$built.done"
		say "$1: a bare root, and README's commands up to the packages, checks: ${checks:-yes}"
		make_root "$1" 8>&-
		say "$1: $(sed -n 's/^# \(TOTAL\|PASS\|SKIP\): *\([0-9]*\)$/\1 \2/p' "$built.log" |
			paste -sd ' ')"
	}
	exec 8>&-
}

# on_root RELEASE: make $root an overlay of the root of RELEASE, until off_root is called
on_root()
{
	need_root "$1"
	root=$scratch/$1
	mkdir -p "$scratch/upper" "$root"
	mount -t tmpfs tmpfs "$scratch/upper"
	mkdir "$scratch/upper/upper" "$scratch/upper/work"
	(cd "$scratch/upper" && mount -t overlay -o "lowerdir=$built,upperdir=upper,workdir=work" \
		overlay "$root") || skip 'no overlay file system'
}

off_root()
{
	umount -l "$root" "$scratch/upper"
}
