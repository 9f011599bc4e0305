# shellcheck shell=bash disable=SC2016,SC2154
# SPDX-License-Identifier: Apache-2.0
#
# Machines for tests: a release of Debian with systemd in systemd-nspawn, each in a network namespace of its own, joined by a
# bridge that leads nowhere else. Source Deploy/lib.sh and base.sh first, then this file.

declare -A machine_pid=() machine_leader=() machine_screen=()

# newest_package "$@": prints the file of the option --package, else the newest in .build/package; nothing if there is none.
newest_package() {
    case "${1:-}" in
    --package) value "$@" ;;
    '') find "$top/.build/package" -maxdepth 1 -name 'lockstep_*.deb' -printf '%T@ %p\n' 2>/dev/null | sort -rn | head -n 1 | cut -d ' ' -f 2- || true ;;
    *) usage_error "unknown option $1" ;;
    esac
}

# make_bases FILE: makes the trees of machines on which this package can be installed, and sets $older and $newer to their
# releases: Debian 12 and 13, but twice 13 for a package that was built there, which needs its C library.
make_bases() {
    local name
    read -r older newer <<<'bookworm trixie'
    case "$(dpkg-deb --field "$1" Depends)" in
    *'libc6 (>= 2.3'[0-6]')'*) ;;
    *) older=$newer ;;
    esac
    for name in "$older" "$newer"; do
        use_release "$name"
        step "Base" make_machine_base "$1" mosquitto mosquitto-clients openssl cage chromium curl grim wev ||
            die "there is no base to boot"
    done
    # From here on the bases are only read, so that another test may have them too.
    exec 9>&-
}

# can_boot: whether machines can be booted here; prints why not.
can_boot() {
    if [ "$(id -u)" -ne 0 ]; then
        echo "booting machines takes root"
    elif ! command -v systemd-nspawn >/dev/null || ! command -v debootstrap >/dev/null; then
        echo "there is no systemd-nspawn or no debootstrap here"
    elif ! ip netns add "$network-probe" 2>/dev/null; then
        echo "network namespaces cannot be made here"
    else
        ip netns delete "$network-probe"
        return 0
    fi
    return 1
}

# machine_base: prints the file of the tree of the release that machines start from.
machine_base() { echo "${base%.tar}-systemd.tar"; }

# make_machine_base FILE PACKAGE…: makes the tree that the machines of the release start from, unless a fresh one is kept: Debian
# with systemd and udev, and what this file and these packages need as files for apt, not installed.
make_machine_base() {
    local tree=$work/base package=$1 wanted file
    shift
    file=$(machine_base)
    wanted="$(dpkg-deb --field "$package" Depends) $*"
    if [ -n "$(find "$file" -mtime -30 2>/dev/null)" ] && [ "$wanted" = "$(cat "$file.packages" 2>/dev/null)" ]; then return 0; fi
    need_base || return
    say "$release with systemd"
    mkdir "$tree" && tar -C "$tree" -xf "$base" || return
    cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
    cp "$package" "$tree/root/lockstep.deb"
    rm "$tree/usr/sbin/policy-rc.d"
    {
        in_tree apt-get -qq update &&
            in_tree apt-get -qq install --yes --no-install-recommends systemd systemd-sysv dbus libpam-systemd ca-certificates \
                iproute2 udev &&
            in_tree apt-get -qq clean &&
            in_tree apt-get -qq install --yes --no-install-recommends --download-only /root/lockstep.deb "$@"
    } >"$work/log" 2>&1 || { tail -n 5 "$work/log"; return 1; }
    rm -f "$tree/root/lockstep.deb" "$tree/etc/resolv.conf" "$tree/etc/apt/apt.conf.d/90host"
    useradd --root "$tree" --create-home --uid 1000 --shell /bin/bash person
    tar -C "$tree" -cf "$file.new" . && mv "$file.new" "$file" && echo "$wanted" >"$file.packages"
    rm -rf --one-file-system "$tree"
}
in_tree() {
    systemd-nspawn --quiet --directory="$work/base" --register=no --keep-unit --resolv-conf=off --timezone=off --console=pipe \
        --setenv=DEBIAN_FRONTEND=noninteractive "$@" </dev/null
}

# make_network: makes the bridge, in a namespace of its own.
network=lockstep-$$
make_network() {
    ip netns add "$network"
    ip -n "$network" link add bridge0 type bridge
    ip -n "$network" link set bridge0 up
}

# make_machine NAME NUMBER: makes a machine of the release, with the addresses 10.77.0.NUMBER and fd77::NUMBER.
make_machine() {
    local name=$1 number=$2 tree=$work/$1
    mkdir -p "$tree"
    tar -C "$tree" -xf "$(machine_base)"
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

# give_screen NAME CONSOLE: gives a machine this console of the builder as its first one, and instead of a graphics device a
# compositor that draws into memory. The builder's own consoles are not touched.
give_screen() {
    local settings=$work/$1/etc/systemd/system/lockstep-kiosk.service.d
    machine_screen[$1]="--bind=/dev/null:/dev/tty0 --bind=/dev/$2:/dev/tty1"
    mkdir -p "$settings" "$work/$1/etc/systemd/logind.conf.d"
    # To logind, which asks the kernel about the builder's first console, that of the machine looks free.
    printf '[Login]\nNAutoVTs=0\nReserveVT=0\n' >"$work/$1/etc/systemd/logind.conf.d/screen.conf"
    printf '[Service]\nEnvironment=WLR_BACKENDS=headless WLR_RENDERER=pixman WLR_LIBINPUT_NO_DEVICES=1\n' >"$settings/screen.conf"
}

# boot NAME: starts a machine, and waits until its systemd runs.
boot() {
    local name=$1
    # shellcheck disable=SC2086 # options, separated by spaces
    systemd-nspawn --quiet --directory="$work/$name" ${machine_screen[$name]:-} --boot --machine="$name" --register=no --keep-unit \
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

# --- Playing -------------------------------------------------------------------------------------------------

# part "…": names what is played next, with the time since the start.
part() { say "  ${SECONDS} s: $*"; }
# run NAME COMMAND…: runs a command on a machine and keeps what it prints in $said and its exit code in $code.
said='' code=0
run() {
    code=0
    said=$(on "$@" 2>&1 </dev/null) || code=$?
}
# expect CODE "what" NAME COMMAND…: runs a command that must end with this exit code.
expect() {
    local wanted=$1 what=$2
    shift 2
    run "$@"
    [ "$code" -eq "$wanted" ] || wrong "$what: exit code $code instead of $wanted: $said"
}
# mentions "words" "what": whether the last command printed these words.
mentions() { grep -qiF -- "$1" <<<"$said" || wrong "$2: it does not say \"$1\": $said"; }
status_of() { on "$1" lockstep status --json 2>/dev/null || true; }
# shows NAME FIELD VALUE: whether the node of a machine says this of the session.
shows() { grep -qE "\"$2\" ?: ?\"?$3\"?[,}]" <<<"$(status_of "$1")"; }
is_active() { [ "$(on "$1" systemctl is-active "$2" 2>/dev/null)" = active ]; }
invitation() { on hall lockstep invite "$@" </dev/null | awk '{ print $NF == "--kiosk" ? $(NF - 1) : $NF }'; }
# end_play: ends the test, with the logs of the machines if anything was wrong.
end_play() {
    local name
    [ "$failures" -gt 0 ] || return 0
    for name in hall kitchen-pi; do
        on "$name" journalctl --no-pager -q -n 30 -u 'lockstep-*' 2>/dev/null | sed "s/^/$name: /" || true
    done
    die "$failures wrong"
}
