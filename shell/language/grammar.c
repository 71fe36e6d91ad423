/* grammar.c -- the text of `help grammar` */
#include "shell/language/command.h"

const char *grammar_text(void)
{
	return
		"One line, one command:\n"
		"  [@RANKS] COMMAND ARGS [on STREAM] [in GROUP] [key=value ...]       # comment\n"
		"  [@RANKS] OUT ... = KERNEL IN ... [on STREAM] [key=value ...]       # left of = is written\n"
		"  [@RANKS] [on STREAM] [in GROUP] { lines that share the clauses }\n"
		"\n"
		"  script    = { statement ( newline | \";\" ) }          block = \"{\" script \"}\"\n"
		"  statement = { clause } block | [ \"@\"RANKS ] ( command | keyword )\n"
		"  command   = [ TENSOR { TENSOR } ( \"=\" | \"+=\" ) ] ( WORD { argument | clause } [ block ] | TENSOR )\n"
		"  clause    = \"@\"RANKS | \"on\" STREAM | \"in\" GROUP                    any order, each once\n"
		"  keyword   = \"tensor\" { NAME SHAPE | FLAG } [ \"=\" ( WORD { KEY\"=\"expr } | expr ) ]\n"
		"            | \"let\" NAME \"=\" expr | \"if\" expr block [ \"else\" ( block | \"if\" ... ) ]\n"
		"            | \"repeat\" expr block | \"for\" NAME \"in\" ( range | word { word } ) block\n"
		"            | \"def\" NAME { NAME } block | \"expect\" ( expr | \"error\" block )\n"
		"  argument  = TENSOR | expr | SHAPE | FLAG | KEY\"=\"( expr | word ) | \"->\" | \"text\"\n"
		"  TENSOR    = NAME [ \".T\" ] [ \"[\" index { \",\" index } \"]\" ]          index = expr | [ expr ] \":\" [ expr ]\n"
		"  SHAPE     = \"[\" expr { \",\" expr } \"]\"                              range = expr \":\" expr [ \":\" expr ]\n"
		"  RANKS     = \"all\" | 0 | 0-3 | 1,3 | AXIS=0,AXIS=1 | \"(\" expr \")\"\n"
		"\n"
		"  A word ends at a blank outside brackets and quotes; an expression inside an argument has no\n"
		"  blanks or stands in brackets: to=(rank+1)%world. a:b leaves b out; @0-3 includes 3.\n"
		"  $i and $(i+1) inside a word or a \"text\" are replaced by their value: h$i, \"loss $(loss[0])\".\n"
		"  Expressions: numbers with units (2ms 4k 80% 1.5x 12GB/s), rank world inf, variables, mesh axes,\n"
		"  + - * / // %  == != < <= > >=  and or not, min max abs sqrt ceil round log2, x[0,0] close(x,y)\n"
		"  norm(x) sum(x) bytes(x) size(GROUP), and the metrics time overlap(s,t) busy(s)\n"
		"  exposed exposed(s) stall(cause) elapsed(e1,e2) peak bubble sent busbw(op) count(op) races stuck\n"
		"  of the current section, or of the one named last: time(naive).\n";
}
