#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# run.sh - collectors on real kernel interfaces that few test machines have, in a virtual machine
#
# Boots Debian's kernel on an emulated machine of 16 CPUs, 4 NUMA nodes and 4 NVMe disks.  Its root
# is this machine's own, read-only, below the packages that only the guest needs, which are not
# installed here, below a tmpfs.  inside.sh makes traffic of known size between two samples, and
# judge.awk compares these with the table expect.
. "$(dirname "$0")/../lib.sh"

tools=$scratch/tools	# packages and kernel of the guest
share=$scratch/share	# what the guest writes
console=$scratch/console

# fetch COMMAND...: again with new lists of packages, if it fails
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

download()
{
	mkdir -p "$scratch/debs/partial" && cd "$scratch/debs" || exit 1
	fetch apt-get install -qq -y --no-install-recommends --download-only \
		-o Debug::NoLocking=1 -o Dir::Cache::archives="$scratch/debs" \
		nfs-kernel-server rpcbind mdadm iproute2 ibverbs-utils ibverbs-providers
	fetch kernel_package
	fetch apt-get download -qq busybox-static "$(kernel_package)"
	cd "$bin" || exit 1
}

# The links keep /lib of a package from hiding this machine's.
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

# The ELF image boots in half the time.  Documentation/arch/x86/boot.rst: setup_sects,
# payload_offset, payload_length; behind the payload stands its unpacked size, in 4 bytes.
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

# The modules that it takes to see this machine's root, in the order of loading.
make_initrd()
{
	mkdir -p "$scratch/initrd/bin" "$scratch/initrd/modules" || exit 1
	cp "$here/init" "$scratch/initrd/init"
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

# Four nodes of four CPUs: 0-3, 4-7, ...
numa_options()
{
	for node in 0 1 2 3; do
		echo "-object memory-backend-ram,id=m$node,size=512M"
		echo "-numa node,nodeid=$node,memdev=m$node,cpus=$((4 * node))-$((4 * node + 3))"
	done
}

# disk NUMBER BUS: a name space, whose data are in a file
disk()
{
	truncate -s 48M "$scratch/disk$1"
	echo "-drive if=none,id=d$1,format=raw,file=$scratch/disk$1"
	echo "-device nvme-ns,bus=$2,drive=d$1"
}

# nvme0n1 to nvme0n3, and nvme1n1 of a controller that may have others beside it: multipath.
disk_options()
{
	echo '-device nvme,id=nvme,serial=1'
	for number in 1 2 3; do
		disk $number nvme
	done
	echo '-device nvme-subsys,id=paths -device nvme,id=path,serial=2,subsys=paths'
	disk 4 path
}

# share TAG FOLDER [OPTION]
share()
{
	echo "-virtfs local,path=$2,mount_tag=$1,security_model=none${3+,$3}"
}

# What is switched off here only costs time, but for huge pages, because pages are counted, and NFS
# without a network (Linux 6.12), because bytes are.
parameters="console=ttyS0 quiet loglevel=3 panic=-1 mitigations=off nowatchdog audit=0 apparmor=0 \
rcupdate.rcu_expedited=1 transparent_hugepage=never psi=1 nfs.localio_enabled=0 bin=$bin"

# Under software emulation wherever it runs, so that it is the same everywhere.
boot()
{
	mkdir "$share"
	cp "$here/inside.sh" "$share" || exit 1
	: >"$console"
	# shellcheck disable=SC2046 # lists of options
	background timeout -k 5 300 qemu-system-x86_64 -accel tcg,thread=multi -machine q35 \
		-cpu max,la57=off -smp 16,sockets=4,cores=4,threads=1 -m 2048 $(numa_options) \
		-nodefaults -no-reboot -display none -serial "file:$console" $(disk_options) \
		$(share root / readonly=on,multidevs=remap) $(share share "$share") \
		$(share tools "$tools" readonly=on) -kernel "$scratch/kernel" \
		-initrd "$scratch/initrd.img" -append "$parameters" \
		</dev/null >"$scratch/qemu" 2>&1
	qemu=$!
	background tail -n +1 -s 0.5 -f --pid="$qemu" "$console"
	follow=$!
	wait "$qemu"
	ended=$?
	wait "$follow"
	[ $ended != 124 ] || die 'the guest was not done after 300 s'
	[ -s "$share/status" ] || die "the guest died, and qemu ($ended): $(cat "$scratch/qemu")"
	[ "$(cat "$share/status")" = 0 ] || die "status $(cat "$share/status") inside the guest"
}

# judge WHO: whether the files that WHO wrote are right, and say what was done
judge()
{
	# shellcheck disable=SC2046 # names of numbers
	set -- "$1" $(find "$share/$1" -name '[0-9]*' -type f | sort)
	who=$1
	shift
	[ $# -gt 0 ] || die "$who wrote no file"
	"$bin/nodometer" check "$@" || status=1
	for file; do
		awk -f "$top/tests/formats/parser.awk" "$file" || status=1
	done
	awk -v who="$who" -f "$here/judge.awk" "$share/facts" "$here/expect" "$@" || status=1
	"$bin/nodometer" report 4711 --dir "$share/$who" >"$scratch/report" || status=1
	grep -q '4711' "$scratch/report" || { cat "$scratch/report"; status=1; }
}

[ "$(uname -m)" = x86_64 ] || skip "the guest is x86-64, this machine $(uname -m)"
awk '$1 == "MemAvailable:" { exit $2 < 2097152 }' /proc/meminfo || skip 'the guest needs 2 GB'
case $scratch in *[!A-Za-z0-9_./+-]*) skip "odd characters in $scratch" ;; esac
need_packages qemu-system-x86 kmod cpio xz-utils zstd
say 'downloading the kernel and what the guest needs'
download
say 'unpacking'
unpack
unpack_kernel
make_initrd
say "booting $release"
boot
say 'judging'
status=0
judge alone
judge agent
[ $status = 0 ] || die 'see above'
say 'all as it should be'
