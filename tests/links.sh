#!/bin/sh
# links.sh -- every relative link in the .md files leads to a file of the repository, and every
# #anchor to a heading of that file. The prose of README.md and docs/ ends before column 100. Paths
# in backquotes exist.
set -u
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
find . -name '*.md' -not -path './build*' -not -path './.git/*' | sed 's|^\./||' | sort > "$work/pages"

# Prints a line FILE ANCHOR for each heading, with the anchor that GitHub makes of it (lower case,
# hyphens for blanks, no other punctuation), and a line LINK FILE LINE TARGET for each link. Leaves
# out code.
cat > "$work/read.awk" <<'EOF2'
FNR == 1 { code = 0; delete times }
/^ *```/ { code = !code; next }
code || /^    / { next }
/^#+ / {
	name = tolower($0); sub(/^#+ +/, "", name); gsub(/[^a-z0-9 _-]/, "", name); gsub(/ /, "-", name)
	print "ANCHOR", FILENAME, name (times[name] ? "-" times[name] : ""); times[name]++
}
{
	line = $0
	while (match(line, /\]\([^)]*\)/)) {
		print "LINK", FILENAME, FNR, substr(line, RSTART + 2, RLENGTH - 3)
		line = substr(line, RSTART + RLENGTH)
	}
}
EOF2
xargs awk -f "$work/read.awk" < "$work/pages" > "$work/found"

grep '^LINK' "$work/found" | while read -r _ page line target; do
	case $target in *://* | mailto:*) continue ;; esac
	file=${target%%#*}
	case $target in *'#'*) anchor=${target#*#} ;; *) anchor= ;; esac
	if [ -z "$file" ]; then file=$page; else file=$(realpath -m --relative-to=. "$(dirname "$page")/$file"); fi
	if [ ! -e "$file" ]; then
		echo "$page:$line: no file $target"
	elif [ -n "$anchor" ] && ! grep -qxF "ANCHOR $file $anchor" "$work/found"; then
		echo "$page:$line: no heading $target"
	fi
done > "$work/wrong"
links=$(grep -c '^LINK' "$work/found")
if [ "$links" -gt 20 ] && [ ! -s "$work/wrong" ]; then
	echo "ok $links links of $(wc -l < "$work/pages") pages lead somewhere"
else
	echo "FAIL $(wc -l < "$work/wrong") of $links links lead nowhere"
	cat "$work/wrong"
fi

# Tables, examples and lines with an address may be longer. A character of several bytes counts
# once.
awk '
FNR == 1 { code = 0 }
/^ *```/ { code = !code }
code || /^\|/ || /^ *    / || /:\/\// { next }
{ line = $0; gsub(/[\200-\277]/, "", line); if (length(line) >= 100) print FILENAME ":" FNR ": " length(line) " columns" }' README.md docs/*.md docs/*/*.md > "$work/wide"
if [ ! -s "$work/wide" ]; then
	echo "ok prose ends before column 100"
else
	echo "FAIL prose ends before column 100"
	cat "$work/wide"
fi

# A path of the repository in backquotes must be a file or a folder; NAME, * and the like match
# any.
grep -noE '`(src|shell|tests|tools|strategies|lessons|machines|docs)/[A-Za-z0-9_./-]*`' README.md docs/*.md docs/*/*.md | tr -d '`' | while IFS=: read -r page line path; do
	case $path in *NAME* | *FILE* | */NN-*) continue ;; esac
	[ -e "$path" ] || echo "$page:$line: no file $path"
done > "$work/gone"
if [ ! -s "$work/gone" ]; then
	echo "ok paths of the repository that the pages name exist"
else
	echo "FAIL paths of the repository that the pages name exist"
	cat "$work/gone"
fi
