# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# guest.sh - boot a guest (an emulated machine with Debian's kernel) for tests that need what this
# machine's kernel lacks
#
# Source this file after lib.sh. The test's "packages" must have qemu-system-x86, kmod, cpio,
# xz-utils and zstd. The guest's root is an overlay: a tmpfs on top, then packages that only the
# guest needs and that are not installed here, then this machine's root, read-only. The first
# process is the test's inside.sh, or the program in $first_process; its argument is the folder of
# the programs. It must leave the file "status" in /share, may leave other files there, and may
# write to "alive" every few seconds.
tools=$scratch/tools	# packages and kernel of the guest
share=$scratch/share	# folder for files from the guest
console=$scratch/console

# fetch COMMAND...: run the command; if it fails, update the package lists and run it again
fetch()
{
	"$@" >"$scratch/apt" 2>&1 || { apt-get update -qq && "$@"; } >>"$scratch/apt" 2>&1 ||
		{ cat "$scratch/apt"; skip "cannot download: $*"; }
}

kernel_package()
{
	apt-cache depends linux-image-amd64 |
		sed -n 's/^ *Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | grep .
}

# download PACKAGE...: download and unpack the packages, a kernel and busybox for the guest
download()
{
	mkdir -p "$scratch/debs/partial" && cd "$scratch/debs" || exit 1
	fetch apt-get install -qq -y --no-install-recommends --download-only \
		-o Debug::NoLocking=1 -o Dir::Cache::archives="$scratch/debs" \
		"$@"
	fetch kernel_package
	fetch apt-get download -qq busybox-static "$(kernel_package)"
	cd "$bin" || exit 1
}

# Links keep the directory /lib of a package from hiding this machine's /lib.
unpack()
{
	mkdir -p "$tools/usr" || exit 1
	for d in bin sbin lib lib64; do
		mkdir "$tools/usr/$d" && ln -s "usr/$d" "$tools/$d" || exit 1
	done
	for deb in "$scratch"/debs/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x --keep-directory-symlink -C "$tools" \
			--exclude='*/drivers/gpu' --exclude='*/drivers/media' --exclude='*/sound' ||
			die "cannot unpack $deb"
	done
	release=$(ls "$tools/lib/modules")
	depmod -b "$tools" "$release" || die "no modules of $release"
}

# Extract the ELF image, which boots in half the time. setup_sects, payload_offset and
# payload_length are described in Documentation/arch/x86/boot.rst; the 4 bytes after the payload are
# its unpacked size.
unpack_kernel()
{
	image=$tools/boot/vmlinuz-$release
	sectors=$(od -An -tu1 -j497 -N1 "$image")
	# shellcheck disable=SC2046 # two numbers
	set -- $(od -An -tu4 -j584 -N8 "$image")
	start=$(((sectors + 1) * 512 + $1))
	tail -c +$((start + 1)) "$image" | head -c $(($2 - 4)) >"$scratch/payload"
	case $(od -An -tx1 -N4 "$scratch/payload") in
	' fd 37 7a 58') xz -dc <"$scratch/payload" ;;
	' 28 b5 2f fd') zstd -dc <"$scratch/payload" ;;
	*) cat "$image" ;;
	esac >"$scratch/kernel"
}

# Collect the modules needed to mount this machine's root, in the order of loading.
make_initrd()
{
	mkdir -p "$scratch/initrd/bin" "$scratch/initrd/modules" || exit 1
	cp "$top/tests/integration/guest.init" "$scratch/initrd/init"
	cp "$tools/bin/busybox" "$scratch/initrd/bin/busybox"
	ln -s busybox "$scratch/initrd/bin/sh"
	for module in virtio_pci 9pnet_virtio 9p overlay; do
		modprobe -d "$tools" -S "$release" --show-depends "$module"
	done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$scratch/modules"
	n=100
	while read -r file; do
		n=$((n + 1))
		case $file in
		*.xz) xz -dc "$file" ;;
		*) cat "$file" ;;
		esac >"$scratch/initrd/modules/$n" || exit 1
	done <"$scratch/modules"
	(cd "$scratch/initrd" && find . | cpio -o -H newc --quiet) >"$scratch/initrd.img" ||
		die "cannot make the initial root"
}

