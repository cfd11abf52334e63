/* SPDX-License-Identifier: BSD-3-Clause */
/* nodometer-report.c - main program of nodometer report */
#include "base/log.h"
#include "report/report.h"

int main(int argc, char **argv)
{
	log_open("nodometer report", LOG_LEVEL_INFO);
	return report_main(argc, argv);
}
