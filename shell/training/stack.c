/* stack.c -- stacks the strategies of one line: file order, mesh, options
 *
 *     strategy pipeline=2 + ddp + tp=2        on 8 ranks
 *
 *     written     pipeline  ddp  tp           the mesh, outermost first: mesh pp=2 dp=2 tp=2
 *     read        tp  pipeline  ddp           each after the axes in its head: `# after tp cp ep`
 *
 * A later file overrides points in earlier ones. The learner's order decides which ranks are
 * neighbours. */
#include "machine/machine.h"
#include "shell/language/run/command.h"
#include "shell/language/parse/lex.h"
#include "shell/language/parse/tree.h"
#include "shell/training/choose.h"

#include <stdint.h>
#include <string.h>

static const char *choice_axis(const struct choice *choice)
{
	return text_string(&choice->head.text[HEAD_AXIS]);
}

/* "zero and fsdp both cut the parameters over dp_shard: use one of them" */
static enum status stack_refuse_axis(const struct choice *one, const struct choice *other)
{
	const char *cuts = text_string(&one->head.text[HEAD_CUTS]), *axis = choice_axis(one);
	bool same = *cuts && strcmp(cuts, text_string(&other->head.text[HEAD_CUTS])) == 0;
	const char *does = same ? cuts : "work on the axis", *over = same ? " over " : " ";
	if (strcmp(one->name, other->name) != 0)
		return fail(ST_ARGUMENT, "%s and %s both %s%s%s: use one of them", one->name, other->name,
		        does, over, axis);
	return fail(ST_ARGUMENT, "%s is given twice, and both %s%s%s: give it once, as %s=%d", one->name,
	        does, over, axis, one->name, (one->size ? one->size : 1) * (other->size ? other->size : 1));
}

static enum status stack_check(const struct choice *choice, int count)
{
	for (int i = 1; i < count && count > 2; i++)
		if (choice[i].head.text[HEAD_ALONE].count)
			return fail(ST_ARGUMENT, "%s does not stack:%s", choice[i].name,
			        text_string(&choice[i].head.text[HEAD_ALONE]));
	for (int i = 1; i < count; i++) {
		const char *axis = choice_axis(&choice[i]);
		if (!*axis && choice[i].size)
			return fail(ST_ARGUMENT, "strategy %s works on no axis: write `%s`, without a size",
			        choice[i].name, choice[i].name);
		for (int k = 1; k < i && *axis; k++)
			if (strcmp(choice_axis(&choice[k]), axis) == 0)
				return stack_refuse_axis(&choice[k], &choice[i]);
	}
	return ST_OK;
}

/* Returns the first unread choice that must be read before choice i; 0: none. */
static int stack_awaits(const struct choice *choice, int i, int count, const bool *read)
{
	for (int k = 1; k < count; k++) {
		struct slice_of_text axis = slice_of_string(choice_axis(&choice[k]));
		if (!read[k] && k != i && axis.length &&
		        is_listed(text_string(&choice[i].head.text[HEAD_AFTER]), axis))
			return k;
	}
	return 0;
}

static enum status stack_refuse_cycle(const struct choice *choice, int count, const bool *read)
{
	struct text names = {0};
	bool met[FILES_MAX] = {false}, named[FILES_MAX] = {false};
	int at = 1;
	while (read[at])
		at++;
	for (; !met[at]; at = stack_awaits(choice, at, count, read))
		met[at] = true;
	for (int next; !named[at]; at = next) {
		next = stack_awaits(choice, at, count, read);
		text_add(&names, "%s%s after %s", names.count ? ", " : " ", choice[at].name,
		        choice[next].name);
		named[at] = true;
	}
	enum status status =
	        fail(ST_ARGUMENT, "the files' `# after` lines form a circle:%s", text_string(&names));
	text_release(&names);
	return status;
}

