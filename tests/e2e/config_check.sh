#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# config_check.sh - config check reports each mistake by its line, and warns about risky settings
. "$(dirname "$0")/lib.sh"

# check STATUS LINE...: run config check on a configuration of these lines, and check its exit
# status; the output is in $scratch/said
check() {
	wanted=$1
	shift
	printf '%s\n' "$@" >"$conf"
	nodometer config check "$conf" >"$scratch/said" 2>&1
	got=$?
	is "status of $*: $(cat "$scratch/said")" "$got" "$wanted"
}

# says LINE TEXT: fail unless the output has this warning or error for this line
says() {
	grep -qF -- "$conf:$1: $2" "$scratch/said" ||
		fail "not said: $conf:$1: $2: $(cat "$scratch/said")"
}
silent() {
	is "all that is said" "$(cat "$scratch/said")" "$conf: no errors"
}

# A section or key that occurs twice causes a warning, which names the line with the value in use.
check 0 '[agent]' "dir = $scratch" "runtime-dir = $scratch"
silent
check 0 '[agent]' "runtime-dir = $scratch" "dir = $scratch/a" "dir = $scratch" '[types]' \
	'cpu = on' '[agent]'
says 4 'warning: dir is also in line 3; this one is used'
says 7 'warning: [agent] is also in line 1; the keys of both are used'
grep -qx "$conf: no errors" "$scratch/said" || fail 'a warning is an error'

# A "#" after a value does not start a comment.
check 1 '[agent]' 'users = root # the administrator'
says 2 'a comment after a value begins with ";", not with "#"'
check 0 '# one' '[agent] # two' "dir = $scratch ; three # four" "runtime-dir = $scratch/a#b"
silent

# Names of unknown users and user groups cause a warning.
common="runtime-dir = $scratch"
check 0 '[agent]' "dir = $scratch" "$common" 'users = root, 12, n0body_here @root @n0group_here all'
says 4 "warning: users = root, 12, n0body_here @root @n0group_here all: no user n0body_here on"
says 4 "warning: users = root, 12, n0body_here @root @n0group_here all: no group n0group_here on"
is "warnings" "$(grep -c warning: "$scratch/said")" 2
check 0 '[agent]' "dir = $scratch" "$common" 'scheduler-users = n0body_here'
says 4 'warning: scheduler-users = n0body_here: no user n0body_here on this node'

# An event with a syntax error is an error, also in builds without libpfm4; an event that this node
# lacks is a warning.
check 0 '[agent]' "dir = $scratch" "$common" '[counters]' 'odd = nosuchpmu/event=1/'
says 5 'warning: odd: no perf PMU nosuchpmu'
check 1 '[agent]' "dir = $scratch" "$common" '[counters]' 'odd = nosuchpmu//'
says 5 'pmc_odd: nosuchpmu//: expected PMU/TERM=VALUE,.../ or an event name of libpfm4'

# Sizes have the same syntax as in options of nodometer-tidy; a size larger than the disk causes a
# warning.
mkdir -p "$scratch/$host"
: >"$scratch/$host/lock"
for size in 97T 98T 100T 8388607T 8388608T 9223372036854775807 9223372036854775808 1X; do
	for key in retain-size free-floor; do
		printf '%s\n' '[agent]' "dir = $scratch" "$common" "$key = $size" >"$conf"
		nodometer config check "$conf" >"$scratch/said" 2>&1
		taken=$?
		"$bin/nodometer-tidy" --$key "$size" "$scratch/$host" >"$scratch/tidied" 2>&1
		tidied=$?
		case $taken,$tidied in
		0,0) says 4 "warning: $key = $size: the file system of $scratch has " ;;
		1,2) grep -qF "$key = $size: expected " "$scratch/tidied" ||
			fail "tidy: $(cat "$scratch/tidied")" ;;
		*) fail "$key = $size: config check $taken, nodometer-tidy $tidied" ;;
		esac
	done
done

# Without a systemd unit, a missing folder causes a warning, because nothing will make it; so does a
# file in place of a folder.
PATH=$scratch/bin:$PATH
mkdir "$scratch/bin"
printf '#!/bin/sh\nexit 1\n' >"$scratch/bin/systemctl"
chmod +x "$scratch/bin/systemctl"
check 0 '[agent]' "dir = $scratch/new/archive" "$common" "summary-dir = $scratch/none" \
	"gpu-job-dir = $conf"
says 4 "warning: summary-dir = $scratch/none: the folder does not exist"
says 5 "warning: gpu-job-dir = $conf: $conf is not a folder"
is "warnings" "$(grep -c warning: "$scratch/said")" 2

# Mistakes in sinks are reported with file and line, together with the warnings of other sections.
if [ -x "$bin/nodometer-send" ]; then
	check 1 '[agent]' "dir = $scratch" "$common" '[counters]' 'odd = nosuchpmu/event=1/' \
		'[sink http]' 'format = json' '[sink xrootd]' 'site = a'
	says 8 '[sink xrootd] destination is not set'
	says 6 '[sink http] url is not set'
	says 5 'warning: odd: no perf PMU nosuchpmu'
	check 0 '[agent]' "dir = $scratch" "$common" '[sink xrootd]' 'destination = a:1' \
		'site = a' 'site = b' '[send]' "state-dir = $scratch"
	says 7 'warning: site is also in line 6'
fi

# With a systemd unit, a warning appears unless drop-ins make the folders writable and the unit's
# user can write to them.
[ "$(id -u)" -eq 0 ] || skip "the rest needs root, to look as another user"
writable=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") || exit 99
runtime=$writable	# removed at the end
mkdir "$writable/a" "$writable/b" "$writable/c"
chmod 755 "$writable" "$writable/b"
chown nobody "$writable/a"
cat >"$scratch/bin/systemctl" <<END
#!/bin/sh
printf '%s\n' LoadState=loaded User=nobody ProtectSystem=strict StateDirectory=x \\
	RuntimeDirectory=nodometer-test \\
	"ReadWritePaths=-$writable/a $writable/b -$writable/c/missing"
END
common='runtime-dir = /run/nodometer-test/x'
check 0 '[agent]' "dir = $writable/a/deep/er" "$common" "summary-dir = $writable/a"
silent
check 0 '[agent]' "dir = $writable/c" "$common" "summary-dir = $writable/b"
says 2 "warning: dir = $writable/c: the unit nodometerd may not write there: create the folder"
says 4 "warning: summary-dir = $writable/b: user nobody may not write there: Permission denied"
check 0 '[agent]' "dir = $writable/c/missing" "$common"
says 2 "warning: dir = $writable/c/missing: the unit nodometerd may not write there: create"
if [ -x "$bin/nodometer-send" ]; then
	check 0 '[agent]' "dir = $writable/a" "$common" '[sink archive]' "dir = $writable/c" \
		'[send]' "state-dir = $writable/b"
	says 5 "warning: dir = $writable/c: the unit nodometer-send may not write there"
	says 7 "warning: state-dir = $writable/b: user nobody may not write there"
fi
