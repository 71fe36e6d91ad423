#!/bin/sh
# guide.sh -- the examples of the guide print what the pages show
#
# In docs/guide/*.md and README.md a fence begins with one of
#     ```ranksh [OPTIONS]     a new script, run as `ranksh -n 4 OPTIONS --test`
#     ```ranksh more          continues the script of the block before it
#     ```ranksh file=NAME     is written to the file NAME, for the scripts of the page
#     ```sh                   lines of a shell, which must succeed; `ranksh` is on the path
# Lines that begin with `#>` are the output of the lines above them. All examples of a page share one folder.
. tests/script/lib.sh
pages=$(pwd)
for page in README.md docs/guide/*.md; do
	folder=$work/$(basename "$page" .md)
	mkdir "$folder"
	awk -v folder="$folder" '
	/^```ranksh/ {
		inside = 1; rest = substr($0, 11); sub(/^ */, "", rest)
		if (rest ~ /^file=/) { out = folder "/" substr(rest, 6); next }
		if (rest != "more") { out = sprintf("%s/example%02d", folder, ++count); print rest > (out ".options") }
		next
	}
	/^```sh$/ { inside = 1; out = sprintf("%s/example%02d", folder, ++count); print "sh" > (out ".options"); next }
	/^```/ { inside = 0; next }
	inside { print > out }' "$page"
	cd "$folder" || exit 1
	for options in example*.options; do
		[ -f "$options" ] || continue
		example=${options%.options}
		case $(cat "$options") in
		sh) within 60 env PATH="$(dirname "$RANKSH"):$PATH" sh -eu "$example" ;;
		*) within 60 "$RANKSH" -n 4 $(cat "$options") --test "$example" ;;
		esac > "$work/out" 2>&1 < /dev/null
		check "$page, example ${example#example}" [ $? = 0 ]
	done
	cd "$pages" || exit 1
done

# commands.md has every command and kernel
"$RANKSH" help all | tr -s ' ' '\n' | grep . > "$work/names"
while read -r name; do
	grep -qE "\`([^\`]*[^a-z_\`])?$name([^a-z_\`][^\`]*)?\`" docs/guide/commands.md || echo "$name"
done < "$work/names" > "$work/out"
check "commands.md has all of $(wc -l < "$work/names") commands" [ ! -s "$work/out" -a -s "$work/names" ]
