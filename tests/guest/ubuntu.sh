# SPDX-License-Identifier: GPL-2.0-only
# Ubuntu's archive, for guest.sh to source: kernels that Debian never had, such as 6.8. Its address is that of
# Debian's debootstrap. Debian has no keyring of it, so the archive's own is taken, of which the sum is known.
ubuntu_suites=noble
ubuntu_script=/usr/share/debootstrap/scripts/gutsy # all of Ubuntu are links to it
ubuntu_keyring=pool/main/u/ubuntu-keyring/ubuntu-keyring_2023.11.28.1_all.deb
ubuntu_sum=36de43b15853ccae0028e9a767613770c704833f82586f28eb262f0311adb8a8

is_ubuntu() {
    case " $ubuntu_suites " in *" $1 "*) return 0 ;; *) return 1 ;; esac
}

# ubuntu_source SUITE DIR: a line for apt's list of sources; the keyring goes into DIR.
ubuntu_source() {
    need debootstrap curl
    archive=$(sed -n 's|^.*default_mirror \(http://archive.*\)$|\1|p' "$ubuntu_script" | head -n 1)
    curl -sSf -o "$2/keyring.deb" "$archive/$ubuntu_keyring"
    echo "$ubuntu_sum  $2/keyring.deb" | sha256sum -c --quiet >&2
    dpkg-deb -x "$2/keyring.deb" "$2/keyring"
    echo "deb [signed-by=$2/keyring/usr/share/keyrings/ubuntu-archive-keyring.gpg] $archive $1-updates main"
}
