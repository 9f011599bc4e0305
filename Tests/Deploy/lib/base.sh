# shellcheck shell=bash disable=SC2016,SC2034,SC2154
# SPDX-License-Identifier: Apache-2.0
#
# Root file systems that hold Debian's base and nothing else, for tests that must not see what this machine has installed.
# Source it after Deploy/lib.sh; do not run it.
#
# The bases are made by debootstrap and kept in ${XDG_CACHE_HOME:-~/.cache}/lockstep for 30 days; downloaded packages are kept
# beside them.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/lockstep

# The release of this machine, where what is built here runs; on a system that is not Debian the oldest supported one.
# Raspberry Pi OS calls itself Debian.
release=$(. /etc/os-release && if [ "${ID:-}" = debian ]; then echo "${VERSION_CODENAME:-bookworm}"; else echo bookworm; fi)
# use_release NAME: chooses the release of the machines that are made next.
use_release() { release=$1 base=$cache/$1-$(dpkg --print-architecture).tar; }
use_release "$release"

failures=0
# wrong "…": counts a failure and says what is wrong.
wrong() {
    printf 'wrong: %s\n' "$*"
    failures=$((failures + 1))
}

# A command that fails where no failure is expected ends a test; this says which.
set -E
trap 'printf "stopped at line %s of %s: %s\n" "$LINENO" "${BASH_SOURCE[0]##*/}" "$BASH_COMMAND" >&2' ERR

# --- Outside: the base, and a namespace in which nothing stays mounted --------------------------------------------

# The mirrors of the release, as lines of sources.list: those that this machine uses, also for another release.
sources() {
    local found
    found=$(apt-get indextargets --format '$(ORIGIN) deb $(REPO_URI) $(RELEASE) main' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian \(deb [^ ]* [^ ]* main\)$/\1/p' | sort -u)
    if ! grep -q " $release main$" <<<"$found"; then
        found=$(awk '$3 !~ /-/ && !found++ { print $1, $2 }' <<<"$found")
        found="${found:-deb http://deb.debian.org/debian} $release main"
    fi
    grep " $release" <<<"$found"
}

make_base() {
    local mirror folder=$work/base script=/usr/share/debootstrap/scripts/$release
    # A debootstrap older than the release.
    [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
    mirror=$(sources | awk -v release="$release" '$3 == release && !found++ { print $2 }')
    say "debootstrap of $release from $mirror"
    if ! env PATH="$PATH:/usr/sbin:/sbin" debootstrap --variant=minbase "$release" "$folder" "$mirror" "$script" >"$work/log" 2>&1; then
        tail -n 5 "$work/log"
        return 1
    fi
    sources >"$folder/etc/apt/sources.list"
    # Proxies and the like of this machine. Its hooks and other sources stay here.
    apt-config dump | grep -E '^Acquire::[^ ]+ ".+";$' >"$folder/etc/apt/apt.conf.d/90host" || true
    echo force-unsafe-io >"$folder/etc/dpkg/dpkg.cfg.d/test"
    printf '#!/bin/sh\nexit 101\n' >"$folder/usr/sbin/policy-rc.d"
    chmod +x "$folder/usr/sbin/policy-rc.d"
    rm -rf "$folder"/var/cache/apt/archives/*.deb
    tar -C "$folder" -cf "$work/base.tar" . && mv "$work/base.tar" "$base.new" && mv "$base.new" "$base" || return
    rm -rf --one-file-system "$folder"
}

has_base() { [ -n "$(find "$base" -mtime -30 2>/dev/null)" ]; }

# can_make_machines: whether this is root, with mount namespaces.
can_make_machines() { [ "$(id -u)" -eq 0 ] && unshare --mount --pid --fork --propagation private true 2>/dev/null; }

# get_base: makes sure that there is a base, and sets $work to a folder that is removed at the end. One test at a time has them.
get_base() {
    begin_work
    need_base || die "there is no base to test on: debootstrap failed (see above; does the mirror answer?)"
}
begin_work() {
    mkdir -p "$cache/archives/partial"
    work=$(mktemp -d "${TMPDIR:-/tmp}/lockstep-test.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
    exec 9>"$cache/lock"
    flock 9
}
# need_base: makes the base of the release, unless a fresh one is kept; fails if there is none.
need_base() {
    has_base || make_base || {
        [ -e "$base" ] || return 1
        warn "The base of $release is older than 30 days, and debootstrap did not make a new one."
    }
}

# go_inside "$@": runs this script again with --inside, in namespaces of its own.
go_inside() {
    export work
    unshare --mount --pid --fork --kill-child --propagation private "$0" --inside "$@"
}

# --- Inside: machines -------------------------------------------------------------------------------------------

# in_memory: puts $work in memory where there is plenty: installing is faster there, and nothing is to be removed.
in_memory() {
    [ "$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo)" -lt 8 ] || mount -t tmpfs -o size=4g,mode=0755 none "$work"
}

# bare_machine NAME: a fresh one in $root.
bare_machine() {
    root=$work/$1
    mkdir "$root"
    tar -C "$root" -xf "$base"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    mount --bind "$cache/archives" "$root/var/cache/apt/archives"
}

# on 'commands': runs them on the machine, in $place. $path and $libraries are what comes with Swift, or empty.
path='' libraries='' place=/
on() {
    local proxies=()
    mapfile -t proxies < <(env | grep -iE '^(https?|no)_proxy=' || true)
    chroot "$root" env -i PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin$path" HOME=/root LC_ALL=C.UTF-8 \
        ${libraries:+LD_LIBRARY_PATH="$libraries"} "${proxies[@]}" bash -c "cd $place && $1" </dev/null
}
packages() { on "dpkg-query -W -f='\${Package}\n'"; }

# --- The package --------------------------------------------------------------------------------------------------

# is_built: whether there is a release build to pack.
is_built() { [ -x "$top/.build/release/lockstep" ] && [ -x "$top/.build/release/lockstep-debt" ]; }

# make_package: packs the release build, unless the package that is there is newer than all that goes into it. Sets $deb.
make_package() {
    local log
    deb=$top/.build/package/lockstep_$(software_version)_$(dpkg --print-architecture).deb
    if [ -e "$deb" ] && [ -z "$(find "$top/Config" "$top/Deploy" "$top/.github" "$top"/.build/release/lockstep{,-node,-calm,-debt} -newer "$deb" -type f)" ]; then
        return 0
    fi
    log=$(mktemp)
    "$top/Deploy/package" --from "$top/.build/release" >"$log" 2>&1 || die "Deploy/package: $(tail -n 10 "$log")"
    rm "$log"
}
