/* SPDX-License-Identifier: BSD-3-Clause */
/* mic_stub.c - a libmicmgmt.so.0 with two coprocessors, one of them off: for vendor-libraries.sh */
#include <stdint.h>
#include <stdlib.h>

struct mic_device { uint32_t number; };
struct mic_core_util { uint64_t updates; };

int mic_open_device(struct mic_device **d, uint32_t number);
int mic_open_device(struct mic_device **d, uint32_t number)
{
	static struct mic_device device[2];
	if (number > 1)
		return 1;
	*d = &device[number];
	(*d)->number = number;
	return 0;
}

int mic_close_device(struct mic_device *d);
int mic_close_device(struct mic_device *d)
{
	return d->number != 1;
}

int mic_alloc_core_util(struct mic_core_util **u);
int mic_alloc_core_util(struct mic_core_util **u)
{
	static struct mic_core_util util;
	*u = &util;
	return 0;
}

int mic_update_core_util(struct mic_device *d, struct mic_core_util *u);
int mic_update_core_util(struct mic_device *d, struct mic_core_util *u)
{
	u->updates++;
	return d->number == 1;
}

int mic_get_num_cores(struct mic_core_util *u, uint16_t *n);
int mic_get_num_cores(struct mic_core_util *u, uint16_t *n)
{
	*n = u->updates ? 61 : 0;
	return 0;
}

int mic_get_threads_core(struct mic_core_util *u, uint16_t *n);
int mic_get_threads_core(struct mic_core_util *u, uint16_t *n)
{
	*n = u->updates ? 4 : 0;
	return 0;
}

#define SUM(name, v)							\
	int mic_get_##name(struct mic_core_util *u, uint64_t *ret);	\
	int mic_get_##name(struct mic_core_util *u, uint64_t *ret)	\
	{								\
		*ret = (v) * u->updates;				\
		return 0;						\
	}
SUM(user_sum, 5000000000)
SUM(nice_sum, 2)
SUM(sys_sum, 3)
SUM(idle_sum, 4)
SUM(jiffy_counter, 5)
