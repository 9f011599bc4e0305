# shellcheck shell=bash disable=SC2034
# SPDX-License-Identifier: Apache-2.0
#
# Functions that the scripts in this folder share. Source it; do not run it. The sourcing script sets -euo pipefail.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$here/.." && pwd)
# The folder of mosquitto.conf and acl: Config in the source tree, share/lockstep beside lib/lockstep in an installation.
shared=$top/Config
[ -d "$shared" ] || shared=$(dirname "$top")/share/lockstep

# --- Messages ----------------------------------------------------------------------------------------

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    bold=$'\e[1m' dim=$'\e[2m' red=$'\e[31m' green=$'\e[32m' plain=$'\e[0m'
else
    bold='' dim='' red='' green='' plain=''
fi

# say "…": prints one line of progress.
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
# value "$@": prints the value of the option $1, or ends with a usage error if there is none.
value() {
    if [ $# -lt 2 ] || [ -z "$2" ]; then usage_error "$1 needs a value"; fi
    printf '%s' "$2"
}
# folder_value "$@": the same for an existing folder, as an absolute path.
folder_value() {
    local folder
    folder=$(value "$@") || exit
    [ -d "$folder" ] || usage_error "$1: there is no folder $folder"
    (cd "$folder" && pwd)
}

# The help of a script is the comment at its head, from the line after the SPDX line to the first empty line.
show_help() { awk 'NR > 2 && !/^#/ { exit } NR > 3 { sub(/^# ?/, ""); print }' "$0"; }

# step "Heading" command…: runs a command under a heading and prints its duration. `set -e` has no effect inside of the
# command (bash disables it where the exit code is tested): use `|| return` there.
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

# until_true SECONDS command…: repeats a command until it succeeds; fails when the time is over.
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

# ensure_packages name…: installs the missing ones of these packages; does nothing if none is missing.
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
    # With `|| die`, because `set -e` has no effect inside of a step.
    apt_get update || die "apt-get update failed"
    apt_get install --yes --no-install-recommends "${missing[@]}" || die "apt-get could not install ${missing[*]}"
    case " ${missing[*]} " in
    *" mosquitto "*) quiet_broker_service ;;
    esac
    # The tests start clusters of their own.
    case " ${missing[*]} " in
    *" postgresql "*) [ ! -d /run/systemd/system ] || as_root systemctl disable --now --quiet postgresql.service ;;
    esac
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get --quiet --quiet \
        -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" </dev/null
}

# Debian starts mosquitto as a service when it is installed. The demo and the tests must not leave one running.
quiet_broker_service() {
    [ -d /run/systemd/system ] || return 0
    as_root systemctl disable --now --quiet mosquitto.service || return 0
    say "mosquitto is installed as a program; its service stays off (sudo lockstep broker setup turns it on)."
}

# --- Swift ------------------------------------------------------------------------------------------------------

swift_needed=6.3

# require_swift [before-packages]: ends the script if Swift is missing or too old. With `before-packages`, a Swift that does
# not start is accepted, since it may only lack libraries that are installed next.
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

# Packages needed for building, beside Swift; Swift's own programs need some of them. The package of the C++ library has
# another name in each release of Debian. Tests/Deploy/fresh checks that this list is complete.
build_packages() {
    printf '%s\n' binutils ca-certificates git libc6-dev libmosquitto-dev libqrencode-dev libsqlite3-dev libssl-dev libsystemd-dev pkg-config zlib1g-dev
    compgen -G '/usr/lib/gcc/*/*/libstdc++.so' >/dev/null || echo g++
    local pair
    for pair in libcurl.so.4:libcurl4 libncurses.so.6:libncurses6 libxml2.so.2:libxml2; do
        has_library "${pair%:*}" || echo "${pair#*:}"
    done
}

# Packages that the executables need to start. Tests/Deploy/fresh starts each executable with only these and Debian's base.
run_packages() { printf '%s\n' libmosquitto1 libqrencode4 libsqlite3-0 libstdc++6 libsystemd0; }

# has_library SONAME: whether the dynamic linker finds a library. A later Debian may have it in a package of another name.
has_library() { env PATH="$PATH:/usr/sbin:/sbin" ldconfig -p | grep "^[[:space:]]*$1 " >/dev/null; }

# missing_libraries FILE…: prints the shared libraries that these executables need and this machine lacks.
missing_libraries() {
    local file
    for file in "$@"; do ldd "$file" 2>/dev/null || true; done | awk '/=> not found/ { print $1 }' | sort -u
}

# build_jobs: prints the number of compilers to run: one for each core, but 2 GB of memory for each.
build_jobs() {
    local cores memory
    cores=$(nproc)
    memory=$(awk '/^MemTotal:/ { print int($2 / 2000000) }' /proc/meminfo)
    [ "${memory:-0}" -ge 1 ] || memory=1
    echo $((cores < memory ? cores : memory))
}

