#!/bin/sh
# deb.sh -- the Debian package of dist/ in a Debian 12 tree: lintian finds nothing; installed, used by
# a user without root, and removed without a rest
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/terminal/lib.sh
. tests/terminal/lib.sh
# shellcheck source=tests/packages/lib.sh
. tests/packages/lib.sh
trap 'tidy; clean' EXIT
trees_possible || { echo "skipped packages: deb"; exit 0; }
deb=$(echo dist/ranksh_*.deb)
timed lintian --fail-on error,warning "$deb"
check "deb: lintian finds nothing; it has $(megabytes "$deb") MB" [ $status = 0 ]
tree bookworm python3,python3-venv || { echo "skipped packages: no tree of bookworm"; exit 0; }
cp "$deb" "$tree/root"
timed inside root "apt-get update && $(page deb)"
check "deb: apt installs it and Open MPI in $seconds s" [ $status = 0 ]
timed inside learner "ranksh -n 4 -c 'print (6 * 7)'"
check "deb: 4 ranks print after $seconds s" said_line '= 42$'
same_numbers deb ranksh
opens deb "$(page_prompt deb)"
timed inside root "apt-get purge -y ranksh && find /usr /etc /var/lib -name '*ranksh*'"
check "deb: nothing of it is left after apt-get purge" [ "$(grep -c '^/' "$said")" = 0 ]
