#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libraries.sh - if a library is missing, configure --enable-all-libraries fails and names it
#
# Runs in a build folder.
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
src=$(sed -n 's/^abs_top_srcdir = //p' Makefile)
cat >"$here/pkg-config" <<'END'
#!/bin/sh
case "$*" in *"$LACKS"*) exit 1 ;; esac
exec pkg-config "$@"
END
chmod +x "$here/pkg-config"
cd "$here" || exit 1

# Use results that configure has found in the build folder, to save time.
sed -n 's/^\(ac\|am\)_cv_/&/p' "$OLDPWD/config.log" | grep -v '^ac_cv_env_' >kept
status=0
# libpfm4 is no argument of NODOMETER_WITH, because it has no file for pkg-config.
# shellcheck disable=SC2046 # a list of words
set -- $(sed -n 's/^NODOMETER_WITH(\[[a-z]*\], \[\([a-z0-9]*\).*/\1/p' "$src/configure.ac") libpfm4
[ $# -ge 17 ] || { echo "FAIL: only $# libraries in configure.ac: $*"; status=1; }
for library; do
	export LACKS="$library" PKG_CONFIG="$here/pkg-config"
	[ "$library" != libpfm4 ] || sed -i 's|^\(ac_cv_lib_pfm_pfm_initialize=\).*|\1no|' kept
	"$src/configure" --enable-all-libraries --cache-file=kept >out 2>&1 &&
		{ echo "FAIL: no $library, and configure succeeds"; status=1; }
	grep -q "error: .*$library" out ||
		{ tail -n 3 out; echo "FAIL: configure does not name $library"; status=1; }
done
exit $status
