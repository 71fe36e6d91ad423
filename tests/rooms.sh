#!/bin/sh
# rooms.sh -- folders are layers, listed from top to bottom in tests/rooms.txt. A file calls and
# includes only files in its own folder and in lower ones. The test reads calls from the object
# files of the binary under test, with nm. layout.md has a row for each folder, and names the
# largest circle of files within one.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(dirname "$(realpath "${RANKSH:-$here/build/ranksh}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here" || exit 1

layout=docs/internals/layout.md
order=tests/rooms.txt

# every folder with code is in the list, and every line of the list is a folder (or main.c)
find shell src -name '*.[ch]' | sed '/main\.c$/!s|/[^/]*$||' | sort -u > "$work/folders"
if sort $order | diff - "$work/folders" > "$work/list"; then
	echo "ok $order lists every folder with code"
else
	echo "FAIL $order lists every folder with code (< in the list, > in the tree)"
	cat "$work/list"
fi

# layout.md has a row for each of these folders, and no other row
sed -n 's/^| `\([^` ]*\)` |.*/\1/p' $layout | sed 's|/$||' | grep -E '^(shell|src)/' | sort > "$work/rows"
if sort $order | diff "$work/rows" - > "$work/list"; then
	echo "ok $layout has a row for every folder"
else
	echo "FAIL $layout has a row for every folder (< in the page, > in the list)"
	cat "$work/list"
fi

# Prints CALLER CALLED SYMBOL lines from the objects whose source still exists. The table of
# commands belongs to main.c, which passes it to lower folders; embedded files belong to no folder.
find "$build/shell" "$build/src" "$build/generated" -name '*.o' | while read -r object; do
	source=${object#"$build"/}
	case $source in generated/embedded.o | generated/fatbin.o) continue ;; generated/*) ;; *) [ -f "${source%.o}.c" ] || continue ;; esac
	echo "$object"
done | xargs nm -A | awk -v build="$build/" '
	{ file = substr($1, length(build) + 1); sub(/\.o:.*/, "", file); sub(/^generated\/table$/, "shell/main", file); sub(/^[^:]*:/, "") }
	NF == 3 && $2 ~ /[TDRBCV]/ { print "has", file, $3 }
	NF == 3 && $2 ~ /[tdrb]/ && $3 !~ /[.]/ { print "static", file, $3 }
	NF == 2 && $1 == "U" { print "wants", file, $2 }' | sort > "$work/names"
awk '$1 == "has" { has[$3] = $2 } $1 == "wants" && has[$3] && has[$3] != $2 { print $2, has[$3], $3 }' "$work/names" > "$work/calls"
# an exported name is not also a static of another file
awk '$1 == "has" { has[$3] = $2 } $1 == "static" && has[$3] { print $3 ": " has[$3] ", static in " $2 }' "$work/names" > "$work/twice"
if [ "$(grep -c '^static' "$work/names")" -gt 400 ] && [ ! -s "$work/twice" ]; then
	echo "ok no exported name is a static of another file"
else
	echo "FAIL no exported name is a static of another file"
	cat "$work/twice"
fi
# the same of #include lines
find shell src -name '*.[ch]' -exec grep -Ho '^#include "[^"]*"' {} + | sed 's/"//g; s/:#include / /' | while read -r file header; do
	[ -f "src/$header" ] && header=src/$header
	[ -f "$header" ] && echo "$file $header #include"
done > "$work/includes"

# calls and includes that go up
cat > "$work/up.awk" <<'EOF'
function room(file) { if (file !~ /^shell\/main(\.c)?$/) sub(/\/[^\/]*$/, "", file); else file = "shell/main.c"; return file }
FNR == NR { place[$1] = ++count; next }
{ above = place[room($1)]; below = place[room($2)]; if (above && below && below < above) print $1 " -> " $2 ": " $3 }
EOF
for kind in calls includes; do
	awk -f "$work/up.awk" "$order" "$work/$kind" > "$work/up"
	if [ -s "$order" ] && [ "$(wc -l < "$work/$kind")" -gt 300 ] && [ ! -s "$work/up" ]; then
		echo "ok $kind go down only"
	else
		echo "FAIL $kind go down only: $(wc -l < "$work/up") of $(wc -l < "$work/$kind") go up"
		head -40 "$work/up"
	fi
done

# only the backends, and the file of shell/ that chooses one, include the headers of a backend
awk '$2 ~ /^src\/(sim|cuda)\// && $1 !~ /^src\/(sim|cuda)\// { print $1 }' "$work/includes" | sort -u > "$work/choosers"
if [ "$(cat "$work/choosers")" = shell/session/device.c ]; then
	echo "ok one file knows which backends there are"
else
	echo "FAIL one file knows which backends there are: $(tr '\n' ' ' < "$work/choosers")"
fi

# the largest set of files in one folder that call each other, directly or through others
awk '
function folder(file) { sub(/\/[^\/]*$/, "", file); return file }
folder($1) == folder($2) && !edge[$1, $2]++ { next_of[$1] = next_of[$1] " " $2; file[$1]; file[$2] }
function reach(from,   seen, stack, n, i, list, k) {
	n = 0; stack[++n] = from
	while (n) { k = split(next_of[stack[n--]], list, " "); for (i = 1; i <= k; i++) if (!(list[i] in seen)) { seen[list[i]]; stack[++n] = list[i] } }
	for (i in seen) reaches[from, i]
}
END {
	for (f in file) reach(f)
	for (f in file) { size = 0; for (g in file) if (((f, g) in reaches) && ((g, f) in reaches)) size++; if (size > most) { most = size; where = folder(f) } }
	print "`" where "` (" most + 0 " files)"
}' "$work/calls" > "$work/largest"
tr -s '\n ' '  ' < $layout | tr -s ' ' | grep -qFf "$work/largest" && word=ok || word=FAIL
echo "$word $layout names the largest circle of files within one folder: $(cat "$work/largest")"

# headers with a list "Files:", and READMEs of shell/ with a table of files, list all files of
# their folder
names() { sed '/\*\//q' "$1" | grep -qE "(^|[^a-z_0-9])$2\\.c"; }
{
	find shell src -name '*.h' -exec grep -lE '^ \* Files[:,]' {} + | while read -r list; do echo "$list ${list%/*}"; done
	grep -l '^| file | idea |' shell/*/README.md shell/*/*/README.md | while read -r list; do find "${list%/*}" -type d | sed "s|^|$list |"; done
} > "$work/listing"
while read -r list folder; do
	for file in "$folder"/*.c; do
		[ ! -f "$file" ] || names "$list" "$(basename "$file" .c)" || echo "     $list does not name $file"
	done
done < "$work/listing" > "$work/unlisted"
[ "$(wc -l < "$work/listing")" -gt 10 ] && [ ! -s "$work/unlisted" ] && word=ok || word=FAIL
echo "$word headers and READMEs that list the files of their folder list them all"
cat "$work/unlisted"
