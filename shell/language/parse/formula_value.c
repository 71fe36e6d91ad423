/* formula_value.c -- the operands of expressions.
 *
 *     4  2ms  64MB  "text $x"  f(a, b)  time  x[0,i]  name$i  rank  world  inf
 *
 * A name before a bracket is a function of rows.h, whose row has the kind of each argument. Most
 * metrics need no bracket. */
#include "shell/language/parse/parse.h"
#include "base/memory.h"

#include <math.h>

static void add_read(struct formula_reader *reader, struct formula *formula)
{
	struct parser *parser = reader->parser;
	formula->reads_data = formula->moment = true;
	formula->place = (int)parser->read_count;
	*MEM_ADD(&parser->reads, &parser->read_count) = formula;
}

/* 2ms is a time, 2x a factor, 2xs an error. number_read may read beyond the expression's end. */
enum status read_number(struct formula_reader *reader, struct formula **made)
{
	int used = 0;
	struct formula *formula = formula_node(reader, FORMULA_NUMBER, reader->at);
	enum status status = number_read(reader->at, &formula->number, &used);
	if (status != ST_OK)
		return status;
	if (used > reader->end - reader->at)
		return reader_fails(reader, "a number was expected");
	reader->at += used;
	if (reader->at < reader->end &&
	        (is_name_char(*reader->at) || *reader->at == '.' || *reader->at == '$'))
		return reader_fails(reader, "a number and a name run together");
	return formula_finish(reader, formula, made);
}

enum status read_text(struct formula_reader *reader, struct formula **made)
{
	const char *from = reader->at, *after = quote_end(from, reader->end);
	struct formula *formula = formula_node(reader, FORMULA_TEXT, from);
	if (!after)
		return reader_fails(reader, "the closing quote is missing");
	enum status status = parse_name(reader->parser, from, after, &formula->name);
	reader->at = after;
	formula_holds_name(formula);
	return status == ST_OK ? formula_finish(reader, formula, made) : status;
}

static enum status read_argument(struct formula_reader *reader, char kind, struct function_argument *argument)
{
	const char *from = skip_blanks(reader->at, reader->end, true);
	const char *stop = find_outside(from, reader->end, ",)");
	if (!stop)
		return reader_fails(reader, "')' is missing");
	const char *to = trim_end(from, stop);
	reader->at = stop;
	if (to == from)
		return reader_fails(reader, "an argument is missing");
	if (kind == 'n')
		return parse_formula(reader->parser, from, to, &argument->formula);
	return kind == 't' ? parse_tensor(reader->parser, from, to, &argument->tensor)
	                   : parse_name(reader->parser, from, to, &argument->name);
}

static enum status wrong_count(const struct function_row *row)
{
	int most = (int)strlen(row->kinds);
	if (row->least == most)
		return fail(ST_ARGUMENT, "%s takes %d argument%s", row->name, row->least,
		        row->least == 1 ? "" : "s");
	return fail(ST_ARGUMENT, "%s takes %d to %d arguments", row->name, row->least, most);
}

static enum status read_function(struct formula_reader *reader, struct formula *formula,
        const struct function_row *row, struct formula **made)
{
	struct function_argument argument[16];
	enum status status = ST_OK;

	memset(argument, 0, sizeof argument);
	formula->kind = FORMULA_FUNCTION;
	formula->function = row;
	if (reader->at < reader->end && *reader->at == '(') {
		do {
			reader->at++;
			reader_skip(reader);
			if (formula->arguments == 0 && reader->at < reader->end && *reader->at == ')')
				break;
			char kind = row->kinds[formula->arguments];
			if (!kind)
				return wrong_count(row);
			status = read_argument(reader, kind, &argument[formula->arguments]);
			if (status != ST_OK)
				return status;
			formula_holds(formula, argument[formula->arguments++].formula);
		} while (*reader->at == ',');
		reader->at++;
	}
	if (formula->arguments < row->least)
		return wrong_count(row);
	formula->argument = tree_alloc(reader->parser->tree, (formula->arguments + 1u) * sizeof *argument);
	memcpy(formula->argument, argument, formula->arguments * sizeof *argument);
	formula->moment |= function_is_metric(row);
	if (row->nature == NATURE_DATA)
		add_read(reader, formula);
	return formula_finish(reader, formula, made);
}

static enum status unknown_function(struct slice_of_text written)
{
	char word[WORD_SHOWN];
	word_text(written, word);
	const char *hint = hint_word(word), *near = function_near(word);
	if (hint)
		return fail(ST_NAME, "here: %s", hint);
	if (near)
		return fail(ST_NAME, "no function '%s'; did you mean '%s'?", word, near);
	if (command_find(word))
		return fail(ST_SYNTAX, "write it as a line of its own: NAME = %s ...", word);
	return fail(ST_NAME,
	        "no function '%s' (min max abs sqrt ceil round log2 close close_step norm sum bytes size "
	        "work micro chunk, and the metrics)",
	        word);
}

/* The character after a name decides:
 *
 *     overlap(a,b)    a function or a metric, else a mistake
 *     races           a metric that needs no argument
 *     x.T  x[0,1]     an element of a tensor, one of the expression's reads
 *     n  h$i          a variable or an axis of a mesh: decided when it is evaluated */
enum status read_name(struct formula_reader *reader, struct formula **made)
{
	const char *from = reader->at, *after = name_end(from, reader->end);
	struct formula *formula = formula_node(reader, FORMULA_NAME, from);
	enum status status;

	if (after == from)
		return reader_fails(reader, "a value was expected");
	reader->at = after;
	struct slice_of_text word = slice_between(from, after);
	const struct function_row *row = function_find(word);
	bool bracket = after < reader->end && *after == '(';
	if (bracket && !row)
		return unknown_function(word);
	if (row && (bracket || function_is_word(row)))
		return read_function(reader, formula, row, made);
	if (is_listed("rank world inf", word)) {
		formula->kind = *from == 'r' ? FORMULA_RANK : *from == 'w' ? FORMULA_WORLD : FORMULA_NUMBER;
		formula->number.value = *from == 'i' ? INFINITY : 0;
		return formula_finish(reader, formula, made);
	}
	if (name_is_reserved(word))
		return fail(ST_SYNTAX, "'%.*s' is a reserved word, and a value was expected", WHOLE(word));
	const char *stop = after;
	if (is_transposed(after, reader->end))
		stop = after += 2;
	if (after < reader->end && *after == '[') {
		const char *close = find_outside(after + 1, reader->end, "]");
		if (!close)
			return reader_fails(reader, "']' is missing");
		stop = close + 1;
	}
	reader->at = stop;
	if (stop != name_end(from, reader->end)) {
		formula->kind = FORMULA_ELEMENT;
		status = parse_tensor(reader->parser, from, stop, &formula->tensor);
		if (status == ST_OK)
			add_read(reader, formula);
	} else if (stop < reader->end && *stop == '.') {
		return reader_fails(reader, "names have no '.' here: x[0] reads an element");
	} else {
		status = parse_name(reader->parser, from, stop, &formula->name);
		formula_holds_name(formula);
	}
	return status == ST_OK ? formula_finish(reader, formula, made) : status;
}
