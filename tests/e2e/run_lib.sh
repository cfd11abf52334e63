# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# run_lib.sh - what tests of nodometer run share: run it as an ordinary user, and check what is in
# its folder afterwards
. "$(dirname "$0")/lib.sh"
for program in perl pgrep setpriv; do
	command -v $program >/dev/null || skip "no $program"
done

srcdir=$(cd "$srcdir" && pwd)
mkdir "$scratch/home" && for_receivers "$scratch/home" && cd "$scratch/home" || exit 99
as=
[ "$(id -u)" != 0 ] || as='setpriv --reuid 65534 --regid 65534 --clear-groups'
unset NODOMETER_RUN SLURM_PROCID SLURM_STEP_ID OMPI_COMM_WORLD_RANK PMI_RANK FLUX_TASK_RANK

# run WORDS...: call nodometer run as a user does
run() {
	# shellcheck disable=SC2086 # a list of words
	$as "$bin/nodometer" run "$@"
}
# json DIR PATTERN: print lines of report --json from PATTERN on, for the only run in DIR
json() {
	mark=$(cat "$1"/*/[0-9]* | grep -ah '^%begin' | head -n 1)
	mark=${mark#%begin }
	"$bin/nodometer-report" "${mark%% *}" --dir "$1" --json | sed 's/[{,]/\n/g' |
		grep -A 9 -e "$2"
}
# value DIR FIGURE: print the total of FIGURE in the report of the run in DIR
value() { json "$1" "\"figure\":\"$2\"" | sed -n 's/.*"total":\([0-9.]*\).*/\1/p' | head -n 1; }
begins() { cat "$1"/*/[0-9]* | grep -ac '^%begin'; }
ends() { cat "$1"/*/[0-9]* | grep -ac '^%end'; }
# clean DIR: fail unless DIR has one begin mark, one end mark and whole records, and no hidden files
clean() {
	is "$1: begins, ends" "$(begins "$1") $(ends "$1")" '1 1'
	whole "$1"/*/[0-9]*
	[ -z "$(find "$1" -mindepth 1 -maxdepth 1 -name '.*')" ] || fail "$1: something is left"
}
# processes PATTERN: print the pids of processes whose command line matches PATTERN
processes() { pgrep -f -- "$1"; }
none() { [ -z "$(processes "$1")" ]; }
some() { [ -n "$(processes "$1")" ]; }
# at_sampler FRONT: print the pid of the sampler that process FRONT of nodometer run has started
at_sampler() {
	# shellcheck disable=SC2013 # a list of numbers
	for p in $(cat "/proc/$1/task/$1/children"); do
		[ "$(tr '\0' ' ' <"/proc/$p/stat" | cut -d ' ' -f 6)" = "$p" ] && echo "$p"
	done
}
front_of() { sed -n 's/^PPid:[[:blank:]]*//p' "/proc/$1/status"; }
