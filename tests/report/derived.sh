#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# derived.sh - derived figures of a report equal those of a script that decodes events by a table of
# its own
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
src=$(cd "${srcdir:-.}/tests/report" && pwd) || exit 99
report=$(pwd)/nodometer-report
raw=${NODOMETER_SHARED:-$src/../../../shared}/data/raw
export PYTHONDONTWRITEBYTECODE=1
failed=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for case in derived-skx derived-amd perf-hw names-3 derived-net derived-gpm energy-node; do
	python3 "$src/derived.py" "$report" "$src/$case/archive" 7 || failed=1
done
for case in derived-skx derived-amd names-3 derived-net; do
	python3 "$src/bounds.py" "$report" "$src/$case/archive" 7 || failed=1
done
python3 "$src/energy.py" "$report" "$src/energy-node/archive" 7 || failed=1
python3 "$src/energy.py" "$report" "$src/energy-sources/archive" 7 8 || failed=1
python3 "$src/shares.py" "$report" "$work" || failed=1
python3 "$src/costs.py" "$report" "$work/0" a b c d e || failed=1
python3 "$src/costs.py" "$report" "$work/no_cpus" a b c d e || failed=1
python3 "$src/costs.py" "$report" "$src/energy-sources/archive" 7 8 || failed=1
if [ -d "$raw" ]; then
	python3 "$src/derived.py" "$report" "$raw/stampede-2013-1.0.5" 1835740 1836476 || failed=1
	python3 "$src/derived.py" "$report" "$raw/compute-0-1-2014-2.0.0" 20 || failed=1
	python3 "$src/derived.py" "$report" "$raw/stampede3-2026-2.3.5" 2946877 || failed=1
else
	echo "no $raw: public archives are not compared"
fi
lib=$src/../../lib
names=$(sed -n 's/^	{ "\([a-z0-9_-]*\)", [A-Z0-9].*/\1/p' "$lib/figures/derived.c" \
	"$lib/figures/findings/rules.c")
man=$src/../../man
has=$(sed -n 's/^\.It Cm //p' "$man/nodometer-figures.7" "$man/nodometer-findings.7" | tr '\n' '|')
for name in $names; do
	case "|$has" in
	*"|$name|"*) ;;
	*) echo "FAIL: $name is not in nodometer-figures(7) or nodometer-findings(7)"; failed=1 ;;
	esac
done
# nodometer plot accepts each derived figure by its name.
names=$(sed -n 's/^	{ "\([a-z0-9_]*\)", [A-Z0-9].*/\1/p' "$lib/figures/derived.c")
for name in $names; do
	[ ! -e "$src/../../schema/types/$name.c" ] ||
		{ echo "FAIL: $name is a type and a derived figure"; failed=1; }
done
exit $failed
