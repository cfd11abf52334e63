# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# tidy_lib.sh - what tests of nodometer-tidy share: a host's folder with closed files
. "$(dirname "$0")/lib.sh"
folder=$archive/$host
said=$scratch/said
grep -q '^#define HAVE_ZSTD' config.h || skip 'built without libzstd'
command -v zstd >/dev/null || skip 'zstd is not installed'

tidy() { "$bin/nodometer-tidy" "$@" "$folder" 2>"$said"; }
# names: print the sorted names in the folder, without locks
names() {
	find "$folder" -mindepth 1 ! -name lock ! -name tidy -printf '%f\n' | sort | tr '\n' ' '
}
# make_closed_file EPOCH DAYS [GROUPS]: make a closed file EPOCH with GROUPS record groups (1), last
# written DAYS ago
make_closed_file() {
	head=$(awk '/^$/ { exit } { print }' "$folder/current")
	{
		printf '%s\n' "$head"
		for i in $(seq "${3:-1}"); do
			printf '\n%s -\nvm - %s %s\n' "$(($1 + i))" "$i" "$i"
			echo nodometer - 1 2 2 4 5
		done
	} >"$folder/$1"
	touch -d "$2 days ago" "$folder/$1"
}
# fresh: begin with a new archive, whose first file is $first
fresh() {
	rm -rf "$archive"
	mkdir -p "$scratch"
	write_config
	expect 0 nodometer collect vm
	first=$(basename "$(find "$folder" -samefile "$folder/current" -name '[0-9]*')")
}
# unpacked NAME FILE WHAT: fail with WHAT unless the compressed file NAME has the bytes of
# $scratch/FILE
unpacked() {
	zstd -qdc "$folder/$1.zst" | cmp - "$scratch/$2" || fail "$3"
}
