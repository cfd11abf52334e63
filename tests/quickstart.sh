#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# quickstart.sh - on EL 8, EL 9 and Fedora, quickstart installs the right packages from the right
# repositories
#
# The test replaces dnf, rpm and id: dnf records its arguments, and rpm prints $RHEL as the value of
# its macro rhel.
set -u
: "${srcdir:=.}"
quickstart=$(cd "$srcdir" && pwd)/quickstart
here=$(mktemp -d) || exit 99
trap 'rm -rf "$here"' EXIT
mkdir "$here/bin"
for tool in sh dirname grep; do
	ln -s "$(command -v $tool)" "$here/bin/$tool"
done
cat >"$here/bin/rpm" <<'END'
#!/bin/sh
case $1 in
-E) echo "$RHEL" ;;
-q)
	case " $HAVE " in *" $2 "*) echo "$2-1.0-1.x86_64"; exit ;; esac
	echo "package $2 is not installed"
	exit 1
	;;
esac
END
cat >"$here/bin/dnf" <<'END'
#!/bin/sh
echo "dnf $*" >>"$ASKED"
[ "$1" != install ] || [ -z "$FAILS" ]
END
cat >"$here/bin/id" <<'END'
#!/bin/sh
echo "$UID_HERE"
END
chmod +x "$here/bin/rpm" "$here/bin/dnf" "$here/bin/id"
status=0
fail() { echo "FAIL: $*"; status=1; }

# asked RHEL HAVE UID FAILS: run quickstart on a system of release RHEL, where packages HAVE are
# installed, as user UID. Calls of dnf are written to $here/asked; if FAILS is not empty, dnf fails.
asked()
{
	: >"$here/asked"
	RHEL=$1 HAVE=$2 UID_HERE=$3 FAILS=$4 ASKED=$here/asked PATH=$here/bin sh "$quickstart" \
		--deps-only rpm-build >"$here/out" 2>&1
}

# is WHAT LINES: fail unless quickstart called dnf with the arguments in LINES
is()
{
	[ "$(cat "$here/asked")" = "$2" ] ||
		fail "$1: dnf was asked: $(cat "$here/asked" "$here/out")"
}

install='dnf install -q -y --setopt=crb.enabled=1 --setopt=powertools.enabled=1'
most='make autoconf automake gcc pkgconf-pkg-config systemd-devel inih-devel libzstd-devel'
most="$most zlib-devel hwloc-devel expat-devel libpcap-devel libmnl-devel fuse3-devel"
most="$most ncurses-devel libcurl-devel snappy-devel librabbitmq-devel librdkafka-devel"
most="$most libmicrohttpd-devel"
newer="$most libtraceevent-devel"
asked 8 '' 0 '' || fail 'EL 8'
is 'EL 8' "$install epel-release
$install $most rpm-build"
asked 8 epel-release 0 '' || fail 'EL 8 with EPEL'
is 'EL 8 with EPEL' "$install $most rpm-build"
asked 9 '' 0 '' || fail 'EL 9'
is 'EL 9' "$install $newer rpm-build"
asked '' "$newer rpm-build" 0 '' || fail 'Fedora that has all'
is 'Fedora that has all' ''
asked '' "$newer" 0 '' || fail 'Fedora'
is 'Fedora' "$install rpm-build"
asked '' "$newer" 0 yes && fail 'dnf fails, and quickstart does not'
grep -q 'could not install rpm-build$' "$here/out" || fail "dnf fails: $(cat "$here/out")"
asked 9 '' 1000 '' && fail 'an ordinary user installs packages'
is 'an ordinary user' ''
grep -qF "$install $newer rpm-build" "$here/out" || fail 'it does not say what to run'
"$quickstart" -h | grep -q '^./quickstart --deps-only' || fail 'no help'

# If root owns the source, an ordinary user runs the programs that root built or, if there are none,
# builds programs in a folder of their own. All programs are fake; the fake make copies them.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	for tool in cat cp date env mkdir mktemp nproc rm sleep stat tail; do
		ln -s "$(command -v $tool)" "$here/bin/$tool"
	done
	mkdir -p "$here/tree/packaging" "$here/tree/tests" "$here/made" "$here/home" "$here/tmp"
	cp "$quickstart" "$here/tree"
	cp "${quickstart%/*}/packaging/needs.sh" "$here/tree/packaging"
	printf '#!/bin/sh\necho nodometer "$@"\n[ "$1" != status ] || [ -e "$TMPDIR/ready" ]\n' \
		>"$here/made/nodometer"
	printf '#!/bin/sh\ntrap exit TERM\n: >"$TMPDIR/ready"\nwhile :; do sleep 0.1; done\n' \
		>"$here/made/nodometerd"
	printf '#!/bin/sh\n' >"$here/made/nodometer-plot"
	printf '#!/bin/sh\n' >"$here/tree/tests/work.sh"
	printf '#!/bin/sh\necho all: >Makefile\n' >"$here/tree/configure"
	printf '#!/bin/sh\necho "  CC  a.o"\ncp %s/made/* .\n' "$here" >"$here/bin/make"
	chmod 755 "$here" "$here"/made/* "$here/tree/tests/work.sh" "$here/tree/configure" \
		"$here/bin/make"
	chown 65534 "$here/home" "$here/tmp"
	# as_user WHAT: run quickstart as an ordinary user; its output must end with three commands
	# to try
	as_user()
	{
		rm -f "$here/tmp/ready"
		setpriv --reuid 65534 --clear-groups env RHEL='' HAVE="$newer" UID_HERE=65534 \
			FAILS='' ASKED=/dev/null PATH="$here/bin" HOME="$here/home" \
			TMPDIR="$here/tmp" sh "$here/tree/quickstart" >"$here/out" 2>&1 ||
			fail "$1: $(cat "$here/out")"
		tail -n 3 "$here/out" | awk '{ print $2 }' | xargs | grep -qx 'run top plot' ||
			fail "$1: no three commands: $(cat "$here/out")"
	}
	as_user "without root's build"
	grep -q "^building in $here/home/.cache/" "$here/out" || fail "own: $(cat "$here/out")"
	mkdir -p "$here/tree/build/quickstart"
	cp "$here"/made/* "$here/tree/build/quickstart"
	as_user "with root's build"
	grep -q '^using the programs that root built' "$here/out" || fail "$(cat "$here/out")"
fi
exit $status