enum status stack_order(const struct choice *choice, int count, int *order)
{
	bool read[FILES_MAX] = {true};
	order[0] = 0;
	enum status status = stack_check(choice, count);
	for (int i = 1; i < count && status == ST_OK; i++) {
		int next = 1;
		while (next < count && (read[next] || stack_awaits(choice, next, count, read)))
			next++;
		if (next == count)
			return stack_refuse_cycle(choice, count, read);
		read[next] = true;
		order[i] = next;
	}
	return status;
}

static enum status stack_refuse_sizes(
        const struct choice *choice, int count, const char *open, int64_t product, int ranks)
{
	struct text line = {0};
	for (int i = 1; i < count; i++) {
		text_add(&line, "%s%s", i > 1 ? " + " : "", choice[i].name);
		if (choice[i].size)
			text_add(&line, "=%d", choice[i].size);
	}
	enum status status = open
	        ? fail(ST_RANGE, "%s: %d ranks are not divisible by %lld: no size of %s fits",
	                  text_string(&line), ranks, (long long)product, open)
	        : fail(ST_RANGE, "%s: the sizes multiply to %lld, but there are %d ranks", text_string(&line),
	                  (long long)product, ranks);
	text_release(&line);
	return status;
}

/* Requires the sizes to be known. */
static void stack_put_mesh(const struct choice *choice, int count, struct text *out)
{
	text_add(out, "mesh");
	for (int i = 1; i < count; i++)
		if (*choice_axis(&choice[i]))
			text_add(out, " %s=%d", choice_axis(&choice[i]), choice[i].size);
}

enum status stack_mesh(struct choice *choice, int count, int ranks, struct text *out)
{
	int64_t product = 1;
	int axes = 0;
	struct choice *open = NULL; /* the one without a size */
	enum status status = ST_OK;
	for (int i = 1; i < count; i++) {
		struct choice *one = &choice[i];
		bool without = *choice_axis(one) && !one->size;
		if (without && open)
			return fail(ST_ARGUMENT, "%s and %s need sizes; one may be left out: %s=%d + %s",
			        open->name, one->name, open->name, ranks % 2 ? ranks : 2, one->name);
		open = without ? one : open;
		axes += *choice_axis(one) != '\0';
		product *= one->size ? one->size : 1;
		product = product > RANKS_MAX ? RANKS_MAX + 1 : product;
	}
	if (status == ST_OK && (open ? ranks % product != 0 : axes && product != ranks))
		status = stack_refuse_sizes(choice, count, open ? open->name : NULL, product, ranks);
	if (status != ST_OK)
		return status;
	if (open)
		open->size = (int)(ranks / product);
	if (axes == 1 && open)
		text_add(out, "mesh %s=world", choice_axis(open));
	else if (axes)
		stack_put_mesh(choice, count, out);
	text_add(out, axes ? "\n" : "");
	return ST_OK;
}

/* Returns, as bits, the links of an axis: a ring whose neighbours are `apart` ranks apart. */
enum { BY_NVLINK = 1, BY_PCIE = 2, BY_ADAPTERS = 4 };
static int axis_links(const struct machine *machine, int ranks, int size, int apart)
{
	int links = 0;
	for (int from = 0; from < ranks && size > 1; from++) {
		int place = from / apart % size, to = from + ((place + 1) % size - place) * apart;
		struct path path = {0};
		machine_path(machine, from, to, &path);
		enum link_kind kind = path.link[0] % LINK_KINDS;
		links |= kind == LINK_NIC_OUT ? BY_ADAPTERS : kind == LINK_OUT ? BY_NVLINK : BY_PCIE;
	}
	return links;
}

