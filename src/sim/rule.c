/* rule.c -- reports a broken rule of the backend: a bug of the simulator */
#include "sim/engine.h"

void rule_broken(struct engine *e, int rule, const char *condition, const char *file, int line)
{
	if (e->status == ST_OK)
		e->status = fail(ST_BUG, "%s:%d: rule %d of the simulator does not hold at %lld ns: %s", file,
		        line, rule, (long long)e->s.now, condition);
}
