#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# ntfy.sh TOPIC-URL [TOKEN-FILE]: a hook that sends an event to a phone by ntfy, also while the phone sleeps. In node.env:
#
#   LOCKSTEP_HOOK_PHASE=/usr/share/doc/lockstep/examples/ntfy.sh https://ntfy.example.org/lockstep ~/.config/lockstep/ntfy-token
#   LOCKSTEP_HOOK_COMPLETED= and LOCKSTEP_HOOK_STOPPED= the same; LOCKSTEP_HOOK_ALARM= for phases that go on past their lengths
#
# The file holds an access token and nothing else; its mode is 0600 and its owner the user of the node. The token goes to curl
# through a descriptor, so that no list of processes shows it. The server reads the titles.
set -eu
[ $# -ge 1 ] || { echo "ntfy.sh: give the URL of a topic, as https://ntfy.example.org/lockstep" >&2; exit 2; }

# A phone that buzzes for what was over hours ago helps nobody.
[ "${LOCKSTEP_LATE:-0}" = 0 ] || exit 0
case "$LOCKSTEP_EVENT" in
phase) what='Next phase' ;;
completed) what='Session completed' ;;
stopped) what='Session stopped' ;;
alarm) what='Time is up' ;;
*) what="Session $LOCKSTEP_EVENT" ;;
esac

authorization=
if [ $# -ge 2 ]; then
    case "$(stat -L -c %a "$2")" in
    600 | 400) ;;
    *) echo "ntfy.sh: other users may read $2: chmod 600 $2" >&2; exit 2 ;;
    esac
    authorization="Authorization: Bearer $(cat "$2")"
fi
# A hook has 10 seconds.
printf '%s' "${LOCKSTEP_TITLE:-Lockstep}" | curl --silent --show-error --fail --max-time 8 --output /dev/null \
    --header @/dev/fd/3 --header "Title: $what" --header 'Content-Type: text/plain' --data-binary @- "$1" 3<<END
$authorization
END
