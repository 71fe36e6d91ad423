#!/bin/sh
# A test of the shell scripts: shellcheck finds nothing, except what .shellcheckrc allows
set -u
cd "$(dirname "$0")/.." || exit 1
command -v shellcheck > /dev/null || { echo "skipped shellcheck: it is not installed"; exit 0; }
scripts=$(find .ci docs packaging python tests tools -type f ! -name '*.c' ! -name '*.rsh' -exec awk 'FNR == 1 && /^#!.*sh$/ { print FILENAME } { nextfile }' {} +)
# shellcheck disable=SC2086
if [ "$(echo "$scripts" | wc -l)" -gt 60 ] && said=$(shellcheck -S warning -f gcc $scripts docs/help/ranksh.bash 2>&1); then
	echo "ok shellcheck finds no warning in $(echo "$scripts" | wc -l) scripts"
else
	echo "FAIL shellcheck finds no warning in $(echo "$scripts" | wc -l) scripts"
	echo "$said"
fi
