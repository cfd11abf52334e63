# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# which.sh - which tests a build folder has, and which part of those that take turns runs today

# list VARIABLE: words of the Makefile in this folder
# shellcheck disable=SC2016 # make expands it
list() { printf 'include Makefile\nlist:\n\t@echo $(%s)\n' "$1" | MAKEFLAGS='' make -s -f - list; }

# turn N: from 0 to N - 1, another number each day
turn() { echo $(($(date +%s) / 86400 % $1)); }
