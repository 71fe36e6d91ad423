#!/bin/sh
# version.sh -- the binary, the manual page and the first entry of CHANGES have the Makefile's
# VERSION
set -u
cd "$(dirname "$0")/.." || exit 1
RANKSH=$(realpath "${RANKSH:-./ranksh}")
version=$(sed -n 's/^VERSION *= *//p' Makefile)
# is NAME FOUND: checks that FOUND is the version
is() { if [ -n "$version" ] && [ "$2" = "$version" ]; then echo "ok version: $1"; else echo "FAIL version: $1 is $2, and VERSION is $version"; fi; }
is "ranksh --version" "$("$RANKSH" --version | sed 's/^ranksh //')"
is "the newest entry of CHANGES" "$(sed -n 's/^\([0-9][0-9.]*\).*/\1/p' CHANGES | head -1)"
is "the manual page" "$(sed "s/@VERSION@/$version/" docs/help/ranksh.1 | sed -n 's/^\.TH RANKSH 1 "" "ranksh \(.*\)" ".*/\1/p')"
