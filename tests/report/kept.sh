#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# kept.sh - run rows that an archive stores give the same values as reports, and are used only if
# the files of the run are unchanged
command -v python3 >/dev/null || { echo 'SKIP: python3 is not installed'; exit 77; }
. "$(dirname "$0")/jobs_lib.sh"
src=$(cd "${srcdir:-.}" && pwd) || exit 99
for from in "$src"/tests/report/*/archive; do	# make one archive of the hosts of all cases
	case=$(basename "${from%/archive}")
	mkdir -p "$work/cases"
	cp -r "$from" "$work/cases/$case"
done
chmod -R u+w "$work/cases"
python3 "$src/tests/report/kept.py" "$bin" "$work" "$work"/cases/* || failed=1

"$bin/nodometer-jobs" --dir "$work/cases/derived-skx" --figures memory_read |
	grep -qx '    memory_read 1\.788 GiB/s' || fail 'the unit of memory_read'

# Only "jobs --keep" of the whole archive, without --since, writes the index DIR/jobs.index.
indexed=$work/cases/found-idle-node
index=$indexed/jobs.index
"$bin/nodometer-jobs" --dir "$indexed" --keep --since 1970-01-02 || fail 'no --keep'
[ ! -e "$index" ] || fail 'an index of some time'
"$bin/nodometer-jobs" --dir "$indexed" --keep || fail 'no --keep'
sed -n 's/^file //p' "$index" | sort >"$work/got"
(cd "$indexed" && find . -path './*/*' -type f -printf '%P %s\n' | sort) >"$work/want"
[ -s "$work/want" ] || fail 'no files'
cmp -s "$work/want" "$work/got" ||
	fail "the index: $(diff "$work/want" "$work/got")"
grep -q '^job ' "$index" || fail 'no job in the index'
! "$bin/nodometer-jobs" --dir "$indexed" | grep file || fail 'the index is a file of records'

# When a new row is stored, rows of runs whose files were removed are dropped, but only if these
# runs are in the selected time.
dir=$work/gone
# one_job HOST TIME: write a file of a host with one job
one_job()
{
	file "$1" "$2" <<-END
	$2 7$1 %begin 7$1
	$(($2 + 600)) 7$1 %end 7$1
	END
}
# keeps ROWS ARGUMENTS...: run jobs --keep ARGUMENTS; the file .runs must then have ROWS rows, which
# have the same size
keeps()
{
	want=$1
	shift
	"$bin/nodometer-jobs" --dir "$dir" --keep "$@" || fail "no --keep $*"
	size=$(stat -c %s "$dir/.runs")
	one=${one:-$(((size - 16) / want))}
	[ "$size" = $((16 + want * one)) ] || fail "--keep $*: $size bytes, not $want rows of $one"
}
one_job n1 1700000000
one_job n2 1700000000
keeps 2
rm -r "$dir/n1"
one_job n3 1800000000
keeps 3 --since 2027-01-01
one_job n4 1700000000
keeps 3

# A user who may not write to the archive gets the same list of jobs, but stores no rows.
[ "$(id -u)" = 0 ] && command -v setpriv >/dev/null || exit $failed
archive=$work/cases/found-idle-node
chmod 755 "$work" "$work/cases"
chmod -R go+rX "$archive"
rm -f "$archive/.runs"
as_other() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
as_other test -x "$bin/nodometer-jobs" || exit $failed
"$bin/nodometer-jobs" --dir "$archive" --used --json >"$work/want" 2>"$work/said"
[ -s "$archive/.runs" ] || fail 'root keeps no rows'
rm -f "$archive/.runs"
as_other "$bin/nodometer-jobs" --dir "$archive" --used --json >"$work/got" 2>"$work/said"
cmp -s "$work/want" "$work/got" || fail "another user: $(cat "$work/said")"
[ ! -s "$work/said" ] || fail "another user: $(cat "$work/said")"
[ ! -e "$archive/.runs" ] || fail 'another user keeps rows'
as_other "$bin/nodometer-jobs" --dir "$archive" --keep 2>"$work/said" && fail '--keep, another user'
grep -q '/.runs: not written, .*: Permission denied; root may write there' "$work/said" ||
	fail "--keep, another user: $(cat "$work/said")"
chmod 750 "$archive"
as_other "$bin/nodometer-nodes" --dir "$archive" --slow 2>"$work/said" && fail 'nodes, another user'
grep -q '/.runs: Permission denied; group .* may read it' "$work/said" ||
	fail "nodes, another user: $(cat "$work/said")"
as_other "$bin/nodometer-report" --dir "$archive" --host 2>"$work/said" &&
	fail 'a host, another user'
grep -q '"nodometer jobs" lists your own jobs' "$work/said" ||
	fail "a host, another user: $(cat "$work/said")"
chmod 755 "$archive"
# Rows that root stores belong to the owner of the archive's folder, and this owner's rows are used.
# Rows that another user may have written are not used: the test forges a row with a changed last
# digit and a valid checksum.
chown -R 65533 "$archive"
"$bin/nodometer-jobs" --dir "$archive" --used --json >"$work/got" 2>/dev/null
[ "$(stat -c %u "$archive/.runs")" = 65533 ] || fail "rows of $(stat -c %u "$archive/.runs")"
python3 "$src/tests/report/kept.py" --forge "$archive/.runs"
read_it() { "$bin/nodometer-jobs" --dir "$archive" --used --json >"$work/got" 2>/dev/null; }
read_it
cmp -s "$work/want" "$work/got" && fail 'the forged row of the owner is not read: a poor test'
for how in 'chown 65532' 'chmod 664'; do
	python3 "$src/tests/report/kept.py" --forge "$archive/.runs"
	chown 65533 "$archive/.runs"
	$how "$archive/.runs"
	as_other "$bin/nodometer-jobs" --dir "$archive" --used --json >"$work/got" 2>/dev/null
	cmp -s "$work/want" "$work/got" || fail "a forged row is taken after $how"
	chmod 644 "$archive/.runs"
done
exit $failed
