#!/bin/sh
# includes.sh -- a file includes the header of each name that it uses, and no header of which it
# uses no name; docs/internals/architecture.md lists the ways by which a name may come. The names
# of a header are its functions, macros, enumerators, types and tags. A field's struct is not
# known, so a field counts as a use only if one header alone has a field of that name.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/.." || exit 1

cat > "$work/includes.awk" <<'EOF'
# a line without comments, texts and characters; `comment`: one is open
function code(line,   out, mark, end) {
	if (comment) {
		if (!(end = index(line, "*/"))) return ""
		comment = 0
		line = substr(line, end + 2)
	}
	while (match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/\*|\/\//)) {
		out = out substr(line, 1, RSTART - 1) " "
		mark = substr(line, RSTART, 2)
		line = substr(line, RSTART + RLENGTH)
		if (mark == "//") return out
		if (mark == "/*") {
			if (!(end = index(line, "*/"))) { comment = 1; return out }
			line = substr(line, end + 2)
		} else out = out "\"\""
	}
	return out line
}

# ---- what a file declares. kind: word (a macro, enumerator, type or variable), call (a function), enum and struct (their tags)
function declare(name, kind) {
	if (FILENAME ~ /\.c$/) own[FILENAME, name]
	else if (!declared[FILENAME, name, kind]++) {
		homes[name, kind] = homes[name, kind] FILENAME " "
		names[FILENAME] = names[FILENAME] name "," kind " "
	}
}
# LIST(X) with `#define X(a, b) prefix_##b`: what it declares, once every list has been read
function expand(list) { if (prefix != "") pending[++lists] = FILENAME SUBSEP list SUBSEP prefix SUBSEP glued }
function settle(   i, j, n, part, item, argument) {
	for (i = 1; i <= lists; i++) {
		split(pending[i], part, SUBSEP)
		FILENAME = part[1]
		n = split(items[part[2]], item, "\n")
		for (j = 1; j < n; j++) { split(item[j], argument, /[ \t]*,[ \t]*/); declare(part[3] argument[part[4]], "word") }
	}
}
function enumerators(body,   i, n, item) {
	if (match(body, /[A-Z_0-9]+\(X\)/)) {
		expand(substr(body, RSTART, RLENGTH - 3))
		body = substr(body, 1, RSTART - 1) "," substr(body, RSTART + RLENGTH)
	}
	n = split(body, item, ",")
	for (i = 1; i <= n; i++) if (match(item[i], /[A-Za-z_0-9]+/)) declare(substr(item[i], RSTART, RLENGTH), "word")
}
# the last name of a text: of "int64_t dim[MOST]" dim
function last_name(text) {
	gsub(/\[[^\]]*\]|[ \t:0-9]+$/, "", text)
	return match(text, /[A-Za-z_][A-Za-z_0-9]*$/) ? substr(text, RSTART) : ""
}
# a whole declaration of the file's own level; bodies are {}
function declaration(text,   name) {
	gsub(/__attribute__ *\(\(([^()]|\([^()]*\))*\)\)|^[ \t]+/, "", text)
	if (match(text, /^[A-Z_0-9]+\(X\)/)) expand(substr(text, 1, RLENGTH - 3))
	else if (text ~ /^_Static_assert/ || (FILENAME ~ /\.c$/ && text !~ /^(static|typedef|INLINE)/)) return
	else if (text ~ /^(struct|union) [a-z_0-9]+[ \t]*$/) names[FILENAME] = names[FILENAME] last_name(text) ",struct "
	else if (text ~ /^typedef/) {
		if (match(text, /\(\*[a-z_0-9]+\)|[a-z_0-9]+\(/)) { name = substr(text, RSTART, RLENGTH); gsub(/[(*)]/, "", name) }
		else name = last_name(text)
		declare(name, "word")
	} else if (text !~ /=|^extern/ && match(text, /[A-Za-z_0-9]+\(/)) declare(substr(text, RSTART, RLENGTH - 1), "call")
	else { sub(/=.*/, "", text); if ((name = last_name(text)) != "") declare(name, "word") }
}
function fields(text,   i, n, item, name) {
	n = split(text, item, ",")
	for (i = 1; i <= n; i++) {
		name = match(item[i], /\(\*[a-z_0-9]+\)/) ? substr(item[i], RSTART + 2, RLENGTH - 3) : last_name(item[i])
		if (name != "" && !declared[FILENAME, name, "field"]++) { having[name]++; names[FILENAME] = names[FILENAME] name ",field " }
	}
}
function scan(line,   mark, word) {
	while (match(line, /[{};]/)) {
		mark = substr(line, RSTART, 1)
		piece = piece " " substr(line, 1, RSTART - 1)
		line = substr(line, RSTART + 1)
		if (!depth) text = text piece
		if (mark == "{") {
			depth++
			if (match(piece, /(struct|union|enum)( [a-z_0-9]+)?[ \t]*$/)) {
				split(substr(piece, RSTART), word, " ")
				if (word[2] != "") declare(word[2], word[1] == "enum" ? "enum" : "struct")
				if (word[1] == "enum") in_enum = depth
				else if (!in_struct && FILENAME ~ /\.h$/) in_struct = depth
			}
			if (depth == 1) text = text "{}"
		} else if (mark == "}") {
			if (depth == in_enum) { enumerators(piece); in_enum = 0 }
			if (depth == in_struct) in_struct = 0
			if (!--depth && text ~ /\)[ \t]*\{\}$/) { declaration(text); text = "" }
		} else if (!depth) { declaration(text); text = "" }
		else if (in_struct) fields(piece)
		piece = ""
	}
	piece = piece " " line
	if (!depth && piece ~ /^[ \t]*[A-Z_0-9]+\(X\)[ \t]*$/) { declaration(piece); piece = "" }
}
function define(line,   name, rest, part, word, i, n) {
	if (!match(line, /^#define [A-Za-z_0-9]+/)) return
	name = substr(line, 9, RLENGTH - 8)
	rest = substr(line, RLENGTH + 1)
	if (name == "X") {
		prefix = ""
		if (!match(rest, /[A-Za-z_]+##[a-z]+/)) return
		split(substr(rest, RSTART, RLENGTH), part, "##")
		prefix = part[1]
		n = split(substr(rest, 2, index(rest, ")") - 2), word, /[ \t]*,[ \t]*/)
		for (i = 1; i <= n; i++) if (word[i] == part[2]) glued = i
		return
	}
	declare(name, "word")
	if (match(rest, /enum \{[^}]*\}/)) enumerators(substr(rest, RSTART + 6, RLENGTH - 7))
	if (sub(/^\(X\)/, "", rest))
		while (match(rest, /X\([^)]*\)/)) { items[name] = items[name] substr(rest, RSTART + 2, RLENGTH - 3) "\n"; rest = substr(rest, RSTART + RLENGTH) }
}

# ---- what a file uses
function want(name, kind) {
	if (!asked[FILENAME, name, kind]++ && (name, kind) in homes) wants[FILENAME] = wants[FILENAME] name "," kind " "
}
function uses(line,   i, j, n, m, name, word, part, tag) {
	while (match(line, /(\.|->)[ \t]*[A-Za-z_][A-Za-z_0-9]*/)) {
		name = substr(line, RSTART, RLENGTH)
		line = substr(line, 1, RSTART - 1) " " substr(line, RSTART + RLENGTH)
		used[FILENAME, last_name(name), "field"]
	}
	while (match(line, /(struct|union|enum) [a-z_0-9]+[ \t]*/)) {
		split(substr(line, RSTART, RLENGTH), tag, " ")
		used[FILENAME, tag[2], "tag"]
		line = substr(line, 1, RSTART - 1) " " substr(line, RSTART + RLENGTH)
		if (tag[1] == "enum") want(tag[2], "enum")
		else if (substr(line, RSTART + 1, 1) ~ /[A-Za-z_)]/) want(tag[2], "struct") # a whole one, no pointer
	}
	n = split(line, word, /[^A-Za-z_0-9(]+/)
	for (i = 1; i <= n; i++) {
		m = split(word[i], part, "(")
		for (j = 1; j <= m; j++) if (part[j] != "") {
			used[FILENAME, part[j], "word"]
			want(part[j], "word")
			if (j < m) want(part[j], "call")
		}
	}
}

FNR == 1 { comment = depth = in_enum = in_struct = 0; piece = text = whole = prefix = ""; about = pass == 1; head = ""; if (pass == 2 && !settled++) { file = FILENAME; settle(); FILENAME = file } }
pass == 0 { is_file[$0]; file_at[++files] = $0; next }
about {
	head = head $0 "\n"
	if (/\*\//) { gsub(/[ \t\n]+(\* )?/, " ", head); if (index(head, "mbrella header")) umbrella[FILENAME]; about = 0 }
}
/^#include "/ {
	split($0, quoted, "\"")
	header = ("src/" quoted[2]) in is_file ? "src/" quoted[2] : quoted[2]
	if (pass == 1 && header in is_file) included[FILENAME] = included[FILENAME] header " "
	next
}
{
	line = whole code($0)
	whole = ""
	if (sub(/\\$/, "", line)) whole = line " "
	else if (pass == 1) { if (line ~ /^#/) define(line); else scan(line) }
	else if (line !~ /^#define [A-Z_]+\(X\)/) uses(line)
}

# ---- whether the two agree
function bring(header,   i, n, list) {
	if (header in reached) return
	reached[header]
	if (!(header in umbrella)) return
	n = split(included[header], list, " ")
	for (i = 1; i <= n; i++) bring(list[i])
}
function bring_all(file,   i, n, list) {
	n = split(included[file], list, " ")
	for (i = 1; i <= n; i++) bring(list[i])
}
function folder(path) { sub(/[^\/]*$/, "", path); return path }
# does the file use a name that the header declares, or as an umbrella brings
function is_used(file, header,   i, n, list, part, kind) {
	n = split(names[header], list, " ")
	for (i = 1; i <= n; i++) {
		split(list[i], part, ",")
		kind = part[2] == "struct" || part[2] == "enum" ? "tag" : part[2] == "field" ? "field" : "word"
		if ((file, part[1], kind) in used && (kind != "field" || having[part[1]] == 1)) return 1
	}
	if (!(header in umbrella)) return 0
	n = split(included[header], list, " ")
	for (i = 1; i <= n; i++) if (list[i] !~ /^src\/base\// && is_used(file, list[i])) return 1
	return 0
}
END {
	for (f = 1; f <= files; f++) {
		file = file_at[f]
		split("", reached)
		reached[file]
		bring_all(file)
		header = file
		if (sub(/\.c$/, ".h", header)) bring_all(header)
		n = split(wants[file], list, " ")
		for (i = 1; i <= n; i++) {
			split(list[i], part, ",")
			if ((file, part[1]) in own) continue
			m = split(homes[part[1], part[2]], home, " ")
			comes = 0
			from = home[1]
			for (j = 1; j <= m; j++) {
				if (home[j] in reached || home[j] ~ /^src\/base\//) comes = 1
				if (folder(home[j]) == folder(file)) from = home[j]
			}
			if (!comes) print "missing", file ": " part[1] " of " from
		}
		if (file in umbrella) continue
		n = split(included[file], list, " ")
		for (i = 1; i <= n; i++) if (list[i] != header && !is_used(file, list[i])) print "unused", file ": no name of " list[i]
	}
}
EOF
# wrong FOLDER: prints its mistakes, one a line
wrong() (
	cd "$1" || exit 1
	find shell src -name '*.[ch]' | sort > "$work/files"
	# shellcheck disable=SC2046
	awk -f "$work/includes.awk" pass=0 "$work/files" pass=1 $(cat "$work/files") pass=2 $(cat "$work/files")
)

wrong . > "$work/wrong"
for kind in missing unused; do
	case $kind in missing) what="each name comes by an include" ;; *) what="each include is used" ;; esac
	if [ "$(wc -l < "$work/files")" -gt 300 ] && ! grep -q "^$kind" "$work/wrong"; then echo "ok $what"; else
		echo "FAIL $what: $(grep -c "^$kind" "$work/wrong") do not"
		sed -n "s/^$kind //p" "$work/wrong" | head -40
	fi
done

# a small tree with a mistake of each kind, and with correct code that looks like a mistake
mkdir -p "$work/tree/shell" "$work/tree/src/base" "$work/tree/src/world" && cd "$work/tree" || exit 1
echo 'int base_call(void);' > src/base/base.h
cat > src/world/op.h <<'EOF'
#define KINDS(X) X(COPY, "copy") X(WAIT, "wait")
enum op_kind {
	OP_NONE,
#define X(symbol, name) OP_##symbol,
	KINDS(X)
#undef X
	        OP_COUNT
};
#define OP_MACRO(a) (a)
typedef int op_id;
struct op {
	int only_here;
};
extern const struct op op_row;
int op_call(op_id id);
static inline int op_ask(void)
{
	return 1;
}
EOF
cat > src/world/world.h <<'EOF'
/* world.h -- what many files ask for. An umbrella header: it brings
 * along what it includes. */
#include "world/op.h"
EOF
cat > src/world/plain.h <<'EOF'
#include "world/op.h"
int plain(struct op *op);
EOF
# every kind of name, used
cat > "$work/uses" <<'EOF'
#include "world/plain.h"
op_id use(struct op *pointer)
{
	struct op whole = op_row;
	enum op_kind kind = OP_MACRO(OP_WAIT) + OP_NONE + OP_COUNT;
	return op_call(kind) + op_ask() + base_call() + plain(&whole);
}
EOF
cp "$work/uses" src/world/stray.c
echo '#include "world/world.h"' | cat - "$work/uses" > src/world/brought.c
cp "$work/uses" src/world/own.c
echo '#include "world/op.h" /* for own.c */' > src/world/own.h
echo 'op_id own(void);' >> src/world/own.h
cat > src/world/names.c <<'EOF'
#include "base/base.h"
#include "world/plain.h"
int none = plain(0); /* OP_WAIT
base_call() */ // op_id
const char *words = "OP_COUNT" "\" op_call(";
int at = words.op_row + words->op_id;
EOF
cat > src/world/field.c <<'EOF'
#include "world/op.h"
int by_field(struct any *any)
{
	return any->only_here;
}
EOF
cat > src/world/none.c <<'EOF'
#include "world/world.h"
static int op_call_of_mine(struct any *any)
{
	return any->op_id;
}
EOF
cat > "$work/wanted" <<'EOF'
missing src/world/stray.c: OP_COUNT of src/world/op.h
missing src/world/stray.c: OP_MACRO of src/world/op.h
missing src/world/stray.c: OP_NONE of src/world/op.h
missing src/world/stray.c: OP_WAIT of src/world/op.h
missing src/world/stray.c: op of src/world/op.h
missing src/world/stray.c: op_ask of src/world/op.h
missing src/world/stray.c: op_call of src/world/op.h
missing src/world/stray.c: op_id of src/world/op.h
missing src/world/stray.c: op_kind of src/world/op.h
missing src/world/stray.c: op_row of src/world/op.h
unused src/world/names.c: no name of src/base/base.h
unused src/world/none.c: no name of src/world/world.h
EOF
if wrong . | LC_ALL=C sort | diff "$work/wanted" - > "$work/differs"; then echo "ok a mistake of each kind is found"; else
	echo "FAIL a mistake of each kind is found (< wanted, > found)"
	cat "$work/differs"
fi
