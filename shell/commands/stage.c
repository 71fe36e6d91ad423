/* stage.c -- stage: times of a pipeline's stages, in place of a model */
#include "shell/language/run/command.h"
#include "shell/training/training.h"

#include <math.h>

static enum status stage_run(struct call *call)
{
	struct stage_times times = {.given = true};
	const struct {
		const char *name;
		double *ns;
	} options[] = {{"F", &times.f}, {"B", &times.b}, {"W", &times.w}, {"comm", &times.comm}};
	enum status status = ST_OK;
	for (int i = 0; i < 4 && status == ST_OK; i++) {
		struct number number = {0, UNIT_TIME};
		status = call_option(call, options[i].name, COMMON, &number);
		if (status == ST_OK && !(number.value >= 0 && number.value < INFINITY))
			status = fail(ST_RANGE, "stage: %s is a time, from 0 on", options[i].name);
		*options[i].ns = number.value;
	}
	if (status == ST_OK && !(times.f > 0))
		status = fail(ST_ARGUMENT,
		        "stage: F=TIME is required, and B= and W=, as `stage F=2ms B=2ms W=2ms comm=0ms`");
	if (status != ST_OK)
		return status;
	call->shell->training->now.stage = times;
	out_say(call->shell->out,
	        "   stages of these times instead of a model's, until the next `model`; `strategy pipeline "
	        "schedule=zb-h1` orders them\n");
	return ST_OK;
}

const struct command command_stage = {
        .name = "stage",
        .topic = "learn",
        .usage = "stage F=TIME B=TIME W=TIME [comm=TIME]",
        .help = "sets times for `strategy pipeline` instead of a model: those of a stage for a "
                "micro-batch, and of a transfer to the next stage",
        .example = "stage F=2ms B=2ms W=1ms comm=0.1ms\nstrategy pipeline schedule=zb-h1 micro=8\nrun "
                   "1\nprint bubble",
        .for_all = "training",
        .class = COMMAND_STEER,
        .option = {{"F", ARG_EXPRESSION, UNIT_TIME, NULL, "the time of a forward pass"},
                {"B", ARG_EXPRESSION, UNIT_TIME, NULL, "the time of the input gradients"},
                {"W", ARG_EXPRESSION, UNIT_TIME, NULL, "the time of the weight gradients"},
                {"comm", ARG_EXPRESSION, UNIT_TIME, NULL, "the time of a transfer to the next stage"}},
        .run = stage_run,
};
