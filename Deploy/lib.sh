# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0
#
# What the scripts in this folder share; sourced, never run. The sourcing script sets -euo pipefail.

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# --- Saying what happens ----------------------------------------------------------------------------------------

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' dim='' red='' green='' plain=''
fi

# say "…": one line of progress.
say() { printf '%s\n' "$*"; }
heading() { printf '\n%s== %s%s\n' "$bold" "$*" "$plain"; }
warn() { printf '%s%s%s\n' "$bold" "$*" "$plain" >&2; }
die() {
    printf '%s%s: %s%s\n' "$red" "${0##*/}" "$*" "$plain" >&2
    exit 1
}
usage_error() {
    printf '%s: %s (see --help)\n' "${0##*/}" "$*" >&2
    exit 2
}
# value "$@": the value of the option $1, or a usage error when there is none.
value() {
    if [ $# -lt 2 ] || [ -z "$2" ]; then usage_error "$1 needs a value"; fi
    printf '%s' "$2"
}
# folder_value "$@": the same for a folder that must be there, as an absolute path.
folder_value() {
    local folder
    folder=$(value "$@") || exit
    [ -d "$folder" ] || usage_error "$1: there is no folder $folder"
    (cd "$folder" && pwd)
}

# The help of a script is the comment at its head, from the line after the SPDX line to the first empty line.
show_help() { awk 'NR > 2 && !/^#/ { exit } NR > 3 { sub(/^# ?/, ""); print }' "$0"; }

# step "Heading" command…: runs it under a heading and says how long it took. Its output is the progress. Inside the
# command `set -e` does not hold (bash has it so for whatever is asked for its exit code): say `|| return` there.
step() {
    local what=$1 began=$SECONDS code=0
    shift
    heading "$what"
    "$@" || code=$?
    if [ "$code" -eq 0 ]; then
        say "${green}ok${plain} ${dim}$what, $((SECONDS - began)) s${plain}"
    else
        say "${red}failed${plain} $what, after $((SECONDS - began)) s (exit code $code)"
    fi
    return "$code"
}

# --- Conditions -------------------------------------------------------------------------------------------------

# until_true SECONDS command…: asks again until it is true; false when the time is over.
until_true() {
    local deadline=$(($(now_ms) + $1 * 1000))
    shift
    until "$@"; do
        [ "$(now_ms)" -lt "$deadline" ] || return 1
        sleep 0.05
    done
}
now_ms() { date +%s%3N; }

# --- Packages ---------------------------------------------------------------------------------------------------

installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "this needs root, and there is no sudo: run as root: $*"
    fi
}

# ensure_packages name…: installs what is missing of these, and touches nothing when nothing is.
ensure_packages() {
    local name missing=()
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        warn "No apt-get here, so nothing is installed. Needed are what Debian calls: $*"
        return 0
    fi
    for name in "$@"; do
        installed "$name" || missing+=("$name")
    done
    if [ ${#missing[@]} -eq 0 ]; then
        say "Everything needed is installed: $*"
        return 0
    fi
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        die "missing packages, and neither root nor sudo to install them. As root: apt-get install ${missing[*]}"
    say "Installing ${missing[*]}"
    # Said with `|| die`: a step runs where `set -e` does not reach.
    apt_get update || die "apt-get update failed"
    apt_get install --yes --no-install-recommends "${missing[@]}" || die "apt-get could not install ${missing[*]}"
    case " ${missing[*]} " in
    *" mosquitto "*) quiet_broker_service ;;
    esac
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get --quiet --quiet \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null
}

# Debian starts mosquitto as a service when it is installed. Whoever runs a demo or a test did not ask for that.
quiet_broker_service() {
    [ -d /run/systemd/system ] || return 0
    [ -n "${keep_broker_service:-}" ] && return 0
    as_root systemctl disable --now --quiet mosquitto.service || return 0
    say "mosquitto is installed as a program; its service stays off (Deploy/broker setup turns it on)."
}

# --- Swift ------------------------------------------------------------------------------------------------------

swift_needed=6.2

# require_swift [before-packages]: ends the script where there is no Swift, or an old one. Said before the packages are
# installed, nothing is changed on a machine that lacks it; a Swift that does not start yet may only lack libraries then.
require_swift() {
    local found said
    command -v swift >/dev/null || die "Swift $swift_needed or newer is needed, and there is no \`swift\` in the PATH.
Install it from https://www.swift.org/install/linux and open a new shell (or add its usr/bin to the PATH)."
    if ! said=$(swift --version 2>&1); then
        [ -z "${1:-}" ] || return 0
        die "$(command -v swift) does not start: $said"
    fi
    found=$(sed -n 's/.*Swift version \([0-9][0-9.]*\).*/\1/p' <<<"$said" | head -n 1)
    [ "$(printf '%s\n' "$swift_needed" "${found:-0}" | sort -V | head -n 1)" = "$swift_needed" ] ||
        die "Swift $swift_needed or newer is needed; this is ${found:-of an unknown version}: $(command -v swift)"
    [ -n "${1:-}" ] || say "Swift $found"
}

# What building takes beside Swift, whose own programs need some libraries too. The C++ library comes with a compiler
# package of each release's own name. Tests/Deploy/fresh holds that nothing is missing from this list.
build_packages() {
    printf '%s\n' binutils ca-certificates git libc6-dev libmosquitto-dev libsqlite3-dev libsystemd-dev pkg-config zlib1g-dev
    compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || echo g++
    local pair
    for pair in libcurl.so.4:libcurl4 libncurses.so.6:libncurses6 libxml2.so.2:libxml2; do
        has_library "${pair%:*}" || echo "${pair#*:}"
    done
}

# What the executables need to start. Tests/Deploy/fresh starts each of them with these and Debian's base alone.
run_packages() { printf '%s\n' libmosquitto1 libsqlite3-0 libstdc++6 libsystemd0; }

# has_library SONAME: whether the dynamic linker finds it. A later Debian may have it in a package of another name.
has_library() { env PATH="$PATH:/usr/sbin:/sbin" ldconfig -p | grep "^[[:space:]]*$1 " >/dev/null; }

# missing_libraries FILE…: the shared libraries that these executables need and that are not on this machine.
missing_libraries() {
    local file
    for file in "$@"; do ldd "$file" 2>/dev/null || true; done | awk '/=> not found/ { print $1 }' | sort -u
}

# One compiler for each core, and 2 GB of memory for each compiler.
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemTotal:/ { print int($2 / 2000000) }' /proc/meminfo)
    [ "${memory:-0}" -ge 1 ] || memory=1
    echo $((cores < memory ? cores : memory))
}

