#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# packaging_units.sh - units are sandboxed, logrotate rotates their files, and the Spack recipe has
# configure's options
#
# Runs in a build folder.
full=$(mktemp) || exit 99
trap 'rm -f "$full"' EXIT
status=0

# exposed UNIT: succeed if systemd 250 or later rates the exposure of UNIT above 2.0 (10.0 is the
# worst)
exposed()
{
	! systemd-analyze security --offline=true --threshold=20 --no-pager "$1" >"$full"
}
if systemd-analyze security --help 2>/dev/null | grep -q offline; then
	for unit in packaging/*.service; do
		! exposed "$unit" || { grep -v '✓' "$full"; status=1; }
	done
	sed 's/^\(Protect\|Restrict\|SystemCallF\)/;&/' packaging/nodometerd.service \
		>"$full.service"
	exposed "$full.service" || { echo "a unit without a sandbox passes"; status=1; }
	rm -f "$full.service"
fi

# logrotate accepts its configuration, rotates the file of lines, and notifies the unit that writes
# the file.
if [ -x nodometer-xrootd ]; then
	unit=packaging/nodometer-xrootd-lines.service
	lines=$(sed -n 's/^ExecStart=.*--transfers \([^ ]*\) .*/\1/p' "$unit")
	rotated=packaging/logrotate.d/nodometer-xrootd
	grep -q "^$lines {\$" "$rotated" || { echo "not rotated: $lines"; status=1; }
	grep -q "systemctl kill.*HUP.* ${unit#packaging/} " "$rotated" ||
		{ echo 'nobody is notified'; status=1; }
	if PATH=$PATH:/usr/sbin command -v logrotate >/dev/null; then
		sed '/^\tsu /d' "$rotated" >"$full"
		chmod 644 "$full"
		PATH=$PATH:/usr/sbin logrotate --debug --state /dev/null "$full" \
			>"$full.said" 2>&1 || { cat "$full.said"; status=1; }
		! grep -i '^error' "$full.said" || status=1
		rm -f "$full.said"
	fi
fi

# The Spack recipe, which is in no package, is valid Python, and its variants are options of
# configure.
recipe=${srcdir:-.}/packaging/spack/package.py
! command -v python3 >/dev/null ||
	python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$recipe" || status=1
"${srcdir:-.}/configure" --help >"$full"
variants=$(sed -n 's/^ *variant("\([a-z]*\)".*/\1/p' "$recipe")
for variant in ${variants:-none}; do
	grep -q -e "--with[out]*-$variant " "$full" ||
		{ echo "$recipe: no option of configure: $variant"; status=1; }
done
exit $status
