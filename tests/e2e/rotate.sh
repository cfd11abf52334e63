#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# rotate.sh - a new file starts on request, on a new day, and after a change of schema or boot
. "$(dirname "$0")/lib.sh"

root=$scratch/root
mkdir -p "$root/proc/sys/kernel/random"
cp "$srcdir"/tests/collectors/cpu/many-cpus/root/proc/stat "$root/proc/stat"
echo 11111111-1111-4111-8111-111111111111 >"$root/proc/sys/kernel/random/boot_id"
printf 'pgpgin 1\npgpgout 2\n' >"$root/proc/vmstat"
echo 4753669.01 9507338.00 >"$root/proc/uptime"

# files_are NUMBER WHY: the archive must have NUMBER files
files_are() {
	is "files after $2" "$(raw_files | wc -l)" "$1"
	current_is_newest
}
alone() {
	expect 0 nodometer collect --root "$root"
}
soon_more_than() {	# succeed only if "current" is linked to the newest, too
	[ "$(raw_files | wc -l)" -gt "$1" ] && is_newest
}

# nodometer rotate starts a new file with and without an agent; a file is named after the time of
# its first record group.
alone
alone
files_are 1 "two samples"
expect 0 nodometer rotate --root "$root" 2>/dev/null
files_are 2 "rotate without an agent"
write_config 'interval = 100ms'
start_agent --root "$root"
files_are 2 "the start of an agent"
expect 0 nodometer rotate
files_are 3 "rotate by the agent"
expect 0 nodometer begin 601
expect 0 nodometer rotate
files_are 4 "rotate in the same second"
is "jobs of the new file" "$(last_jobs)" 601
expect 0 nodometer end 601

# The schema changes while the agent runs: the agent sees at once that a key disappeared, while
# others appeared. It sees new keys alone within a minute, which test_sampler tests.
printf 'pgpgin 1\npswpin 3\npswpout 4\n' >"$root/proc/vmstat"
wait_until 5 soon_more_than 4
files_are 5 "other keys"
tail -n 30 "$archive/$host/current" | grep -q '^vm - 1 3 4$' || fail "no row with the new keys"
stop_agent

# A new file also starts if a type appears between two runs without an agent.
cat >"$root/proc/loadavg" <<-END
	0.10 0.20 0.30 1/100 4242
END
printf 'MemTotal: 1000 kB\nMemFree: 500 kB\n' >"$root/proc/meminfo"
alone
files_are 6 "a type appeared"
alone
expect 0 nodometer collect --root "$root" cpu
files_are 6 "samples of the same types, or of some"

# After another boot, a new file starts.
echo 22222222-2222-4222-8222-222222222222 >"$root/proc/sys/kernel/random/boot_id"
alone
files_are 7 "a reboot"
start_agent --root "$root"
files_are 7 "the start of an agent on the same boot"
stop_agent

# On a new day, the next sample closes yesterday's file, whichever process takes the sample.
whole_archive
age_current() {	# age_current: make all record groups of the current file, and its name, a day older
	newest=$(raw_files | tail -n 1)
	sed -E 's/^([0-9]{10})((\.[0-9]+)? -)$/echo $((\1 - 86400))"\2"/e' "$newest" \
		>"$scratch/aged"
	rm "$newest" "$archive/$host/current"
	newest=$archive/$host/$((${newest##*/} - 86400))
	cp "$scratch/aged" "$newest"
	ln "$newest" "$archive/$host/current"
}
rm "$archive/$host"/[0-9]* "$archive/$host/current"
alone
age_current
alone
files_are 2 "midnight"
alone
files_are 2 "another sample of the day"
rm "$archive/$host"/[0-9]* "$archive/$host/current"
alone
age_current
start_agent --root "$root"
files_are 2 "midnight, with an agent"
stop_agent
whole_archive

# evening SECONDS: start an agent in a time zone in which midnight is SECONDS away. Fail if midnight
# came before the agent ran; then the caller retries with more SECONDS.
evening() {
	midnight=$(($(date +%s) + $1))
	left=$((86400 - midnight % 86400))
	TZ=$(printf 'DAY-%02d:%02d:%02d' $((left / 3600)) $((left % 3600 / 60)) $((left % 60)))
	export TZ
	rm -f "$archive/$host"/[0-9]* "$archive/$host/current"
	start_agent --root "$root"
	n=$(raw_files | wc -l)
	[ "$(date +%s)" -lt $midnight ] || { stop_agent; return 1; }
	is "files in the evening" "$n" 1
}
evening 2 || evening 8 || evening 40 || fail "an agent takes 40 s to start"
after_midnight() { [ "$(date +%s)" -gt $midnight ]; }
wait_until 10 after_midnight
wait_until 10 has_taken $(($(taken) + 4))
expect 0 nodometer collect	# this sample writes the record groups that wait in memory
goes_on_after() {	# the new day's file must have the records of several samples
	soon_more_than 1 && [ "$(grep -c '^[0-9]' "$archive/$host/current")" -gt 3 ]
}
wait_until 10 goes_on_after
files_are 2 "local midnight"
stop_agent
TZ=UTC
whole_archive

# If "current" is a file of another program, it is neither repaired nor lost, however it ends.
for links in 2 1; do
	rm -f "$archive/$host"/[0-9]* "$archive/$host/current"
	foreign=$archive/$host/1307509201
	printf '%s\n' '$tacc_stats 2.3.5' '$hostname i101' '!cpu user,E,U=cs' '' '1307509201 7' \
		'cpu 0 1' '' '1307509801 7' >"$foreign"
	printf 'cpu 0' >>"$foreign"
	cp "$foreign" "$scratch/foreign"
	if [ $links = 2 ]; then
		ln "$foreign" "$archive/$host/current"
	else
		mv "$foreign" "$archive/$host/current"
	fi
	alone
	files_are 2 "a foreign current with $links links"
	cmp "$scratch/foreign" "$(raw_files | head -n 1)" || fail "the foreign file was changed"
	whole "$archive/$host/current"
done

# A file without a record group is treated in the same way.
rm -f "$archive/$host"/[0-9]* "$archive/$host/current"
: >"$archive/$host/current"
alone
wait_until 1 test -s "$archive/$host/current"
whole "$archive/$host/current"
current_is_newest
