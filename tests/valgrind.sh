#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# valgrind.sh - valgrind finds no invalid access and no leak while nodometer takes a sample of this
# machine
#
# Runs in a build folder without sanitizers.
command -v valgrind >/dev/null || { echo "SKIP: valgrind is not installed"; exit 77; }
[ -x ./nodometer-commands ] || { echo "there is no ./nodometer-commands in $PWD"; exit 1; }

groups=$(mktemp) || exit 1
trap 'rm -f "$groups"' EXIT
valgrind --quiet --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,indirect \
	--errors-for-leak-kinds=definite,indirect --track-fds=no \
	./nodometer-commands collect --stdout >"$groups" || exit 1
grep -q '^!cpu ' "$groups" || { echo "the sample has no schema of cpu"; exit 1; }
