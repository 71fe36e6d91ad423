#!/bin/sh
# table.sh -- the table of commands follows the folder: make adds a new file to it, and removes a
# deleted one
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/shell/course" && cp -r "$here/Makefile" "$here/tools" "$work" && cp -r "$here/shell/commands" "$work/shell" && cp -r "$here/shell/course/commands" "$work/shell/course" && cd "$work" || exit 1
table() { make -s build/generated/table.c > "$work/said" 2>&1 && grep -c "command_$1\b" build/generated/table.c; }
# age: dates built files a minute back, so that a later change of a folder is newer
age() { find build -exec touch -d '-1 minute' {} +; }
before=$(table ping)
age
echo 'const struct command command_ping = { .name = "ping" };' > shell/commands/ping.c
added=$(table ping)
find shell tools Makefile -exec touch -d '-3 minutes' {} +
age
rm shell/commands/ping.c
deleted=$(table ping)
if [ "$before $added $deleted" = "0 2 0" ] && [ "$(table sync)" = 2 ]; then echo "ok the table of commands follows its folder"; else
	echo "FAIL the table of commands follows its folder: ping is named $before, $added, $deleted times, and 0, 2, 0 are right"
	cat "$work/said"
fi
