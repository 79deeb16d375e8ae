#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a package of a distribution installs: tree.sh STAGE ROOT ZSH, ZSH being where zsh looks there.
set -eu
stage=$1 root=$2 zsh=$3
put() {
    install -Dm"$1" "$stage/$2" "$root/$3"
}
put 755 pyperf-bpf usr/bin/pyperf-bpf
put 644 man/pyperf-bpf.1 usr/share/man/man1/pyperf-bpf.1
put 644 man/pyperf-bpf.conf.5 usr/share/man/man5/pyperf-bpf.conf.5
gzip -9n "$root/usr/share/man/man1/pyperf-bpf.1" "$root/usr/share/man/man5/pyperf-bpf.conf.5"
put 644 completions/pyperf-bpf.bash usr/share/bash-completion/completions/pyperf-bpf
put 644 completions/_pyperf-bpf "$zsh/_pyperf-bpf"
put 644 completions/pyperf-bpf.fish usr/share/fish/vendor_completions.d/pyperf-bpf.fish
put 644 pyperf-bpf.service usr/lib/systemd/system/pyperf-bpf.service
put 644 pyperf-bpf.conf etc/pyperf-bpf/pyperf-bpf.conf
for file in LICENCES.md pyperf-bpf.cdx.json; do
    put 644 $file usr/share/doc/pyperf-bpf/$file
done
