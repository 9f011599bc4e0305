#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# gotify.sh SERVER-URL TOKEN-FILE: a hook that sends an event to a phone by Gotify, also while the phone sleeps. In node.env:
#
#   LOCKSTEP_HOOK_PHASE=/usr/share/doc/lockstep/examples/gotify.sh https://gotify.example.org ~/.config/lockstep/gotify-token
#   LOCKSTEP_HOOK_COMPLETED= and LOCKSTEP_HOOK_STOPPED= the same; LOCKSTEP_HOOK_ALARM= for phases that go on past their lengths
#
# The file holds the token of an application and nothing else; its mode is 0600 and its owner the user of the node. The token
# goes to curl through a descriptor, so that no list of processes shows it. The server reads the titles.
set -eu
[ $# -eq 2 ] || { echo "gotify.sh: give the URL of a server, as https://gotify.example.org, and the file of a token" >&2; exit 2; }

# A phone that buzzes for what was over hours ago helps nobody.
[ "${LOCKSTEP_LATE:-0}" = 0 ] || exit 0
case "$LOCKSTEP_EVENT" in
phase) what='Next phase' ;;
completed) what='Session completed' ;;
stopped) what='Session stopped' ;;
alarm) what='Time is up' ;;
*) what="Session $LOCKSTEP_EVENT" ;;
esac

case "$(stat -L -c %a "$2")" in
600 | 400) ;;
*) echo "gotify.sh: other users may read $2: chmod 600 $2" >&2; exit 2 ;;
esac
token=$(cat "$2")
# A hook has 10 seconds.
printf '%s' "${LOCKSTEP_TITLE:-Lockstep}" | curl --silent --show-error --fail --max-time 8 --output /dev/null \
    --header @/dev/fd/3 --data "title=$what" --data priority=5 --data-urlencode message@- "${1%/}/message" 3<<END
X-Gotify-Key: $token
END
