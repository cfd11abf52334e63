# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# run_lib.sh - what tests of hooks share: hooks that run a fake nodometer
set -u
: "${srcdir:=$(dirname "$0")/../..}"
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
fake=$here/bin/nodometer
failed=0
mkdir "$here/bin"

fail()
{
	echo "FAIL: $*"
	failed=$((failed + 1))
}

# fake_is TEXT: let the fake nodometer be a shell script with TEXT from now on
fake_is()
{
	printf '#!/bin/sh\n%s\n' "$1" >"$fake"
	[ -x "$fake" ] || chmod +x "$fake"
}

# install_hooks HOOK...: copy these hooks, changed to run the fake nodometer
install_hooks()
{
	for hook; do
		mkdir -p "$here/${hook%/*}"
		sed "s|/usr/bin/nodometer|$fake|" "$srcdir/hooks/$hook" >"$here/$hook"
	done
}
