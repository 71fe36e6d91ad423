/* credit.c -- step grants: all processes stop at the same place
 *
 * Rank 0 runs half a grant less than it has granted, so a grant mostly arrives before it is
 * needed. A message is told * 4 + code: the new limit, and the action at the previous one. Rank 0
 * adapts the quantum so that it decides every 5 to 20 ms. */
#include "shell/session/credit.h"
#include "base/memory.h"
#include "mpi/transport.h"
#include "shell/wire/io.h"

enum { WAITED = -1 }; /* credit.stopped_at */
enum { QUANTUM_FIRST = 64, QUANTUM_MOST = 1 << 22 };
static const int64_t LOOK_LEAST_NS = 5000000, LOOK_MOST_NS = 20000000; /* between two decisions */
static const int64_t PATIENCE_NS = 1000000000;

int64_t credit_position(const struct credit *credit)
{
	return credit->bound - credit->budget->steps;
}

void credit_end_at(struct credit *credit, int64_t steps)
{
	int64_t position = credit_position(credit);
	credit->stop_at = steps ? position + steps : 0;
	if (steps && credit->stop_at < credit->bound) {
		credit->bound = credit->stop_at;
		credit->budget->steps = steps;
	}
}

int64_t credit_stop(const struct credit *credit, int64_t start)
{
	if (credit->stopped_at == WAITED)
		return 0;
	int64_t at = credit->stopped_at > start ? credit->stopped_at : credit_position(credit);
	return at > start ? at - start : 1;
}

static void tell(struct credit *credit, enum credit_code code)
{
	enum status status = transport_grant(credit->transport, credit->told * 4 + code);
	credit->lost = credit->lost ? credit->lost : status;
}

/* Called on rank 0 at `own`. Returns false to stop. */
static bool lead(struct credit *credit)
{
	enum credit_code code = credit->look ? credit->look(credit->self) : CREDIT_GO;
	int64_t now = wall_ns(), took = now - credit->asked_ns;
	credit->asked_ns = now;
	if (took < LOOK_LEAST_NS && credit->quantum < QUANTUM_MOST)
		credit->quantum *= 2;
	else if (took > LOOK_MOST_NS && credit->quantum > QUANTUM_FIRST)
		credit->quantum /= 2;
	if (credit->own < credit->told) { /* go where the others may be; stop only there */
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

/* Called on the others at the end of a grant. Returns false to stop. A message without new steps
 * only changes the action. */
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
		if ((credit->lost = transport_await_grant(credit->transport, &message)) != ST_OK)
			return false;
		credit->own = message / 4;
		credit->code = (enum credit_code)(message % 4);
		if (credit->own > before)
			return true;
	}
}

/* budget.more, called when budget.steps are used up. Returns false, at the same position on all
 * processes, for ST_INTERRUPTED. */
static bool more(struct budget *budget)
{
	struct credit *credit = budget->self;
	int64_t position = credit_position(credit);
	bool on = true;
	if (credit->stop_at && position >= credit->stop_at) { /* needs no message */
		credit->stopped_at = position;
		credit->stop_at = 0;
		return false;
	}
	while (on && position >= credit->own)
		on = transport_rank(credit->transport) == 0 ? lead(credit) : follow(credit);
	if (!on)
		credit->stopped_at = position;
	credit->bound = credit->stop_at && credit->stop_at < credit->own ? credit->stop_at : credit->own;
	budget->steps = credit->bound - position;
	return on;
}

/* For rank 0, in each round of a wait. A wait takes no steps, so a new position, or a long pause,
 * means a new wait. */
static void watch_wait(struct credit *credit)
{
	struct credit_wait *wait = &credit->wait;
	int64_t now = wall_ns(), position = credit_position(credit);
	if (!wait->began || wait->position != position || now - wait->asked > PATIENCE_NS)
		*wait = (struct credit_wait){.position = position, .began = now};
	wait->asked = now;
	if (wait->told || now - wait->began < credit->patience_ns || !credit->tell_wait)
		return;
	wait->told = true;
	credit->tell_wait(credit->self, now - wait->began);
}

/* budget.waits: in each round all processes follow rank 0's decision. */
static bool waits(struct budget *budget)
{
	struct credit *credit = budget->self;
	enum credit_code code = CREDIT_GO, *told = &code;
	size_t count = sizeof code;
	bool leads = transport_rank(credit->transport) == 0;
	if (credit->gave_up) {
		credit->stopped_at = WAITED;
		return false;
	}
	if (leads)
		watch_wait(credit);
	credit->waiting = true;
	if (leads && credit->look)
		code = credit->look(credit->self);
	credit->waiting = false;
	enum status status = transport_broadcast(credit->transport, 0, (void **)&told, &count);
	if (status == ST_OK)
		code = *told;
	if (!leads && status == ST_OK)
		mem_free(told);
	credit->lost = credit->lost ? credit->lost : status;
	if (code == CREDIT_FLUSH && !credit->lost)
		credit->flush(credit->self);
	credit->gave_up = code == CREDIT_STOP;
	if (code == CREDIT_STOP)
		credit->stopped_at = WAITED;
	return code != CREDIT_STOP && !credit->lost;
}

void credit_start(struct credit *credit, struct transport *transport, struct budget *budget)
{
	credit->transport = transport;
	credit->budget = budget;
	credit->quantum = QUANTUM_FIRST;
	credit->asked_ns = wall_ns();
	credit->patience_ns = PATIENCE_NS;
	*budget = (struct budget){.steps = 0, .more = more, .waits = waits, .self = credit};
}

enum { ALONE_STEPS = 100 };

static bool more_alone(struct budget *budget)
{
	struct credit *credit = budget->self;
	budget->steps = ALONE_STEPS;
	if (credit->stop_at && credit_position(credit) >= credit->stop_at)
		return false;
	return !credit->look || credit->look(credit->self) != CREDIT_STOP;
}

struct budget credit_alone(struct credit *credit)
{
	return (struct budget){.steps = ALONE_STEPS, .more = more_alone, .self = credit};
}
