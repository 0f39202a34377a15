#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# What a batch job runs in place of a payload: it fetches an image, starts a container and runs the payload in it.  The
# lines that begin with `spanloom` say where the time goes; all others are as they would be without them.
#
#   ./wrapper.sh IMAGE COMMAND [ARGUMENT...]
set -e
image=$1
shift

# singularity(1) where there is one; else something that takes as long to begin with.
container() {
    if command -v singularity >/dev/null; then
        singularity "$@"
        return
    fi
    case $1 in
    pull) sleep 0.3 ;;
    exec)
        sleep 0.2
        shift 2
        "$@"
        ;;
    esac
}

spanloom begin wrapper image="$image"

if [ ! -e "$image" ]; then
    spanloom begin pull
    container pull "$image"
    spanloom end pull
else
    spanloom event cached
fi

# From here on, what is started knows that it is part of `container`.  The payload says when it begins, so that what is
# left of `container` is what it took to start and to stop it.
eval "$(spanloom begin --export container)"
status=0
container exec "$image" spanloom span payload command="$1" -- "$@" || status=$?
eval "$(spanloom end --export container)"

spanloom end wrapper
exit "$status"
