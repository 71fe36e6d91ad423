#!/bin/sh
# tarball.sh -- the tarball of dist/ in a Debian 11 tree with its Open MPI: unpacked by a user without
# root, and moved afterwards
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/terminal/lib.sh
. tests/terminal/lib.sh
# shellcheck source=tests/packages/lib.sh
. tests/packages/lib.sh
trap 'tidy; clean' EXIT
trees_possible || { echo "skipped packages: tarball"; exit 0; }
tarball=$(echo dist/ranksh-*.tar.xz)
check "the tarball has $(megabytes "$tarball") MB, fewer than 25" [ "$(stat -c %s "$tarball")" -lt 25000000 ]
tree bullseye python3,python3-venv || { echo "skipped packages: no tree of bullseye"; exit 0; }
cp "$tarball" "$tree/home/learner"
timed inside root "apt-get update && apt-get install -y --no-install-recommends xz-utils openmpi-bin"
check "tarball: Debian 11 installs its Open MPI in $seconds s" [ $status = 0 ]
timed inside learner "$(page tarball)"
check "tarball: unpacked and moved in $seconds s" [ $status = 0 ]
timed inside learner "ranksh/bin/ranksh -n 4 -c 'print (6 * 7)'"
check "tarball: 4 ranks print after $seconds s" said_line '= 42$'
same_numbers tarball ranksh/bin/ranksh
opens tarball "$(page_prompt tarball)"
