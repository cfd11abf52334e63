# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# soak_lib.sh - measure the memory, files and processes of the agent, the sender and the receiver
slack_kb=256	# memory in KB that malloc(3) may keep at one moment and not at another

# offspring PID: print the process's children, including zombies
offspring() { cat "/proc/$1/task/$1/children"; }
# staying: print the pids of the long-lived processes; others, such as nodometer-tidy, end soon
staying() {
	for parent in "$agent" "$sender" "$receiver"; do
		echo "$parent"
		# shellcheck disable=SC2046 # numbers
		set -- $(offspring "$parent")
		for p; do
			case $(cat "/proc/$p/comm" 2>/dev/null) in
			writer | archive) echo "$p" ;;
			esac
		done
	done
}
# held PID: print the private memory of the process in KB and the number of its open files
held() {
	awk '$1 == "RssAnon:" { print $2 }' "/proc/$1/status"
	find "/proc/$1/fd" -type l | wc -l
}
# all_held: print memory and files of each long-lived process, and the number of all child
# processes, zombies included
all_held() {
	{
		for p in $(staying); do held "$p"; done
		for p in "$agent" "$sender" "$receiver"; do offspring "$p"; done | wc -w
	} | tr '\n' ' '
}
# look: raise the numbers in $half to the current use, if it is larger. One look is not enough,
# since a process has more files open during a sample or an answer.
look() {
	wait_until 20 is_sent
	seen=$(all_held)
	[ "$(echo "$seen" | wc -w)" -ne 11 ] || half=$(echo "$half $seen" | awk '{
		for (i = 1; i <= 11; i++)
			printf "%d ", ($i > $(i + 11) ? $i : $(i + 11)) }')
}
is_no_more() {	# is_no_more: the use is not larger than $half
	end=$(all_held)
	echo "$half $end" | awk -v slack=$slack_kb '{
		for (i = 1; i <= 11; i++)
			if ($(i + 11) - $i > (i % 2 && i < 11 ? slack : 0))
				exit 1
		exit NF != 22 }'
}
# no_more WHEN: within a minute, the use must fall to $half or less
no_more() {
	tries=0
	until is_no_more; do
		tries=$((tries + 1))
		[ $tries -lt 60 ] || fail "$1: more is held at the end: $end, at half: $half"
		sleep 1
	done
	echo "$1: KB and files of each process, and processes: $half at half, $end at the end"
	half='0 0 0 0 0 0 0 0 0 0 0'
}
