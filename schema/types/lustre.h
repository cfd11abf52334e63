/* SPDX-License-Identifier: BSD-3-Clause */
/* lustre.h - folders of the statistics files of a Lustre client */
#pragma once

#define LUSTRE_PROC  "proc/fs/lustre"		/* folder up to Lustre 2.10 */
/* folder since Lustre 2.11; usually only root can read it */
#define LUSTRE_DEBUG "sys/kernel/debug/lustre"

/* .source of the types of Lustre, whose files lustre_add_stats() reads */
#define LUSTRE_SOURCE(dir) \
	"/" LUSTRE_PROC "/" dir "/stats or the same in /" LUSTRE_DEBUG ": of line KEY the sum if " \
	"the key has a unit, else the number of samples"
