#include "shell/doctor/check.h"
void check_launcher(const struct doctor *doctor, struct finding *finding)
{
	(void)doctor;
	(void)finding;
}
