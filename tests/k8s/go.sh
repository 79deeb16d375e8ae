# SPDX-License-Identifier: GPL-2.0-only
# For the scripts that build Go programs, with a $GOMODCACHE of their own. newer_go VERSION: the proxy has Go
# itself too, for one that is too old to fetch a newer one by itself (1.21 can).
newer_go() {
    case $(go env GOVERSION) in
        go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | go1.20*) ;;
        *) return ;;
    esac
    toolchain=golang.org/toolchain@v0.0.1-go$1.linux-$(go env GOARCH)
    go mod download "$toolchain"
    chmod -R +x "$GOMODCACHE/$toolchain/bin" "$GOMODCACHE/$toolchain/pkg"
    PATH=$GOMODCACHE/$toolchain/bin:$PATH
}
