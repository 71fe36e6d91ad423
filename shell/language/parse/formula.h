/* formula.h -- what the two files share that read expressions: formula.c (operators, brackets),
 * formula_value.c (what stands between them) */
#ifndef RANKSH_FORMULA_H
#define RANKSH_FORMULA_H

#include "shell/language/parse/parse.h"

/* [begin, end) is the expression, `at` how far it is read */
struct formula_reader {
	struct parser *parser;
	const char *at, *end, *begin;
};

/* formula.c */
void reader_skip(struct formula_reader *reader);                                 /* blanks, newlines too */
enum status reader_fails(const struct formula_reader *reader, const char *what); /* ST_SYNTAX at reader->at */
struct formula *formula_node(struct formula_reader *reader, enum formula_kind kind, const char *from);
void formula_holds(
        struct formula *formula, const struct formula *part); /* part (or NULL) stands below formula */
enum status formula_finish(struct formula_reader *reader, struct formula *formula,
        struct formula **made); /* it ends at reader->at */

/* formula_value.c: at their first character */
enum status read_number(struct formula_reader *reader, struct formula **made);
enum status read_text(struct formula_reader *reader, struct formula **made);
enum status read_name(struct formula_reader *reader,
        struct formula **made); /* and functions, metrics, elements, rank, world, inf */

#endif
