/* glossary.h -- words explained: of the field, of ranksh, figures of `stats`, causes of `stalls` (docs/glossary.txt) */
#ifndef RANKSH_GLOSSARY_H
#define RANKSH_GLOSSARY_H

#include "shell/language/parse/rows.h"

#include <stdbool.h>

enum glossary_kind { ENTRY_WORD, ENTRY_FIGURE, ENTRY_CAUSE };
struct glossary_entry {
	enum glossary_kind kind;
	struct slice_of_text names; /* "micro-batch, microbatch": the one that is shown first */
	struct slice_of_text text;  /* its sentences, on one line or several */
	struct slice_of_text lines; /* to try, each begun by "> "; may be empty */
};

/* The entry at *at, which moves behind it; *at NULL: the first. false: there is no other. What has not the form of an entry is
 * passed over */
bool glossary_next(const char **at, struct glossary_entry *entry);
/* The name that is shown */
struct slice_of_text entry_name(const struct glossary_entry *entry);
/* One of its names is the word, but for capitals, blanks, hyphens and an s at the end */
bool entry_is(const struct glossary_entry *entry, const char *word);
bool glossary_has(const char *word);
/* The name of an entry that is nearer to the word than *least letters, which becomes its distance; NULL: none. Valid until
 * the next call */
const char *glossary_near(const char *word, int *least);

#endif
