/* glossary.h -- words explained: of the field, of ranksh, figures, causes
 * (docs/help/glossary.txt) */
#ifndef RANKSH_GLOSSARY_H
#define RANKSH_GLOSSARY_H

#include "shell/language/parse/rows.h"

#include <stdbool.h>

enum glossary_kind { ENTRY_WORD, ENTRY_FIGURE, ENTRY_CAUSE };
struct glossary_entry {
	enum glossary_kind kind;
	struct slice_of_text names; /* "micro-batch, microbatch": the first is shown */
	struct slice_of_text text;
	struct slice_of_text lines; /* to try, each after "> "; may be empty */
};

/* Finds the entry at *at (NULL: the first) and moves *at after it; false after the last. */
bool glossary_next(const char **at, struct glossary_entry *entry);
struct slice_of_text entry_name(const struct glossary_entry *entry);
/* Returns true if the word is one of its names, but for capitals, blanks, hyphens and a final s */
bool entry_is(const struct glossary_entry *entry, const char *word);
bool glossary_has(const char *word);
/* Returns the nearest entry's name, if nearer than *least letters, which becomes its distance;
 * else NULL. Valid until the next call. */
const char *glossary_near(const char *word, int *least);

#endif
