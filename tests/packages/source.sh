#!/bin/sh
# source.sh -- the source in a Debian 12 tree that has only make: `make start` of a user without root
# says what helps; of root it installs packages, builds and starts; then a user installs the program
# in the own home
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/terminal/lib.sh
. tests/terminal/lib.sh
# shellcheck source=tests/packages/lib.sh
. tests/packages/lib.sh
trap 'tidy; clean' EXIT
trees_possible || { echo "skipped packages: source"; exit 0; }
tree bookworm python3,python3-venv || { echo "skipped packages: no tree of bookworm"; exit 0; }
timed inside root "apt-get update && apt-get install --no-install-recommends make"
for part in CHANGES LICENSE Makefile README.md docs lessons machines packaging python shell src strategies tools; do
	cp -R $part "$tree/home/learner"
done
chown -R --reference="$tree/home/learner" "$tree/home/learner"
timed inside learner "$(page start)"
check "source: make start without root is refused" [ $status != 0 ]
check "source: ... and says what root types" said_line 'apt-get install .*libreadline-dev'
check "source: ... and what helps without root" said_line 'that another computer built'
timed inside root "cd ../home/learner && $(page start) < /dev/null"
check "source: make start as root installs packages, builds and starts in $seconds s" [ $status = 0 ]
chown -R --reference="$tree/home/learner" "$tree/home/learner"
timed inside learner "$(page source)"
check "source: make install without root" [ $status = 0 ]
opens source "$(page_prompt source)"
