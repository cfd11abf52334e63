#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install_gridengine.sh - install-hooks sets and resets the prolog and epilog of Grid Engine by
# qconf
. "$(dirname "$0")/install_lib.sh"

# Like the real qconf, this one breaks long lines by backslashes when it prints them, and reads only
# unbroken lines.
mkdir "$here/bin"
cat >"$here/bin/qconf" <<'END'
#!/bin/sh
case $1 in
-sconf) sed 's/ \(\/usr\/libexec\|\$job_id\)/ \\\n                             \1/g' "$QCONF" ;;
-Mconf) cat "$2" >"$QCONF" ;;
esac
END
chmod +x "$here/bin/qconf"
QCONF=$conf PATH=$here/bin:$PATH
export QCONF

has 'Grid Engine' 'a  1\nprolog  none\nepilog  NONE\nb  2\n'
hooks 0 --apply gridengine
[ "$(cut -d' ' -f1 "$conf" | tr '\n' ' ')" = 'a prolog epilog b ' ] ||
	fail "$what: $(cat "$conf")"
grep -q '^prolog root@.*/prolog .job_id ' "$conf" || fail "$what: no prolog"
cp "$conf" "$here/before"
hooks 0 --apply gridengine; same; says 'nothing to do'
hooks 0 --remove gridengine
printf 'a  1\nprolog none\nepilog none\nb  2\n' >"$here/before"; same
hooks 0 --remove gridengine; same
has "Grid Engine with another's prolog" \
	'prolog  root@/usr/bin/env -i /usr/libexec/other\nepilog  none\n'
cp "$conf" "$here/before"
hooks 1 --apply gridengine; same; says '; into /usr/libexec/other, '
hooks 0 --remove gridengine; same
# If the site's prolog runs the hook, only the epilog is missing.
has "$what and the hook in it" 'prolog  root@%s x\nepilog  none\n' "$here/sge"
hooks 1 --apply gridengine
sed -n 's/^    if/if/p' "$here/out" >"$here/sge"
grep -q '/gridengine/prolog "[$]JOB_ID"' "$here/sge" || fail "$what: $(cat "$here/out")"
hooks 0 --apply gridengine
[ "$(sed -n 's/ root@.* -i / /p' "$conf" | cut -d' ' -f1,2)" = \
	'epilog /usr/libexec/nodometer/hooks/gridengine/epilog' ] || fail "$what: $(cat "$conf")"
[ $failed = 0 ]
