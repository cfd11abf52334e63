# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# send_lib.sh - what tests of the sink xrootd share: an archive that grows, a receiver, and checks
# for arrived records
. "$(dirname "$0")/lib.sh"
has mpxstats || skip 'built without xrootd'
port=$(free_port)
taken=$scratch/taken
current=$archive/$host/current

state=$scratch/state
cursor=$state/$host/xrootd

# sends [LINE...]: write the configuration with these lines in its section [sink xrootd]
sends() {
	write_config '[send]' "state-dir = $state" '[sink xrootd]' \
		"destination = 127.0.0.1:$port nowhere.invalid:1" "$@"
}

# file TIME: make a new file with one record group, and link "current" as the agent does
file() {
	mkdir -p "$archive/$host"
	printf '%s\n' "\$hpcperfstats 2.3.5" "\$hostname $host" '!vm a,E' '!block b,E' \
		'!nodometer cpu,E bytes,E rows more' >"$archive/$host/new"
	group "$1" "$archive/$host/new"
	mv "$archive/$host/new" "$archive/$host/${1%.*}"
	ln "$archive/$host/${1%.*}" "$archive/$host/current.new"
	mv "$archive/$host/current.new" "$current"
}

# group TIME [FILE]: append a record group to FILE, by default to "current"
group() {
	printf '\n%s 7,/8\nvm - %s\nblock /dev/x=y %s\n' "$1" "${1%.*}" "${1%.*}" >>"${2:-$current}"
	printf 'nodometer - 1 2 3 4\n' >>"${2:-$current}"
}

# saved TIME: wait until the cursor has passed the record group with this time
saved() { wait_until 10 grep -q "^time_us ${1}000000\$" "$cursor"; }

end_sender() { end_program 5 "$sender" "the sender"; }

arrived() { sed -n 's/^tod //p' "$taken" | tr '\n' ' '; }
has_times() { [ "$(arrived)" = "$1 " ]; }
# sent TIME...: wait until the records with these times, and no others, have arrived
sent() {
	wait_until 20 has_times "$*" || fail "sent $(arrived), not $*"
}

# receive: start a receiver that writes arriving records to $taken
receive() {
	"$bin/nodometer-mpxstats" -f flat -p "$port" -o "$taken" 2>>"$log" 3>&- &
	receiver=$!
	pids="$pids $receiver"
	wait_until 5 test -e "$taken"
}
