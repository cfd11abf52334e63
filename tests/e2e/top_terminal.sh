#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# top_terminal.sh - nodometer top on a terminal reacts to keys and shows its pages
. "$(dirname "$0")/top_lib.sh"
command -v tmux >/dev/null || skip 'no tmux'
grep -q '^#define HAVE_NCURSES ' config.h || skip 'built without ncurses'
screen="tmux -L nodometer-top-$$"
trap 'ended=$?; $screen kill-server 2>/dev/null; (exit $ended); cleanup' EXIT

start_agent --root "$root"
expect 0 nodometer begin --strict 42

# shellcheck disable=SC2317 # wait_until calls it
shown() {
	$screen capture-pane -e -p >"$scratch/shown" 2>/dev/null && grep -q -- "$1" "$scratch/shown"
}
# shellcheck disable=SC2317 # likewise
not_shown() {
	! shown "$1"
}
export TERM=xterm-256color NO_COLOR=1
$screen -f /dev/null new-session -d -x 80 -y 24 \
	"$bin/nodometer --config $conf top --root $root --delay 0.5
	echo ended with \$?; sleep 300" ||
	fail 'no tmux session'
wait_until 20 shown '^41  *0.0 .* 2.00'
! grep -q "$(printf '\033')\[[34][0-7]" "$scratch/shown" || fail 'there are colours'
$screen send-keys h
wait_until 20 shown '^q, Escape'
$screen send-keys h
wait_until 20 shown '^41 '
$screen send-keys / no-such Enter
wait_until 20 shown '/no-such'
wait_until 20 not_shown '^41 '
$screen send-keys / Enter	# an empty filter shows all
wait_until 20 shown '^41 '
$screen send-keys / 4 Enter s
wait_until 20 shown '/4'
wait_until 20 shown '^41 '
$screen resize-window -x 60 -y 8
wait_until 20 shown '^.*q quit  h help'
[ "$(wc -l <"$scratch/shown")" -le 8 ] || fail 'more lines than the screen has'
$screen send-keys q
wait_until 20 shown '^ended with 0'
stop_agent
