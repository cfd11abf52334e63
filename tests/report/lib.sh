# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# shellcheck disable=SC2034 # of those who source it
bin=$(pwd)
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
export TZ=UTC LC_ALL=C PYTHONDONTWRITEBYTECODE=1
unset JOURNAL_STREAM
failed=0

fail()
{
	echo "FAIL: $*"
	failed=1
}