# guest PACKAGE...: make the kernel and initrd of a guest that has these packages, too
guest()
{
	[ "$(uname -m)" = x86_64 ] || skip "the guest is x86-64, this machine $(uname -m)"
	awk '$1 == "MemAvailable:" { exit $2 < 2097152 }' /proc/meminfo ||
		skip 'the guest needs 2 GB'
	case $scratch in *[!A-Za-z0-9_./+-]*) skip "odd characters in $scratch" ;; esac
	say 'downloading the kernel and what the guest needs'
	download "$@"
	say 'unpacking'
	unpack
	unpack_kernel
	make_initrd
	mkdir "$share" || exit 1
}

# share TAG FOLDER [OPTION]: print the options of qemu that share FOLDER with the guest as TAG
share()
{
	echo "-virtfs local,path=$2,mount_tag=$1,security_model=none${3+,$3}"
}

# Most kernel parameters only save time. Huge pages are off because the test counts pages, and NFS
# without a network (Linux 6.12) is off because the test counts bytes.
parameters="console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nowatchdog audit=0 apparmor=0 \
selinux=0 rcupdate.rcu_expedited=1 transparent_hugepage=never psi=1 nfs.localio_enabled=0 bin=$bin"

# is_frozen: succeed if the guest began to write to "alive", did not end, and no longer writes
frozen_s=100
is_frozen()
{
	[ -e "$share/alive" ] && [ ! -e "$share/status" ] &&
		[ $(($(date +%s) - $(stat -c %Y "$share/alive"))) -gt $frozen_s ]
}

# look_at_cpus: for each processor of the guest, print its code address and if it is halted
look_at_cpus()
{
	perl -MIO::Socket::UNIX -e '
		my $s = IO::Socket::UNIX->new($ARGV[0]) or exit;
		$s->print("info registers -a\n");
		$SIG{ALRM} = sub { exit };
		alarm 5;
		while (<$s>) {
			print "$1 " if /^(CPU#[0-9]+)/;
			print "rip $1 halted $2\n" if /^RIP=([0-9a-f]+) .*HLT=([01])/;
		}' "$scratch/monitor"
}

# emulate OPTION...: run qemu until the guest ends, freezes, or the time is over; its status is
# $ended. Emulation in software makes the guest behave the same on each machine.
emulate()
{
	: >"$console"
	# shellcheck disable=SC2046 # lists of words
	background timeout -k 5 900 qemu-system-x86_64 -accel tcg,thread=multi -machine q35 \
		-cpu max,la57=off -nodefaults -no-reboot -display none -serial "file:$console" \
		-monitor "unix:$scratch/monitor,server=on,wait=off" "$@" \
		$(share root / readonly=on,multidevs=remap) $(share share "$share") \
		$(share tools "$tools" readonly=on) -kernel "$scratch/kernel" \
		-initrd "$scratch/initrd.img" -append "$parameters" \
		</dev/null >"$scratch/qemu" 2>&1
	qemu=$!
	background tail -n +1 -s 0.5 -f --pid="$qemu" "$console"
	follow=$!
	while [ -e "/proc/$qemu/exe" ] && ! is_frozen; do
		sleep 1
	done
	! is_frozen || look_at_cpus
	kill "$qemu" 2>/dev/null
	wait "$qemu"
	ended=$?
	wait "$follow"
}

# boot OPTION...: boot the guest. If nothing in the guest runs any more, the emulator or its kernel
# has stopped: boot once more. If only some processes hang, the test fails.
boot()
{
	cp "${first_process:-$here/inside.sh}" "$share/inside.sh" &&
		cp "$top/tests/integration/guest_end.sh" "$share" || exit 1
	for attempt in first second; do
		say "booting $release"
		rm -f "$share/alive" "$share/facts"
		emulate "$@"
		is_frozen || break
		say "the $attempt guest froze: nothing in it has run for $frozen_s s"
	done
	[ "$ended" != 124 ] || die 'the guest was not done after 900 s'
	[ -s "$share/status" ] || die "the guest died, and qemu ($ended): $(cat "$scratch/qemu")"
	[ "$(cat "$share/status")" = 0 ] || die "status $(cat "$share/status") inside the guest"
}
