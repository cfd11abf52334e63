#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - run every command of README and of the manual pages on a bare Debian with the packages
#
# "outcomes" says how to check each command; "left_out" lists the commands that are not run, with
# reasons. The commands come from README.md and from the installed manual pages. systemd boots in a
# container, where inside.sh runs the commands with an agent, and with archives of the jobs that the
# commands mention.
packages='mmdebstrap git mandoc python3 zstd systemd-container'
namespaces=-m
. "$(dirname "$0")/../lib.sh"
. "$top/tests/integration/debian.sh"

# packages of other programs that the commands in the pages call
others='systemd-sysv dbus jq sqlite3 curl openssh-server rsync tcpdump procps iproute2 cron zstd
	fuse3 victoria-metrics slurmctld slurm-client munge'

# install_all: install nodometer as README says, then its other packages and $others
install_all()
{
	line=$(readme dpkg-buildpackage | grep '^apt-get install \.\./')
	within "$root" bash -c "cd /root/nodometer && $line" >"$scratch/log" 2>&1 ||
		{ tail -n 20 "$scratch/log"; die "$1: $line"; }
	# shellcheck disable=SC2016,SC2086 # for the shell over there; a list of words
	within "$root" bash -ec 'cd /root
		apt-get install --no-install-recommends \
			./nodometer-{tools,send,trace}_*.deb gnuplot-nox "$@"' - $others \
		>"$scratch/log" 2>&1 || { tail -n 20 "$scratch/log"; die "$1: no packages"; }
	{ try_commands; build_commands; echo "$line"; } >"$share/done"
}

# pages: convert the installed pages in $root to HTML
pages()
{
	mkdir -p "$scratch/pages"
	find "$root"/usr/share/man/man[1578] -type f -name 'nodometer*.gz' | sort |
		while read -r page; do
			name=$(basename "$page" .gz)
			gzip -dc "$page" | mandoc -T html -O fragment >"$scratch/pages/$name.html"
		done
	find "$root"/usr/bin "$root"/usr/sbin -printf '%f\n' | sort -u >"$scratch/names"
	python3 "$here/commands.py" "$scratch/names" "$share/commands" "$top/README.md" \
		"$scratch"/pages/*.html || die 'pages that cannot be read'
}

# archives: make archives of n1 to n3 and storage1, one on each node and one gathered archive
archives()
{
	# shellcheck disable=SC2016 # for the shell over there
	within "$root" sh -c 'for type; do nodometer types --schema $type; done' - cpu mem ps net \
		block vm perf_hw intel_8pmc3 intel_x86_uncore_imc_icx llite nfs nvidia_gpu \
		>"$scratch/schema" || die 'no schema'
	for host in n1 n2 n3 storage1; do
		for dir in var/lib/nodometer archive central/archive; do
			mkdir -p "$root/$dir/$host"
			awk -v host=$host -v from=1795132800 -f "$here/records.awk" \
				"$scratch/schema" | zstd -q >"$root/$dir/$host/1795132800.zst"
		done
	done
	chroot "$root" chown -R nodometer:nodometer /var/lib/nodometer
}

# no_jobs: remove cgroups that an earlier container left, because they look like running jobs
no_jobs()
{
	find /sys/fs/cgroup -depth -type d -path '*/payload/system.slice/slurmstepd.scope*' \
		-exec rmdir {} + 2>/dev/null
}

# front_door RELEASE: run all commands on a bare Debian RELEASE
front_door()
{
	share=$scratch/share
	rm -rf "$share" "$scratch/pages"
	mkdir -p "$share"
	on_root "$1"
	kernel_files "$root"
	say "$1: installing the packages as README has it"
	install_all "$1"
	umount -l "$root/proc" "$root/sys" "$root/dev" "$root/run" "$root/tmp"
	pages
	archives
	cp "$here"/inside.sh "$here"/outcomes "$here"/left_out "$here"/world.sh \
		"$top/tests/integration/words.sh" "$share"
	for unit in ssh slurmctld munge victoria-metrics; do
		rm -f "$root"/etc/systemd/system/*.wants/$unit.service
	done
	echo n1 >"$root/etc/hostname"
	no_jobs
	say "$1: booting"
	SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 boot_container "$root" 2000 --bind=/dev/fuse \
		--capability=CAP_PERFMON,CAP_SYS_ADMIN,CAP_NET_ADMIN ||
		{ cat "$scratch/console"; die 'systemd does not boot'; }
	cat "$share/out"
	[ "$(cat "$share/status")" = 0 ] || fail "$1: see above"
	no_jobs
	off_root
}

# Only a run before a release of nodometer tries the older release of Debian, too.
# shellcheck disable=SC2086 # a list of words
[ $# -gt 0 ] || { is_all && set -- $releases; } || set -- "${releases##* }"
for release; do
	front_door "$release"
done
finish
