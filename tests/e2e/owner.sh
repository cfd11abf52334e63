#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# owner.sh - hooks and cron jobs of root become the owner of the archive before they read files
. "$(dirname "$0")/lib.sh"

[ "$(id -u)" = 0 ] || skip "only root becomes another user"
command -v flock >/dev/null || skip "no flock"
# User 12345 must reach this folder; the scratch folder may be in root's home.
uid=12345 gid=54321
place=$(mktemp -d "${TMPDIR:-/tmp}/nodometer.XXXXXX") || exit 99
trap 'ended=$?; rm -rf "$place"; (exit $ended); cleanup' EXIT
chmod 711 "$place"
archive=$place/archive runtime=$place/run
mkdir "$archive" && chown $uid:$gid "$archive"
as=$(setpriv --reuid=$uid --regid=$gid --clear-groups test -x "$archive" && echo $uid)
[ "$as" = $uid ] || skip "user $uid cannot reach $archive"

# all_of USER GROUP FOLDER...: fail unless all files in these folders belong to this user and user
# group
all_of() {
	u=$1 g=$2
	shift 2
	find "$@" \( ! -uid "$u" -o ! -gid "$g" \) -exec ls -ld {} + >"$scratch/others"
	[ ! -s "$scratch/others" ] || fail "not of $u:$g: $(cat "$scratch/others")"
}

# is_owner PID: succeed if the process has the user and user group of the owner, no others, and only
# the capabilities that types need
is_owner() {
	awk -v uid=$uid -v gid=$gid '
		/^Uid:/    { ok += $2 == uid && $3 == uid && $4 == uid && $5 == uid }
		/^Gid:/    { ok += $2 == gid && $3 == gid && $4 == gid && $5 == gid }
		/^Groups:/ { ok += NF == 1 }
		# CAP_DAC_READ_SEARCH is 2, CAP_SYS_ADMIN 21, and CAP_PERFMON 38
		/^Cap(Prm|Eff):/ { ok += $2 ~ /^000000[04]000[02]0000[04]$/ }
		END { exit ok != 5 }' "/proc/$1/status" 2>/dev/null
}

# The first run makes the runtime directory and leaves its mark there; no agent answers.
write_config
expect 0 nodometer begin --strict 1 --attr user=me
expect 0 nodometer mark here
expect 0 nodometer collect
expect 0 nodometer end --strict 1
expect 0 nodometer rotate
all_of $uid $gid "$archive" "$runtime"
is "marks" "$(marks | tr '\n' ' ')" '%begin 1 %here %end 1 '
raw_text | grep -q '^%begin 1 .*user=me' || fail "no attribute: $(raw_text | grep '^%')"
nodometer status | grep -q "^hooks of root run as *uid $uid, gid $gid, capabilities cap_" ||
	fail "status: $(nodometer status)"

# A process that waits for the archive's lock already runs as the owner; it has read the node's
# files before.
paused() {
	flock "$archive/$host/lock" sh -c 'echo >"$0/locked"; read -r _ <"$0/go"' "$scratch" &
	pids="$pids $!"
	wait_until 10 test -e "$scratch/locked"
	"$bin/nodometer" --config "$conf" "$@" 2>"$scratch/said" 3>&- &
	one=$!
	pids="$pids $one"
	wait_until 10 is_owner "$one"
	echo >"$scratch/go"
	wait "$one" || fail "$*: $(cat "$scratch/said")"
	forget "$one"
	rm "$scratch/locked"
}
mkfifo "$scratch/go"
paused collect
paused mark --timeout 20 paused

# A hook that waits for the agent's answer already runs as the owner; it sent its request as root.
start_agent
kill -STOP "$agent"
"$bin/nodometer" --config "$conf" begin --strict --timeout 100 2 3>&- &
one=$!
pids="$pids $one"
wait_until 10 is_owner "$one"
kill -CONT "$agent"
wait "$one" || fail "the agent refused what root has asked"
forget "$one"

# nodometer-commands, which takes over if the agent does not answer, also runs as the owner, with
# the capabilities that types need to read their files.
cp "$bin/nodometer" "$place/"
printf '#!/bin/sh\nexec sleep 60\n' >"$place/nodometer-commands"
chmod 755 "$place/nodometer-commands"
kill -STOP "$agent"
"$place/nodometer" --config "$conf" begin --timeout 2 5 3>&- &
one=$!
pids="$pids $one"
can_search() { [ "$(of "$one" Name)" = sleep ] && of "$one" CapEff | grep -q '4$'; }
wait_until 10 can_search
is_owner "$one" || fail "not the owner: $(cat "/proc/$one/status")"
kill "$one"
wait "$one" 2>/dev/null
forget "$one"
kill -CONT "$agent"
wait_until 10 left_nothing
is "mark of a program that was killed" "$(count '%begin 5')" 1
expect 0 nodometer end --strict 5
is "begun" "$(count '%begin 2')" 1
expect 0 nodometer end --strict 2
stop_agent
all_of $uid $gid "$archive"
whole_archive

# nodometer collect cannot read a file for root only, unless an enabled type needs such files.
tree=$place/root
mkdir -p "$tree/proc"
echo '100.00 200.00' >"$tree/proc/uptime"
printf 'cpu  1 2 3 4\ncpu0 1 2 3 4\n' >"$tree/proc/stat"
printf 'pgpgin 5\npgpgout 6\n' >"$tree/proc/vmstat"
chmod 755 "$tree" "$tree/proc"
chmod 600 "$tree/proc/stat"
rows() {
	rm -rf "${archive:?}/$host"
	expect 0 nodometer collect --root "$tree"
	raw_text | awk '/^(cpu|vm) / { printf "%s ", $1 }'
}
write_config '[types]'
nodometer types --all --root "$tree" | awk 'NR > 1 && $1 != "nodometer" {
	print $1, "=", $1 == "cpu" || $1 == "vm" ? "on" : "off" }' >>"$conf"
is "rows of files that it may read" "$(rows)" 'vm '
sed -i 's/^job = off/job = on/' "$conf"
is "rows where type job is on" "$(rows)" 'cpu vm '

# A hook that writes its mark itself reads the types that are enabled, and no others.
rm -rf "${archive:?}/$host"
expect 0 nodometer begin --strict 9
expect 0 nodometer end --strict 9
raw_text | sed -n 's/^!\([^ ]*\).*/\1/p' | grep -vx -e cpu -e vm -e job -e nodometer &&
	fail 'types that are off'

# An archive of root, and a new archive, stay root's; capabilities are dropped nevertheless.
rm -rf "$archive" "$runtime"
write_config
expect 0 nodometer begin --strict 3
expect 0 nodometer end --strict 3
all_of 0 0 "$archive" "$runtime"
nodometer status | grep -q '^hooks of root run as *uid 0, gid 0, capabilities cap_chown,' ||
	fail "status: $(nodometer status)"

# If only the archive gets another owner, but not the runtime directory, nothing is lost, and no
# file changes its owner.
chown -R $uid:$gid "$archive"
expect 0 nodometer begin --strict 4
grep -q '^4 ' "$runtime/jobs" || fail "the job is forgotten: $(cat "$runtime/jobs")"
expect 0 nodometer end --strict 4
is "owner of the runtime directory" "$(stat -c %u "$runtime")" 0
all_of $uid $gid "$archive"
is "marks" "$(count '[34]$')" 4