void stack_links(
        const struct choice *choice, int count, const struct machine *machine, int ranks, struct text *out)
{
	static const struct {
		int links;
		const char *words;
	} ways[] = {{BY_NVLINK, "within nvlink"}, {BY_PCIE, "over pcie"},
	        {BY_NVLINK | BY_ADAPTERS, "over nvlink and the adapters"},
	        {BY_PCIE | BY_ADAPTERS, "over pcie and the adapters"}, {BY_ADAPTERS, "over the adapters"}};
	int links[FILES_MAX], axes = 0, ways_said = 0;
	for (int i = count - 1, apart = 1; i > 0; i--) {
		links[i] = *choice_axis(&choice[i]) ? axis_links(machine, ranks, choice[i].size, apart) : 0;
		apart *= *choice_axis(&choice[i]) ? choice[i].size : 1;
		axes += *choice_axis(&choice[i]) != '\0';
	}
	if (axes < 2)
		return;
	stack_put_mesh(choice, count, out);
	for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
		int left = 0, said = 0;
		for (int i = 1; i < count; i++)
			left += links[i] == ways[way].links;
		for (int i = 1; i < count; i++)
			if (links[i] == ways[way].links) {
				const char *before = said ? --left > 1 ? ", " : " and "
				        : ways_said       ? ", "
				                          : ": ";
				text_add(out, "%s%s", before, choice_axis(&choice[i]));
				said++;
			}
		if (said)
			text_add(out, " %s", ways[way].words);
		ways_said += said;
	}
}

const struct given *choice_given(const struct choice *choice, const char *name)
{
	for (int i = 0; i < choice->givens; i++)
		if (strcmp(choice->given[i].name, name) == 0)
			return &choice->given[i];
	return NULL;
}

struct given *choice_give(struct choice *choice, const struct given *given)
{
	int i = 0;
	while (i < choice->givens && strcmp(choice->given[i].name, given->name) != 0)
		i++;
	if (i == GIVENS_MAX)
		i--;
	choice->givens = choice->givens > i ? choice->givens : i + 1;
	choice->given[i] = *given;
	return &choice->given[i];
}

static bool given_equal(const struct given *a, const struct given *b)
{
	if (a->word || b->word)
		return a->word && b->word && strcmp(a->word, b->word) == 0;
	return a->number.value == b->number.value && a->number.unit == b->number.unit;
}

/* Requires one value, because options of one name in several files are one option. */
static enum status option_share(struct choice *choice, int i, int count, const struct given *given)
{
	for (int k = 1; k < count; k++) {
		const struct given *other = choice_given(&choice[k], given->name);
		if (k != i && other && !given_equal(given, other))
			return fail(ST_ARGUMENT, "%s= follows %s and %s: give it once, it is one option",
			        given->name, choice[i < k ? i : k].name, choice[i < k ? k : i].name);
		if (k != i && head_option(&choice[k].head, given->name))
			choice_give(&choice[k], given);
	}
	return ST_OK;
}

/* Moves an option that no strategy of the line has to the model. An unknown one stays. */
static enum status option_move(struct choice *choice, int i, int count, const struct given *given, bool *gone)
{
	struct text those = {0};
	enum status status = ST_OK;
	for (int k = 1; k < count; k++) /* strategies of the line; else of the binary */
		if (head_option(&choice[k].head, given->name))
			text_add(&those, "%s%s", those.count ? " " : "", choice[k].name);
	if (!those.count)
		choice_those_with(given->name, &those);
	*gone = head_option(&choice[0].head, given->name);
	if (*gone && (status = option_share(choice, i, count, given)) == ST_OK)
		choice_give(&choice[0], given);
	else if (!*gone && those.count)
		status =
		        fail(ST_ARGUMENT, "%s has no option '%s': it belongs to %s: write it after that name",
		                choice[i].name, given->name, text_string(&those));
	text_release(&those);
	return status;
}

enum status stack_options(struct choice *choice, int count)
{
	enum status status = ST_OK;
	for (int i = 1; i < count; i++) {
		struct choice *one = &choice[i];
		int kept = 0;
		for (int k = 0; k < one->givens && status == ST_OK; k++) {
			struct given given = one->given[k];
			bool gone = false;
			if (head_option(&one->head, given.name))
				status = option_share(choice, i, count, &given);
			else
				status = option_move(choice, i, count, &given, &gone);
			one->given[kept] = given;
			kept += !gone;
		}
		one->givens = kept;
	}
	return status;
}
