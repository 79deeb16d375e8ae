#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The lines of a sources.list with all suites of this Debian, security updates too, from where it has its own
# packages: sources.sh deb|deb-src
set -eu
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
keys=/usr/share/keyrings/debian-archive-keyring.gpg
# shellcheck disable=SC2016
apt-get indextargets --format '$(ORIGIN) $(REPO_URI) $(RELEASE)' 'Created-By: Packages' | sort -u |
    sed -n "s|^Debian \([^ ]* $suite[^ ]*\)\$|$1 [signed-by=$keys] \1 main|p"
