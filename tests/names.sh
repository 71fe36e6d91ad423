#!/bin/sh
# names.sh -- the files of one program share a scope. No file may set, at its top or in a def, a
# name that another file of the same program has at its top and reads in a def. Three cases are
# allowed: files of which one sources the other; an option that two strategies have, because it has
# one value; and names that a model has for strategies to set (`meant`).
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$(dirname "$0")/.." || exit 1

cat > "$work/names.awk" <<'EOF2'
BEGIN {
	# of training.rsh and what it sources; of gpt's files; `overlap`: who has buckets has the option
	split("replica replicas micros gathers rows first fresh weigh length apart width row col pieces taken_late data_space store base loader_held asked_gradient clip_here overlap masked", list)
	split("heads experts_here first_expert far came router_share table_begun", more)
	for (i in list) meant[list[i]]; for (i in more) meant[more[i]]
}
# "low_$c" -> "low_": names that differ only in a number count as one
function key(name) { sub(/\$.*/, "", name); return name }
# the names that a def reads and has not set itself
function read_words(text,   word) {
	while (match(text, /[A-Za-z_][A-Za-z0-9_]*/)) {
		word = substr(text, RSTART, RLENGTH); text = substr(text, RSTART + RLENGTH)
		sub(/_[0-9]+$/, "_", word)
		if (!(word in own)) reads[file, word]
	}
}
function set_name(name) {
	if (name == "" || name in own) return
	if (define == "") {
		if (!((file, name) in top)) { top[file, name] = FNR; tops[name] = tops[name] " " file }
		if (name ~ /^[a-z]$/ && !((file, name) in option)) letters = letters " " file ":" FNR ": " name
	} else {
		own[name]
		if (length(name) > 1 && !((file, name) in inner)) { inner[file, name] = FNR; inners[name] = inners[name] " " file }
	}
}
FNR == 1 {
	file = FILENAME; sub(/^.*strategies\//, "", file); sub(/\.rsh$/, "", file)
	files[++count] = file; depth = 0; define = ""
	kind[file] = file ~ /^models\// ? "model" : file ~ /^parts\// ? "part" : "strategy"
}
/^# axis / && FNR < 30 { word = $3; sub(/:.*/, "", word); axis[file] = word }
/^# alone:/ { alone[file] }
{
	# the line without its comment; texts are read for names, and go
	text = ""; line = $0
	while (match(line, /"[^"]*"|(^|[ \t;{}])#/)) {
		found = substr(line, RSTART, RLENGTH)
		text = text substr(line, 1, RSTART - 1) " "
		line = found ~ /^"/ ? substr(line, RSTART + RLENGTH) : ""
		if (found ~ /^"/ && define != "") read_words(found)
	}
	text = text line
	# statement by statement
	while ((at = match(text, /[{};]/))) { statement(substr(text, 1, at - 1), substr(text, at, 1)); text = substr(text, at + 1) }
	statement(text, ";")
}
function statement(text, mark,   word, n, i) {
	n = split(text, word, /[ \t]+/); i = word[1] == "" ? 2 : 1
	if (word[i] == "def") {
		define = word[i + 1]; level = depth; split("", own)
		if (!((file, define) in defs)) definers[define] = definers[define] " " file
		defs[file, define]
		for (i += 2; i <= n; i++) if (word[i] != "") own[word[i]]
	} else if (word[i] == "for") { if (define != "") own[word[i + 1]] }
	else if (word[i] == "source") sources[file, word[i + 1]]
	else if (word[i] == "replaced" && define != "") replaces[file, define]
	else if (word[i] == "let") { sub(/^ *let +[^ ]+/, "", text); if (define != "") read_words(text); set_name(key(word[i + 1])); return nest(mark) }
	else if (word[i] == "option" && define == "") { sub(/=.*/, "", word[i + 1]); option[file, word[i + 1]]; set_name(word[i + 1]) }
	if (define != "") read_words(text)
	nest(mark)
}
function nest(mark) {
	if (mark == "{") depth++
	if (mark == "}" && --depth == level) { define = ""; split("", own) }
}
# ---- which files may stand in one program
function knows(a, b,   c) {
	if ((a, b) in under || (b, a) in under) return 1
	for (c in kind) if (!(c in base) && (c, a) in under && (c, b) in under) return 1
	return 0
}
function beside(s, t) { return s == t || axis[s] != axis[t] && !(s in alone) && !(t in alone) }
function together(a, b,   s, t) {
	if (kind[a] == "model" && kind[b] == "model" || knows(a, b)) return 0
	if (a in base || b in base) return 1
	for (s in axis) for (t in axis) if ((s == a || (s, a) in under) && (t == b || (t, b) in under) && beside(s, t)) return 1
	return 0
}
# is a name from the top of file a read in a def?
function is_read(a, name,   f) {
	for (f in kind) if ((f, name) in reads && (f == a || knows(f, a) || f in base && a in base)) return 1
	return 0
}
function collide(a, b, name, how) {
	if (name in meant) { used[name]; return }
	print "   " name ": " a " and " b " " how
}
END {
	for (pass = 1; pass <= 4; pass++) for (i = 1; i <= count; i++) for (k = 1; k <= count; k++) {
		a = files[i]; b = files[k]; part = b; sub(/^parts\//, "", part)
		if (kind[b] == "part" && (a, part) in sources) under[a, b]
		for (m = 1; m <= count; m++) if ((a, b) in under && (b, files[m]) in under) under[a, files[m]]
	}
	for (i = 1; i <= count; i++) for (k = 1; k <= count; k++) if (kind[files[k]] == "model" && (files[i] == files[k] || (files[k], files[i]) in under)) base[files[i]]
	for (name in tops) {
		n = split(tops[name], owner, " ")
		for (i = 1; i <= n; i++) for (k = i + 1; k <= n; k++)
			# a model is read first: what it has no more use for may be set anew
			if (together(owner[i], owner[k]) && !((owner[i], name) in option && (owner[k], name) in option) &&
					(owner[i] in base ? is_read(owner[i], name) : owner[k] in base ? is_read(owner[k], name) : is_read(owner[i], name) || is_read(owner[k], name)))
				collide(owner[i], owner[k], name, "have it at their tops")
		m = split(inners[name], setter, " ")
		for (i = 1; i <= m; i++) for (k = 1; k <= n; k++)
			if (!((setter[i], name) in top) && together(setter[i], owner[k]) && is_read(owner[k], name))
				collide(setter[i], owner[k], name, ": a def of the first sets what is the second one's (line " inner[setter[i], name] ")")
	}
	for (name in definers) {
		n = split(definers[name], owner, " "); place = 0
		for (i = 1; i <= n; i++) place = place || owner[i] in base
		for (i = 1; i <= n; i++) for (k = i + 1; k <= n; k++)
			if (!place && together(owner[i], owner[k]) && !((owner[i], name) in replaces) && !((owner[k], name) in replaces))
				print "   " name ": " owner[i] " and " owner[k] " define it, and neither calls `replaced`"
	}
	if (letters != "") print "   a variable of a file has a word for a name:" letters
	for (name in meant) if (!(name in used)) print "   " name " is meant to be set, and nobody does"
	print count, length(tops) > "/dev/stderr"
}
EOF2
scan() { awk -f "$work/names.awk" "$1"/*.rsh "$1"/parts/*.rsh "$1"/models/*.rsh 2> "$work/counts" | sort; }
scan strategies > "$work/found"
files=$(cut -d' ' -f1 "$work/counts")
if [ "$files" -gt 20 ] && [ ! -s "$work/found" ]; then echo "ok files that stack share no name ($files files)"; else
	echo "FAIL files that stack share no name ($files files)"
	cat "$work/found"
fi

# collisions are found: of a def's variable, a variable at the top, an option of the model, a def
planted() {
	mkdir "$work/strategies"
	cp -r strategies/. "$work/strategies"
	echo "$2" >> "$work/strategies/$1.rsh"
	scan "$work/strategies" > "$work/found"
	if grep -q "^   $3: " "$work/found"; then echo "ok planted: $2"; else echo "FAIL planted: $2"; fi
	rm -r "$work/strategies"
}
planted tp 'def planted { let spot = 1 }' spot
planted tp 'let spot = 1' spot
planted pipeline 'def planted { if stages > 1 { let top = 1 } }' top
planted context 'def swap_all x { y = relu x }; def cut_piece c { }' cut_piece
