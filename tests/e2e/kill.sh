#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kill.sh - after kill -9 at random moments, readers skip torn record groups, and no acknowledged
# mark is lost
#
# The test kills an agent with an interval of 20 ms KILL_ROUNDS times (20; run-tests --full: 30,
# --all: 100), half of them in each of two parallel runs, called lanes. The same KILL_SEED gives the
# same moments.
. "$(dirname "$0")/lib.sh"

rounds=${KILL_ROUNDS:-20}
seed=${KILL_SEED:-1}

# reader: read the file "current" again and again while the agent writes it, and while tears are cut
# and repaired
reader() {
	while sleep 0.05; do
		[ -e "$archive/$host/current" ] || continue
		"$bin/nodometer-cat" "$archive/$host/current" 2>/dev/null |
			awk -f "$srcdir/tests/e2e/whole_rows.awk" >>"$scratch/torn"
		echo read >>"$scratch/reads"
	done
}

# tear: append an incomplete copy of the last record group, as if the power failed during a write
tear() {
	awk 'BEGIN { RS = "" } { group = $0 } END { printf "\n%s", group }' \
		"$archive/$host/current" >"$scratch/group"
	size=$(wc -c <"$scratch/group")
	head -c $((size - round * 37 % size)) "$scratch/group" >>"$archive/$host/current"
}

# promised VERB JOB: request a mark that the archive must have once at the end of the test. Status 3
# is good, too: the mark waits for a slow disk. If the killed agent has written it already, the next
# agent notices this.
promised() {
	nodometer "$1" --strict "$2" 2>/dev/null
	got=$?
	echo "%$1 $2" >>"$scratch/once"
	[ $got -eq 0 ] || [ $got -eq 3 ] || fail "$1 $2: exit status $got"
}

# grouped: make a cgroup of a job that no hook reports, and remove the cgroup of the previous such
# job
grouped() {
	mkdir "$scope/job_group.$LANE.$round"
	echo usage_usec 5 >"$scope/job_group.$LANE.$round/cpu.stat"
	echo "%begin group.$LANE.$round" >>"$scratch/once"
	[ $round -ne 1 ] || return 0
	rm -r "$scope/job_group.$LANE.$((round - 1))"
	echo "%end group.$LANE.$((round - 1))" >>"$scratch/once"
}

play_round() {	# SECONDS
	start_agent --root "$root"
	grouped
	[ $round -eq 1 ] || promised end "$LANE.$((round - 1))"
	promised begin "$LANE.$round"
	racing=
	if [ $((round % 4)) -eq 0 ]; then	# run a hook at the moment of the kill
		nodometer begin --strict "race.$LANE.$round" 2>/dev/null &
		racing=$!
	fi
	sleep "$1"
	stop_agent KILL
	if [ -n "$racing" ] && wait "$racing"; then
		echo "%begin race.$LANE.$round" >>"$scratch/at-least-once"
		expect 0 nodometer end "race.$LANE.$round"
	fi
	[ $((round % 10)) -ne 0 ] || tear
}

# judge: check that every acknowledged mark is in the archive, and no mark is there twice
judge() {
	start_agent --root "$root"
	wait_until 10 left_nothing
	stop_agent
	whole_archive
	marks | sort >"$scratch/marks"
	sort "$scratch/once" >"$scratch/sorted"
	grep -v race "$scratch/marks" | diff "$scratch/sorted" - ||
		fail "marks are lost or doubled (seed $seed)"
	uniq -d "$scratch/marks" >"$scratch/doubled"
	[ ! -s "$scratch/doubled" ] || fail "doubled (seed $seed): $(cat "$scratch/doubled")"
	sort "$scratch/at-least-once" >"$scratch/sorted"
	grep '^%begin race' "$scratch/marks" | comm -23 "$scratch/sorted" - >"$scratch/lost"
	[ ! -s "$scratch/lost" ] || fail "lost (seed $seed): $(cat "$scratch/lost")"
	[ ! -s "$scratch/torn" ] || fail "torn groups were read as whole: $(head "$scratch/torn")"
	[ "$(wc -l <"$scratch/reads")" -gt 3 ] || fail "the reader did not run"
	echo "lane $LANE: $(groups | wc -l) groups, $(wc -l <"$scratch/marks") marks," \
		"read $(wc -l <"$scratch/reads") times"
}

play_lane() {
	root=$scratch/root
	scope=$root/sys/fs/cgroup/system.slice/slurmstepd.scope
	mkdir -p "$root/proc" "$scope"
	printf 'cpu0 1 2 3 4\ncpu  1 2 3 4\n' >"$root/proc/stat"
	echo 5000.11 9999.22 >"$root/proc/uptime"
	job_cgroups=yes
	write_config 'interval = 20ms'
	: >"$scratch/at-least-once"
	reader &
	pids=$!
	round=0
	while read -r seconds; do
		round=$((round + 1))
		play_round "$seconds" </dev/null
	done <<-END
		$(awk -v seed="$seed$LANE" -v n="$((rounds / 2))" 'BEGIN {
			srand(seed)
			while (n-- > 0)
				printf "%.3f\n", rand() * 0.04
		}')
	END
	judge
}

if [ -n "${LANE:-}" ]; then
	play_lane
	exit 0
fi
echo "$rounds rounds, seed $seed"
export KILL_SEED="$seed"
LANE=1 "$0" &
lanes=$!
LANE=2 "$0" || fail "lane 2"
wait "$lanes" || fail "lane 1"
lanes=
