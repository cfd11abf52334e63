#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# confine.sh - receivers and the sender are confined: check what the kernel reports, and where they
# can write
. "$(dirname "$0")/confine_lib.sh"

# A receiver with an output file has no capability. A receiver that root starts becomes the owner of
# the folder, or user nobody.
for receiver in 'nodometer-xrootd --events' 'nodometer-mpxstats -f flat -s'; do
	has xrootd mpxstats || break
	mkdir "$scratch/out"
	for_receivers "$scratch/out"
	# shellcheck disable=SC2086 # words
	starts $receiver -p $port -o "$scratch/out/file"
	wait_until 10 filtered "$pid"
	wait_until 10 has_left "$pid" $none
	[ "$(id -u)" != 0 ] || is 'its user' "$(of "$pid" Uid | tr '\t' ' ')" \
		'65534 65534 65534 65534'
	for child in $(children "$pid"); do	# a child process looks up names
		wait_until 10 filtered "$child"
		wait_until 10 has_left "$child" $none
	done
	# Replace the output folder by a link to another folder, to which the program has no access.
	mv "$scratch/out" "$scratch/moved"
	mkdir "$scratch/foreign"
	for_receivers "$scratch/foreign"
	ln -s foreign "$scratch/out"
	kill -HUP "$pid"
	if [ "$has_landlock" = 1 ]; then
		wait_until 10 log_says "$scratch/out/file: Permission denied"
		[ ! -e "$scratch/foreign/file" ] || fail "$receiver writes where it pleases"
	else
		wait_until 10 test -e "$scratch/foreign/file"
	fi
	end_program 10 "$pid" "$receiver"
	rm -r "$scratch/out" "$scratch/foreign" "$scratch/moved"
	: >"$log"
done

# If root starts the sender, it becomes the owner of the archive, without any capability.
if has send; then
	case $runtime in
	"$scratch"/*) runtime=$(open_folder) || exit 99 ;;
	esac
	archive=$runtime/archive
	mkdir "$archive"
	write_config '[send]' "state-dir = $runtime/state" '[sink xrootd]' \
		"destination = 127.0.0.1:$port"
	expect 0 nodometer collect --stdout >/dev/null
	expect 0 nodometer collect
	[ "$(id -u)" != 0 ] || chown -R 12345:54321 "$archive"
	starts nodometer-send --config "$conf"
	wait_until 10 filtered "$pid"
	is 'capabilities of the sender' "$(of "$pid" CapEff)$(of "$pid" CapPrm)" $none$none
	[ "$(id -u)" != 0 ] || is 'its user' "$(of "$pid" Uid | tr '\t' ' ')" \
		'12345 12345 12345 12345'
	# A reload refuses a sink that writes to a path outside the sender's confinement, but
	# accepts a sink that needs no further path.
	if [ "$has_landlock" = 1 ]; then
		mkdir "$runtime/text"
		write_config '[send]' "state-dir = $runtime/state" '[sink metrics]' \
			"textfile-dir = $runtime/text"
		kill -HUP "$pid"
		wait_until 5 log_says "$runtime/text: the sender is confined to the paths"
		write_config '[send]' "state-dir = $runtime/state" \
			'[sink xrootd]' "destination = 127.0.0.1:$port" \
			'[sink xrootd b]' "destination = 127.0.0.1:$port"
		kill -HUP "$pid"
		wait_until 5 log_says 'configuration reloaded: 2 sinks'
	fi
	end_program 10 "$pid" 'the sender'
fi
