#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# text.sh - limit fragments, pronouns and inverted sentences in comments and manuals
. "$(dirname "$0")/gate.sh"
need python3

# Limits for the text of these folders: at most 3 % of the comments begin as a fragment, at most 0.6
# pronouns without a noun per 100 words, and no inverted sentence.
folders='agent collectors commands delivery filetrace lib openvms report schema tcp xrootd man'

# shellcheck disable=SC2086 # a list of words
table=$(python3 tests/gates/text.py $folders) || finish $? "$table"
out=$(printf '%s\n' "$table" | awk '
$4 > 3 { print $1 ": " $4 " % of the comments begin as a fragment" }
$7 > 0.6 { print $1 ": " $7 " pronouns without a noun in 100 words" }
$12 > 0 { print $1 ": " $12 " % of the sentences are inverted" }')
[ -z "$out" ] || out="$out
python3 tests/gates/text.py --list FOLDER shows each"
finish 0 "$out"
