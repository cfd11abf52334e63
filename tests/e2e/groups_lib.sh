# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# groups_lib.sh - a tree of cgroup v2 for tests of jobs that no hook reports: the test makes cgroups
# as a scheduler does, and checks the marks
job_cgroups=yes
. "$(dirname "$0")/lib.sh"

root=$scratch/root
cgroups=$root/sys/fs/cgroup
mkdir -p "$root/proc" "$cgroups"
printf 'cpu0 1 2 3 4\n' >"$root/proc/stat"
printf 'cpu  1 2 3 4\n' >>"$root/proc/stat"

# all_marks: print the marks without %counters_restart, which depends on whether a new cgroup gets
# the inode of an old one, and without the time at which a cgroup disappeared
all_marks() {
	raw_text | grep '^%' | grep -v '^%counters_restart ' |
		sed 's/^\(%end .* source=cgroup\) at=[0-9.]*$/\1/' | tr '\n' ' '
}
# soon MARKS: wait until the archive has these marks and no others
soon() {
	wait_until 20 say_so "$1" || is "marks" "$(all_marks)" "$1 "
}
say_so() {
	[ "$(all_marks)" = "$1 " ]
}
