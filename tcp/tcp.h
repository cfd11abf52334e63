/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.h - subcommands of nodometer tcp; argv[0] is the name of the subcommand */
#pragma once

int tcp_graph_main(int argc, char **argv);
int tcp_record_main(int argc, char **argv);
int tcp_report_main(int argc, char **argv);
