# shellcheck shell=bash disable=SC2016,SC2154
# SPDX-License-Identifier: Apache-2.0
#
# Machines for tests: Debian 12 with systemd in systemd-nspawn, each in a network namespace of its own, joined by a bridge that
# leads nowhere else. Source Deploy/lib.sh first, set $work to a folder of the test, then source this file.

cache=${XDG_CACHE_HOME:-$HOME/.cache}/lockstep
machine_base=''
declare -A machine_pid=() machine_leader=()

# can_boot: whether machines can be booted here; prints why not.
can_boot() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "booting machines takes root"
    elif ! command -v systemd-nspawn >/dev/null || ! command -v debootstrap >/dev/null; then
        echo "there is no systemd-nspawn or no debootstrap here"
    elif ! ip netns add lockstep-probe 2>/dev/null; then
        echo "network namespaces cannot be made here"
    else
        ip netns delete lockstep-probe
        return 0
    fi
    return 1
}

# make_machine_base PACKAGE…: makes the tree that all machines start from, unless a fresh one is kept: Debian 12 with systemd,
# and these packages with all that they need as files for apt, not installed.
make_machine_base() {
    local tree=$work/base mirror
    mkdir -p "$cache"
    machine_base=$cache/bookworm-systemd-$(dpkg --print-architecture)-$(printf '%s\n' "$@" | sort | cksum | cut -d ' ' -f 1).tar
    [ -z "$(find "$machine_base" -mtime -30 2>/dev/null)" ] || return 0
    rm -f "$cache"/bookworm-systemd-*.tar
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 2>/dev/null | grep -m 1 '/debian/\?$' || true)
    say "debootstrap of Debian 12 with systemd"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,libpam-systemd,ca-certificates,iproute2 \
        bookworm "$tree" "${mirror:-http://deb.debian.org/debian}" >"$work/debootstrap.log" 2>&1 ||
        { tail -n 5 "$work/debootstrap.log"; return 1; }
    apt-config dump | grep -E '^Acquire::[^ ]+ ".+";$' >"$tree/etc/apt/apt.conf.d/90host" || true
    echo force-unsafe-io >"$tree/etc/dpkg/dpkg.cfg.d/test"
    cp /etc/resolv.conf "$tree/etc/resolv.conf"
    chroot "$tree" apt-get -qq update >/dev/null
    chroot "$tree" apt-get -qq install --yes --no-install-recommends --download-only "$@" >/dev/null || return
    rm -f "$tree/etc/resolv.conf" "$tree/etc/apt/apt.conf.d/90host"
    useradd --root "$tree" --create-home --uid 1000 --shell /bin/bash person
    tar -C "$tree" -cf "$machine_base.new" . && mv "$machine_base.new" "$machine_base"
    rm -rf --one-file-system "$tree"
}

# make_network: makes the bridge, in a namespace of its own.
network=lockstep-$$
make_network() {
    ip netns add "$network"
    ip -n "$network" link add bridge0 type bridge
    ip -n "$network" link set bridge0 up
}

# make_machine NAME NUMBER: makes a machine with the addresses 10.77.0.NUMBER and fd77::NUMBER.
make_machine() {
    local name=$1 number=$2 tree=$work/$1
    mkdir -p "$tree"
    tar -C "$tree" -xf "$machine_base"
    echo "$name" >"$tree/etc/hostname"
    printf '127.0.0.1 localhost %s\n10.77.0.1 hall\n10.77.0.2 kitchen-pi\n' "$name" >"$tree/etc/hosts"
    rm -f "$tree/etc/machine-id" && touch "$tree/etc/machine-id"
    ip netns add "$network-$name"
    ip -n "$network" link add "v-$name" type veth peer name host0 netns "$network-$name"
    ip -n "$network" link set "v-$name" master bridge0 up
    ip -n "$network-$name" link set lo up
    ip -n "$network-$name" address add "10.77.0.$number/24" dev host0
    ip -n "$network-$name" address add "fd77::$number/64" dev host0 nodad
    ip -n "$network-$name" link set host0 up
}

# boot NAME: starts a machine, and waits until its systemd runs.
boot() {
    local name=$1
    systemd-nspawn --quiet --directory="$work/$name" --boot --machine="$name" --register=no --keep-unit \
        --network-namespace-path="/run/netns/$network-$name" --resolv-conf=off --timezone=off --link-journal=no \
        --console=pipe >"$work/$name.console" 2>&1 </dev/null &
    machine_pid[$name]=$!
    until_true 30 finds_leader "$name" || { tail -n 5 "$work/$name.console"; return 1; }
    until_true 60 is_up "$name" || { on "$name" systemctl --failed --no-pager; return 1; }
}
finds_leader() {
    machine_leader[$1]=$(pgrep -P "${machine_pid[$1]}" | head -n 1)
    [ -n "${machine_leader[$1]}" ]
}
# The first child of systemd-nspawn is gone when it has made the machine's first process, so the leader is found each time.
is_up() {
    finds_leader "$1" && [[ "$(on "$1" systemctl is-system-running 2>/dev/null || true)" =~ ^(running|degraded)$ ]]
}

# on NAME COMMAND…: runs a command on a machine, as root.
on() {
    local name=$1
    shift
    nsenter --target "${machine_leader[$name]}" --all -- env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}
# as_person NAME COMMAND…: the same as the person with the id 1000, in a session that systemd keeps.
as_person() {
    local name=$1
    shift
    nsenter --target "${machine_leader[$name]}" --all -- setpriv --reuid 1000 --regid 1000 --init-groups env -i \
        PATH=/usr/bin:/bin HOME=/home/person LANG=C.UTF-8 XDG_RUNTIME_DIR=/run/user/1000 \
        DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/1000/bus "$@"
}

# power_off NAME: shuts a machine down in order.
power_off() {
    local name=$1
    on "$name" systemctl --no-block poweroff >/dev/null 2>&1 || true
    until_true 30 is_off "$name" || kill -KILL "${machine_pid[$name]}" 2>/dev/null || true
    wait "${machine_pid[$name]}" 2>/dev/null || true
    unset "machine_pid[$name]"
}
is_off() { ! kill -0 "${machine_pid[$1]}" 2>/dev/null; }
# reboot NAME: nspawn ends at a reboot, so this powers off and boots again.
reboot() { power_off "$1" && boot "$1"; }
# pull_the_plug NAME, plug_in NAME: cut a machine from the network, and connect it again.
pull_the_plug() { ip -n "$network" link set "v-$1" down; }
plug_in() { ip -n "$network" link set "v-$1" up; }

remove_machines() {
    local name
    for name in "${!machine_pid[@]}"; do
        kill -KILL "${machine_leader[$name]:-${machine_pid[$name]}}" "${machine_pid[$name]}" 2>/dev/null || true
        wait "${machine_pid[$name]}" 2>/dev/null || true
    done
    for name in $(ip netns list | awk -v own="$network" 'index($1, own) == 1 { print $1 }'); do ip netns delete "$name"; done
}
