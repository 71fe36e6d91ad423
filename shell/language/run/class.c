/* class.c -- what a line may change: its commands' class */
#include "shell/language/parse/parse.h"
#include "shell/language/run/run.h"

enum command_class statement_class(const struct statement *statement)
{
	const struct command *row = statement->row;
	if (statement->kind != STATEMENT_COMMAND)
		return COMMAND_STEER;
	if (!row->unless.words || !(statement->arguments + statement->options))
		return row->class;
	struct slice_of_text word = {0};
	if (statement->arguments)
		word = statement->argument[0].written;
	return *row->unless.words == '*' || is_listed(row->unless.words, word) ? row->unless.class
	                                                                       : row->class;
}

bool statement_is_aside(const struct statement *statement)
{
	enum command_class class = statement_class(statement);
	return class == COMMAND_LOOK || class == COMMAND_SESSION;
}

enum command_class interpreter_class(const char *text, size_t count)
{
	struct tree *tree;
	enum command_class strongest = COMMAND_LOOK;
	if (tree_parse(&tree, text, count, NULL, 1) != ST_OK)
		return COMMAND_STEER;
	for (const struct statement *statement = tree->block.first; statement; statement = statement->next) {
		enum command_class class = statement_class(statement);
		if (class != COMMAND_LOOK && class != COMMAND_SESSION)
			strongest = COMMAND_STEER;
		else if (class == COMMAND_SESSION && strongest == COMMAND_LOOK)
			strongest = COMMAND_SESSION;
	}
	tree_release(tree);
	return strongest;
}