# toolchain: the folder usr of the Swift in use, which `swift` in the PATH may only be a link or a proxy to.
toolchain() { swiftc -print-target-info | sed -n 's|.*"runtimeResourcePath": *"\(.*\)/lib/swift".*|\1|p'; }

# link_flags: how a release is linked, in the interest of the memory that a node takes, and of the time that a press takes
# on a processor that had other things to do: by lld, which comes with Swift; without a table of the executable's own
# symbols for others to look up; with what a node runs side by side, for which each function has to be a section of its
# own; with relocations packed, where the C library reads that (glibc 2.36).
link_flags() {
    local glibc
    [ -x "$(toolchain)/bin/ld.lld" ] || return 0
    printf '%s\n' -Xswiftc -use-ld=lld -Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --no-export-dynamic \
        -Xlinker --symbol-ordering-file="$top/Deploy/link-order.txt" -Xlinker --no-warn-symbol-ordering
    glibc=$(getconf GNU_LIBC_VERSION)
    if [ "$(printf '%s\n' 2.36 "${glibc#glibc }" | sort -V | head -n 1)" = 2.36 ]; then
        printf '%s\n' -Xlinker -z -Xlinker pack-relative-relocs
    fi
}

# build_release OPTION…: builds the executables with the compiler's own progress; their folder is then in $binaries. What
# one module calls of another is compiled for the caller: a press goes through five, and each step between takes time.
build_release() {
    local flags=(--package-path "$top" -c release -j "$(build_jobs)" --static-swift-stdlib) link
    flags+=(-Xswiftc -cross-module-optimization)
    mapfile -t link < <(link_flags)
    flags+=("${link[@]}")
    say "The first build fetches and compiles what Lockstep depends on: some minutes. The next ones are short."
    swift build "${flags[@]}" "$@" </dev/null || return
    binaries=$(swift build "${flags[@]}" --show-bin-path </dev/null)
}

# --- A private broker -------------------------------------------------------------------------------------------

# Debian keeps mosquitto in /usr/sbin, which is not in everybody's PATH.
mosquitto_program() {
    command -v mosquitto || { [ -x /usr/sbin/mosquitto ] && echo /usr/sbin/mosquitto; } ||
        die "mosquitto is not installed"
}

# random_password: 24 letters and digits.
random_password() {
    local word=''
    until [ ${#word} -ge 24 ]; do word+=$(head -c 64 /dev/urandom | base64 -w 0 | tr -dc 'a-zA-Z0-9'); done
    printf '%s' "${word:0:24}"
}

# broker_config FOLDER PORT: Config/mosquitto.conf with the places of a private broker.
broker_config() {
    sed -e "s|^listener .*|listener $2 127.0.0.1|" \
        -e "s|^password_file .*|password_file $1/passwd|" \
        -e "s|^acl_file .*|acl_file $1/acl|" \
        -e "s|^persistence_location .*|persistence_location $1/data/|" "$top/Config/mosquitto.conf"
    # As root mosquitto would change to its own user, which cannot read the private folder.
    printf 'user %s\n' "$(id -un)"
}

# start_broker FOLDER user…: a mosquitto with the project's own config on a free loopback port. Each user gets a
# throw-away password in FOLDER/<user>.password (0600). Sets $broker_port and $broker_pid; the caller ends the latter.
start_broker() {
    local folder=$1 user word try program
    shift
    program=$(mosquitto_program)
    (
        umask 077
        mkdir -p "$folder/data"
        cp "$top/Config/acl" "$folder/acl"
        for user in "$@"; do
            word=$(random_password)
            printf '%s' "$word" >"$folder/$user.password"
            printf '%s:%s\n' "$user" "$word"
        done >"$folder/passwd"
        mosquitto_passwd -U "$folder/passwd"
    ) || return
    for try in 1 2 3 4 5 6 7 8; do
        broker_port=$((RANDOM % 12000 + 20000))
        broker_config "$folder" "$broker_port" >"$folder/mosquitto.conf"
        "$program" -c "$folder/mosquitto.conf" >"$folder/broker.log" 2>&1 </dev/null &
        broker_pid=$!
        until_true 5 broker_decided "$folder/broker.log" || true
        if grep -q ' running$' "$folder/broker.log" && kill -0 "$broker_pid" 2>/dev/null; then
            return 0
        fi
        kill "$broker_pid" 2>/dev/null || true
        wait "$broker_pid" 2>/dev/null || true
        # Another program has that port: the next one. Anything else would fail again.
        grep -q 'Address already in use' "$folder/broker.log" || break
    done
    cat "$folder/broker.log" >&2
    warn "the private broker did not start (try $try)"
    return 1
}
broker_decided() { grep -q ' running$' "$1" || ! kill -0 "$broker_pid" 2>/dev/null; }

# --- Where an installation lies ---------------------------------------------------------------------------------

# What an installation may consist of, beside the two that it must.
executables=(lockstep lockstep-node)
services=(lockstep-calm lockstep-debt lockstep-bridge)

# read_places "$@": the options that Deploy/install and Deploy/uninstall share, into $scope (system or user), $prefix
# and $destdir; what is left is in $rest. Then the places, all of them with $destdir before them.
read_places() {
    scope=system prefix='' destdir='' rest=()
    while [ $# -gt 0 ]; do
        case "$1" in
        --user) scope=user ;;
        --prefix) prefix=$(value "$@"); shift ;;
        --destdir) destdir=$(value "$@"); shift ;;
        *) rest+=("$1") ;;
        esac
        shift
    done
    if [ "$scope" = user ]; then
        [ "$(id -u)" -ne 0 ] || [ -n "$destdir" ] || usage_error "--user is for a person, not for root"
        prefix=${prefix:-$HOME/.local}
        local config=${XDG_CONFIG_HOME:-$HOME/.config}
        units=$destdir$config/systemd/user settings=$destdir$config/lockstep
        state=$destdir${XDG_STATE_HOME:-$HOME/.local/state}/lockstep
    else
        prefix=${prefix:-/usr/local}
        units=$destdir/etc/systemd/system settings=$destdir/etc/lockstep state=$destdir/var/lib/lockstep
    fi
    case "$prefix" in /*) ;; *) usage_error "--prefix must begin with a slash" ;; esac
    prefix=${prefix%/}
    bin=$destdir$prefix/bin
    completions=(
        "bash $destdir$prefix/share/bash-completion/completions/lockstep"
        "zsh $destdir$prefix/share/zsh/site-functions/_lockstep"
        "fish $destdir$prefix/share/fish/vendor_completions.d/lockstep.fish"
    )
}

# change command…: changes the machine: as root, except in a person's own folders and in a staging folder.
change() {
    if [ "$scope" = user ] || [ -n "$destdir" ]; then "$@"; else as_root "$@"; fi
}
# service command…: systemctl of the right manager, where there is one and this is no staging folder.
manager_runs() {
    [ -z "$destdir" ] || return 1
    if [ "$scope" = user ]; then
        systemctl --user show-environment >/dev/null 2>&1
    else
        [ -d /run/systemd/system ]
    fi
}
service() {
    if [ "$scope" = user ]; then systemctl --user "$@"; else as_root systemctl "$@"; fi
}
