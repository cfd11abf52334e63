/* SPDX-License-Identifier: BSD-3-Clause */
/* program.h - the commands of nodometer trace */
#pragma once

int trace_report_main(int argc, char **argv);	/* nodometer trace report */
