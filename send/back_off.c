/* SPDX-License-Identifier: BSD-3-Clause */
/* back_off.c - when what failed is tried again: not all senders at the same moment */
#include "send/back_off.h"

#include <stdlib.h>

#define FIRST_S 2	/* within so long at first, */
#define AGAIN_S 128	/* and within this in the end */
#define MS_NS   1000000

int64_t back_off_ns(int *again_s)
{
	*again_s = *again_s ? 2 * *again_s : FIRST_S;
	if (*again_s > AGAIN_S)
		*again_s = AGAIN_S;
	return (int64_t)*again_s * MS_NS * (20 + random() % 981);
}
