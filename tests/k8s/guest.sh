#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The profiler with the DaemonSet's rights on Debian's own kernels, where kernel.perf_event_paranoid is 3, with cgroup
# version 2 alone: in virtual machines, without KVM. Their root file system is an initramfs of this machine's files.
#   guest.sh BUILD_DIRECTORY [SUITE...]       suites whose kernel is taken; default: bookworm trixie sid
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$top"
build=${1:-build}
[ $# = 0 ] || shift
cache=${PYPERF_CACHE:-$top/.cache}/guest

[ "$(uname -m)" = x86_64 ] || { echo "SKIP guest: x86-64 only"; exit 0; }
missing=
for package in qemu-system-x86 busybox-static cpio python3.11 util-linux; do
	dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
done
if [ -n "$missing" ]; then
	apt-get update -qq
	# shellcheck disable=SC2086
	DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi
mkdir -p "$cache"
work=$(mktemp -d "${TMPDIR:-/tmp}/guest.XXXXXX")
qemu=
trap 'kill $qemu 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# The image of the kernel that Debian has for clouds now, into the cache as SUITE. This system's own lists stay as they are.
fetch_kernel() {
	suite=$1 apt=$work/apt-$1
	mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/packages"
	uri=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep '/debian/*$' | head -n 1)
	echo "deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" >"$apt/sources.list"
	options="-o Dir::Etc::sourcelist=$apt/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$apt/lists
		 -o Dir::State::status=/dev/null -o Dir::Cache=$apt/cache -o APT::Sandbox::User=root"
	# shellcheck disable=SC2086
	apt-get -qq $options update
	# shellcheck disable=SC2086
	image=$(apt-cache $options depends linux-image-cloud-amd64 | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
	# Newer ones keep it in a package of its own.
	# shellcheck disable=SC2086
	(cd "$apt/packages" && { apt-get -qq $options download "linux-binary-${image#linux-image-}" 2>/dev/null ||
		apt-get -qq $options download "$image"; })
	dpkg-deb -x "$apt"/packages/*.deb "$apt/tree"
	find "$apt/tree" -name 'vmlinuz*' -exec mv {} "$cache/$suite" \;
	rm -rf "$apt"
}

# Libraries go where this machine's loader finds them.
add_program() {
	cp -L "$1" "$2/usr/bin/"
	ldd "$1" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
		mkdir -p "$2$(dirname "$library")"
		cp -L "$library" "$2$library"
	done
}

make_root() {
	sh deploy/image.sh --root "$build/pyperf-bpf" "$1"
	mkdir -p "$1/bin"
	cp -L "$(command -v busybox)" "$1/bin/busybox"
	for program in /usr/bin/setpriv /usr/bin/unshare /usr/bin/python3.11; do
		add_program "$program" "$1"
	done
	dpkg -L libpython3.11-minimal | sed -n "s|^/\(usr/lib/python3\)|\1|p" | tar -C / --no-recursion -cf - -T - | tar -C "$1" -xf -
	cp "$here/guest/init" "$here/guest/guest.conf" "$here/guest/work.py" "$1/"
	chmod 755 "$1/init"
}

# Without what QEMU 7.2 emulates badly: with cmpxchg16b (cx16) Linux 6.12 dies in kmalloc(). Newer ones need it for timers.
boot() {
	cpu=Haswell-noTSX,-pcid,-invpcid,-tsc-deadline
	[ "$1" != trixie ] || cpu=$cpu,-cx16
	timeout 900 nice qemu-system-x86_64 -accel tcg,thread=multi -cpu "$cpu" \
		-smp 2 -m 1024 -kernel "$cache/$1" -initrd "$work/initramfs" \
		-append "console=ttyS0 panic=-1 quiet rdinit=/init" -no-reboot -nographic -monitor none -nic none \
		-serial "file:$work/console" -serial "file:$work/serial" </dev/null >"$work/qemu" 2>&1 &
	qemu=$!
	wait "$qemu" || true
	qemu=
	mkdir "$work/out"
	base64 -di "$work/serial" 2>/dev/null | tar -C "$work/out" -xzf - 2>/dev/null || {
		echo "FAIL $1: the guest sent nothing back; the end of its console:"
		tail -n 20 "$work/qemu" "$work/console"
		return 1
	}
}

make_root "$work/root"
(cd "$work/root" && find . | cpio -o -H newc --quiet) >"$work/initramfs"
status=0
for suite in ${*:-bookworm trixie sid}; do
	[ -s "$cache/$suite" ] || fetch_kernel "$suite"
	rm -rf "$work/out"
	{ boot "$suite" && /usr/bin/python3 "$here/guest/judge.py" "$work/out"; } || status=1
	[ -z "${KEEP:-}" ] || { mkdir -p "$KEEP" && cp -r "$work/out" "$KEEP/$suite"; }
done
exit $status
