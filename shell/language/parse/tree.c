/* tree.c -- the memory of a parsed text: pages of nodes, freed together.
 *
 * No node is freed alone, so nodes point at each other freely. A `def` is a user of its tree,
 * because its body runs after the text around it. The last user frees the pages, and the trees of
 * lines that a variable chose (variants). */
#include "shell/language/parse/tree.h"
#include "base/memory.h"

#include <string.h>

struct tree_page {
	struct tree_page *next;
	size_t used, room;
};

void *tree_alloc(struct tree *tree, size_t bytes)
{
	bytes = (bytes + 7) / 8 * 8; /* nodes hold pointers and doubles, nothing wider */
	struct tree_page *page = tree->pages;
	if (!page || page->room - page->used < bytes) {
		enum { FIRST_BYTES = 8000, LARGE_BYTES = 1 << 16 };
		size_t room = !page                    ? FIRST_BYTES
		        : page->room < LARGE_BYTES / 2 ? 2 * page->room
		                                       : LARGE_BYTES;
		room = room > bytes ? room : bytes;
		page = mem_alloc(sizeof *page + room);
		*page = (struct tree_page){.next = tree->pages, .room = room};
		tree->pages = page;
	}
	void *node = (char *)(page + 1) + page->used;
	page->used += bytes;
	return node;
}

char *tree_copy(struct tree *tree, const char *text, size_t length)
{
	char *copy = tree_alloc(tree, length + 1);
	memcpy(copy, text, length);
	return copy;
}

void tree_use(struct tree *tree)
{
	tree->users++;
}

void tree_release(struct tree *tree)
{
	if (!tree || --tree->users > 0)
		return;
	for (struct variant *variant = tree->variants, *next; variant; variant = next) {
		next = variant->of_tree; /* first, because a variant is in its own tree's memory */
		tree_release(variant->tree);
	}
	for (struct tree_page *page = tree->pages, *next; page; page = next) {
		next = page->next;
		mem_free(page);
	}
	mem_free(tree);
}
