/* credit.c -- grants of steps, so that all processes stop at the same place */
#include "shell/session/credit.h"
#include "mpi/plane.h"
#include "shell/wire/io.h"

enum { QUANTUM_FIRST = 64, QUANTUM_MOST = 1 << 22 };
static const int64_t LOOK_LEAST_NS = 5000000,
                     LOOK_MOST_NS = 20000000; /* between two looks: Ctrl-C is prompt, and costs nothing */

int64_t credit_position(const struct credit *credit, const struct budget *budget)
{
	return credit->bound - budget->steps;
}

void credit_end_at(struct credit *credit, struct budget *budget, int64_t steps)
{
	int64_t position = credit_position(credit, budget);
	credit->stop_at = steps ? position + steps : 0;
	if (steps && credit->stop_at < credit->bound) {
		credit->bound = credit->stop_at;
		budget->steps = steps;
	}
}

int64_t credit_stop(const struct credit *credit, int64_t start)
{
	return credit->stopped_at > start ? credit->stopped_at - start : 1;
}

static void adapt(struct credit *credit)
{
	int64_t now = wall_ns(), took = now - credit->asked_ns;
	credit->asked_ns = now;
	if (took < LOOK_LEAST_NS && credit->quantum < QUANTUM_MOST)
		credit->quantum *= 2;
	else if (took > LOOK_MOST_NS && credit->quantum > QUANTUM_FIRST)
		credit->quantum /= 2;
}

static void tell(struct credit *credit, enum credit_code code)
{
	enum status status = plane_grant(credit->plane, credit->told * 4 + code);
	credit->lost = credit->lost ? credit->lost : status;
}

/* Rank 0, at the end of what it may run: true goes on. */
static bool lead(struct credit *credit)
{
	enum credit_code code = credit->look ? credit->look(credit->self) : CREDIT_GO;
	if (credit->deaf > 0 && code == CREDIT_STOP)
		code = CREDIT_GO;
	adapt(credit);
	if (credit->own < credit->told) { /* the others may be further: join them, and then decide */
		credit->own = credit->told;
		if (code == CREDIT_GO) {
			credit->told += credit->quantum;
			tell(credit, CREDIT_GO);
		}
		return !credit->lost;
	}
	if (code != CREDIT_GO)
		tell(credit, code);
	if (code == CREDIT_STOP)
		return false;
	if (code == CREDIT_FLUSH)
		credit->flush(credit->self);
	credit->own += credit->quantum;
	credit->told = credit->own + credit->quantum;
	tell(credit, CREDIT_GO);
	return !credit->lost;
}

/* The others: what was granted is used up. */
static bool follow(struct credit *credit)
{
	for (;;) {
		enum credit_code code = credit->code;
		int64_t message, before = credit->own;
		credit->code = CREDIT_GO;
		if (code == CREDIT_STOP)
			return false;
		if (code == CREDIT_FLUSH)
			credit->flush(credit->self);
		if ((credit->lost = plane_await_grant(credit->plane, &message)) != ST_OK)
			return false;
		credit->own = message / 4;
		credit->code = (enum credit_code)(message % 4);
		if (credit->own > before)
			return true;
	}
}

static bool more(struct budget *budget)
{
	struct credit *credit = budget->self;
	int64_t position = credit_position(credit, budget);
	bool on = true;
	if (credit->stop_at && position >= credit->stop_at) { /* the replay's stop: everybody knows it */
		credit->stopped_at = position;
		credit->stop_at = 0;
		return false;
	}
	while (on && position >= credit->own)
		on = plane_rank(credit->plane) == 0 ? lead(credit) : follow(credit);
	if (!on)
		credit->stopped_at = position;
	credit->bound = credit->stop_at && credit->stop_at < credit->own ? credit->stop_at : credit->own;
	budget->steps = credit->bound - position;
	return on;
}

void credit_start(struct credit *credit, struct plane *plane, struct budget *budget)
{
	credit->plane = plane;
	credit->budget = budget;
	credit->quantum = QUANTUM_FIRST;
	credit->asked_ns = wall_ns();
	*budget = (struct budget){.steps = 0, .more = more, .self = credit};
}

enum { ALONE_STEPS = 100 };

static bool more_alone(struct budget *budget)
{
	struct credit *credit = budget->self;
	budget->steps = ALONE_STEPS;
	if (credit->deaf > 0 || !credit->look || credit->look(credit->self) != CREDIT_STOP)
		return true;
	credit->stopped_at = credit_position(credit, credit->budget);
	return false;
}

struct budget credit_alone(struct credit *credit)
{
	return (struct budget){.steps = ALONE_STEPS, .more = credit ? more_alone : NULL, .self = credit};
}
