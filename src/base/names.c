/* names.c -- texts as small integers: a hash table of ids over a list in order of first use
 *
 *      slots     .  2  .  .  1  .  3  .        ids, at their text's hash or the next empty slot
 *      entries   1 "x"   2 "dw"   3 "loss"     in order of first use
 *
 * All processes meet names in the same order, so ids are the same on each. */
#include "base/names.h"
#include "base/search.h"
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

struct spelling {
	char *text;
	size_t length;
};
struct name_slot {
	name_id id;
	uint32_t hash;
};

struct names {
	struct spelling *entries; /* entries[id - 1] */
	size_t count;
	size_t bytes;
	struct name_slot *slots; /* open addressing; id 0: empty; at most half full */
	size_t slot_count;
};

static struct name_slot *slot_of(const struct names *names, const char *text, size_t length, uint32_t hash)
{
	for (size_t at = hash;; at++) {
		struct name_slot *slot = &names->slots[at & (names->slot_count - 1)];
		if (!slot->id)
			return slot;
		if (slot->hash != hash)
			continue;
		const struct spelling *entry = &names->entries[slot->id - 1];
		if (entry->length == length && memcmp(entry->text, text, length) == 0)
			return slot;
	}
}

static void grow_slots(struct names *names)
{
	if ((names->count + 1) * 2 <= names->slot_count)
		return;
	struct names larger = *names;
	larger.slot_count = names->slot_count * 2;
	larger.slots = mem_alloc(larger.slot_count * sizeof *larger.slots);
	for (size_t i = 0; i < names->count; i++) {
		const struct spelling *entry = &names->entries[i];
		uint32_t hash = hash_bytes(HASH_BEGIN, entry->text, entry->length);
		*slot_of(&larger, entry->text, entry->length, hash) =
		        (struct name_slot){(name_id)i + 1, hash};
	}
	mem_free(names->slots);
	*names = larger;
}

struct names *names_create(void)
{
	enum { FIRST_SLOTS = 256 };
	struct names *names = mem_alloc(sizeof *names);
	names->slot_count = FIRST_SLOTS;
	names->slots = mem_alloc(FIRST_SLOTS * sizeof *names->slots);
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	for (size_t i = 0; i < names->count; i++)
		mem_free(names->entries[i].text);
	mem_free(names->entries);
	mem_free(names->slots);
	mem_free(names);
}

name_id names_make(struct names *names, const char *text, size_t length)
{
	uint32_t hash = hash_bytes(HASH_BEGIN, text, length);
	const struct name_slot *found = slot_of(names, text, length, hash);

	if (found->id)
		return found->id;
	grow_slots(names);
	*slot_of(names, text, length, hash) = (struct name_slot){(name_id)names->count + 1, hash};
	*MEM_ADD(&names->entries, &names->count) = (struct spelling){mem_copy_text(text, length), length};
	names->bytes += length + 1;
	return names->count;
}

name_id names_find(const struct names *names, const char *text, size_t length)
{
	return slot_of(names, text, length, hash_bytes(HASH_BEGIN, text, length))->id;
}

const char *names_keep(struct names *names, const char *text)
{
	return names_text(names, names_make(names, text, strlen(text)));
}

const char *names_text(const struct names *names, name_id id)
{
	return id > 0 && (size_t)id <= names->count ? names->entries[id - 1].text : "";
}

int names_count(const struct names *names)
{
	return names->count;
}

size_t names_bytes(const struct names *names)
{
	return names->bytes;
}
