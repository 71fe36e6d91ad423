/* glossary.h -- the entries of docs/help/glossary.txt: words of the field and of ranksh, figures,
 * causes of waits */
#ifndef RANKSH_GLOSSARY_H
#define RANKSH_GLOSSARY_H

#include "shell/language/parse/rows.h"

#include <stdbool.h>

enum glossary_kind { ENTRY_WORD, ENTRY_FIGURE, ENTRY_CAUSE };
struct glossary_entry {
	enum glossary_kind kind;
	struct slice_of_text names; /* "micro-batch, microbatch": `help` shows the first */
	struct slice_of_text text;
	struct slice_of_text lines; /* examples, each after "> "; may be empty */
};

/* Reads the entry at *at (NULL: the first) and moves *at after it. Returns false after the
 * last. */
bool glossary_next(const char **at, struct glossary_entry *entry);
struct slice_of_text entry_name(const struct glossary_entry *entry);
/* Returns true if `word` is one of the entry's names, up to case, blanks, hyphens and a final
 * s. */
bool entry_is(const struct glossary_entry *entry, const char *word);
bool glossary_has(const char *word);
/* Returns the name nearest to `word` if its edit distance is below *least, and sets *least to that
 * distance; else NULL. Valid until the next call. */
const char *glossary_near(const char *word, int *least);

#endif
