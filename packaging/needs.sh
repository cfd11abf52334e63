# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# needs.sh - find the packages that the build needs on this system; quickstart sources this file
#
# Sets $needs to the names of the packages, and defines install_missing, which installs packages.

# install_missing PACKAGE...: install each PACKAGE unless it or a command of its name exists
install_missing()
{
	missing=
	for p; do
		command -v "$p" >/dev/null || $query "$p" 2>/dev/null | grep -q "$installed" ||
			missing="$missing $p"
	done
	[ -n "$missing" ] || return 0
	[ "$(id -u)" = 0 ] || die "run as root, or have an administrator run: $install$missing"
	echo "installing$missing"
	# The package manager may know a package only after its list of packages is refreshed.
	# shellcheck disable=SC2086 # lists of words
	$install $missing 2>/dev/null || { $refresh && $install $missing; } ||
		die "could not install$missing"
}

if command -v apt-get >/dev/null; then
	export DEBIAN_FRONTEND=noninteractive refresh='apt-get update -qq'
	query="dpkg-query -W -f \${db:Status-Status}" installed='^installed$'
	install='apt-get install -oDPkg::Lock::Timeout=600 -qq -y --no-install-recommends'
	needs="pkg-config libc6-dev libsystemd-dev libinih-dev libzstd-dev zlib1g-dev libhwloc-dev
		libexpat1-dev libpcap-dev libmnl-dev libfuse3-dev libncurses-dev libmicrohttpd-dev
		libcurl4-openssl-dev libtraceevent-dev librabbitmq-dev librdkafka-dev libsnappy-dev"
# Some packages are in repositories that are disabled by default: CRB (on EL 8: PowerTools
# and EPEL).
elif command -v dnf >/dev/null; then
	query='rpm -q' installed='^[^ ]*$' refresh='dnf makecache -q' el=$(rpm -E '%{?rhel}')
	install='dnf install -q -y --setopt=crb.enabled=1 --setopt=powertools.enabled=1'
	[ "$el" != 8 ] || install_missing epel-release
	needs="pkgconf-pkg-config systemd-devel inih-devel libzstd-devel zlib-devel hwloc-devel
		expat-devel libpcap-devel libmnl-devel fuse3-devel ncurses-devel libcurl-devel
		snappy-devel librabbitmq-devel librdkafka-devel libmicrohttpd-devel
		$([ "$el" = 8 ] || echo libtraceevent-devel)"
else
	die 'this system has neither apt-get nor dnf; README.md lists what the build needs'
fi
command -v cc >/dev/null || command -v clang >/dev/null || needs="gcc $needs"