# build_release OPTION…: runs `swift build -c release`, and sets $binaries to the folder of the executables. Package.swift
# alone says how they are compiled and linked, but for the debug information, which no package has.
build_release() {
    local flags=(--package-path "$top" -c release -debug-info-format none -j "$(build_jobs)")
    say "The first build fetches and compiles what Lockstep depends on: some minutes. The next ones are short."
    swift build "${flags[@]}" "$@" </dev/null || return
    binaries=$(swift build "${flags[@]}" --show-bin-path </dev/null)
}

# --- Packages of our own ----------------------------------------------------------------------------------------------

# software_version: prints the version of the programs.
software_version() { sed -n 's/.*static let version = "\(.*\)"$/\1/p' "$top/Sources/Settings/Software.swift"; }

# with_libc VERSION: copies a list of dependencies, with this version of libc where it asks for an older one.
with_libc() {
    local needs found newest
    read -r needs
    found=$(sed -n 's/.*libc6 (>= \([0-9.]*\)).*/\1/p' <<<"$needs")
    newest=$(printf '%s\n' "$found" "$1" | sort -V | tail -n 1)
    printf '%s\n' "${needs/"libc6 (>= $found)"/"libc6 (>= $newest)"}"
}

# The maintainer of the packages. A fork, or a builder for others, sets Debian's variables.
maintainer="${DEBFULLNAME:-The authors of Lockstep} <${DEBEMAIL:-maintainers@lockstep.invalid}>"

# --- A private broker -------------------------------------------------------------------------------------------

# Debian keeps mosquitto in /usr/sbin, which is not in every PATH.
mosquitto_program() {
    command -v mosquitto || { [ -x /usr/sbin/mosquitto ] && echo /usr/sbin/mosquitto; } ||
        die "mosquitto is not installed"
}

# random_password: prints 24 letters and digits.
random_password() {
    local word=''
    until [ ${#word} -ge 24 ]; do word+=$(head -c 64 /dev/urandom | base64 -w 0 | tr -dc 'a-zA-Z0-9'); done
    printf '%s' "${word:0:24}"
}

# broker_config FOLDER PORT: prints Config/mosquitto.conf with the paths and the port of a private broker.
broker_config() {
    sed -e "s|^listener .*|listener $2 127.0.0.1|" \
        -e "s|^password_file .*|password_file $1/passwd|" \
        -e "s|^acl_file .*|acl_file $1/acl|" \
        -e "s|^persistence_location .*|persistence_location $1/data/|" "$shared/mosquitto.conf"
    # As root, mosquitto would switch to its own user, which cannot read the private folder.
    printf 'user %s\n' "$(id -un)"
}

# start_broker FOLDER user…: starts mosquitto with the project's configuration on a free loopback port. Each user gets a
# throw-away password in FOLDER/<user>.password (0600). Sets $broker_port and $broker_pid; the caller kills the process.
start_broker() {
    local folder=$1 user word try program
    shift
    program=$(mosquitto_program)
    (
        umask 077
        mkdir -p "$folder/data"
        cp "$shared/acl" "$folder/acl"
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
        # Another program uses that port: try the next one. Any other error would only repeat.
        grep -q 'Address already in use' "$folder/broker.log" || break
    done
    cat "$folder/broker.log" >&2
    warn "the private broker did not start (try $try)"
    return 1
}
broker_decided() { grep -q ' running$' "$1" || ! kill -0 "$broker_pid" 2>/dev/null; }

# --- Paths of an installation ---------------------------------------------------------------------------------

# The programs of an installation: those that it needs, and those of optional services.
executables=(lockstep lockstep-node)
services=(lockstep-calm lockstep-debt)

# read_places "$@": reads the options that Deploy/install and Deploy/uninstall share into $scope (system or user), $prefix
# and $destdir, and all others into $rest. Then it sets the paths, each with $destdir before it.
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
    # shellcheck disable=SC2034 # for the scripts that source this
    library=$destdir$prefix/lib/lockstep
    completions=(
        "bash $destdir$prefix/share/bash-completion/completions/lockstep"
        "zsh $destdir$prefix/share/zsh/site-functions/_lockstep"
        "fish $destdir$prefix/share/fish/vendor_completions.d/lockstep.fish"
    )
    # shellcheck disable=SC2034 # for the scripts that source this
    desktop=(
        "$destdir$prefix/share/applications/lockstep.desktop"
        "$destdir$prefix/share/icons/hicolor/scalable/apps/lockstep.svg"
    )
}

# change command…: runs a command that changes the machine: as root, except for --user and in a staging folder.
change() {
    if [ "$scope" = user ] || [ -n "$destdir" ]; then "$@"; else as_root "$@"; fi
}
# manager_runs: whether the service manager of the system or the user runs; never for a staging folder.
manager_runs() {
    [ -z "$destdir" ] || return 1
    if [ "$scope" = user ]; then
        systemctl --user show-environment >/dev/null 2>&1
    else
        [ -d /run/systemd/system ]
    fi
}
# service command…: runs systemctl of the system or the user.
service() {
    if [ "$scope" = user ]; then systemctl --user "$@"; else as_root systemctl "$@"; fi
}
