/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.h - the commands of nodometer tcp; argv starts with the command's name */
#pragma once

int tcp_graph_main(int argc, char **argv);
int tcp_record_main(int argc, char **argv);
int tcp_report_main(int argc, char **argv);
