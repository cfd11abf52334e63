/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpufreq - clock of each CPU as reported by its cpufreq driver, from /sys/devices/system/cpu
 *
 * Off by default, because it is expensive on nodes with many CPUs: a sample reads up to five files
 * per CPU, and the kernel may interrupt each CPU to measure its clock
 * (arch/x86/kernel/cpu/aperfmperf.c; Linux 4.14 to 5.16 may also sleep for 10 ms).
 */
#include "collectors/collector.h"
#include "schema/types/cpufreq.h"

#include <string.h>

#define CPUS "sys/devices/system/cpu"
#define CYCLES_PER_KHZ_TICK 10	/* a tick is 10 ms, so one kHz during a tick is 10 cycles */

static bool cpufreq_read_number(struct source *s, const char *cpu, const char *file, uint64_t *ret)
{
	struct str text;
	return source_read_in(s, CPUS, cpu, file, &text) == 0 && str_take_u64(&text, ret);
}

/*
 * Compute the number of cycles from lines such as "2001000 60883": a frequency in kHz, and the time
 * spent at this frequency in ticks of 10 ms.
 */
static bool cpufreq_read_cycles(struct source *s, const char *cpu, uint64_t *ret)
{
	struct str text, line;
	uint64_t khz, ticks, sum = 0;
	if (source_read_in(s, CPUS, cpu, "cpufreq/stats/time_in_state", &text) < 0 || !text.n)
		return false;
	while (str_take_line(&text, &line)) {
		if (!str_take_u64(&line, &khz) || !str_take_u64(&line, &ticks))
			return false;
		sum += khz * ticks * CYCLES_PER_KHZ_TICK;
	}
	*ret = sum;
	return true;
}

static void cpufreq_collect_cpu(struct source *s, const char *cpu)
{
	struct str number = str_skip(str_of(cpu), strlen("cpu"));
	static const size_t limits[] = { FREQUENCY_MIN, FREQUENCY_MAX };
	uint64_t khz, changes, cycles, limit;
	if (!str_is_u64(number))
		return;		/* not a CPU, but the directory cpufreq/ or cpuidle/ */

	bool has_khz = cpufreq_read_number(s, cpu, s->rows.metrics[FREQUENCY].key, &khz);
	bool has_changes = cpufreq_read_number(s, cpu, s->rows.metrics[CHANGES].key, &changes);
	bool has_cycles = cpufreq_read_cycles(s, cpu, &cycles);
	if (!has_khz && !has_changes && !has_cycles)
		return;
	struct row row = rows_add(&s->rows, number);
	if (has_khz)
		row_set(row, FREQUENCY, khz);
	if (has_changes)
		row_set(row, CHANGES, changes);
	if (has_cycles)
		row_set(row, CYCLES, cycles);
	for (size_t i = 0; i < ARRAY_SIZE(limits); i++)
		if (cpufreq_read_number(s, cpu, s->rows.metrics[limits[i]].key, &limit))
			row_set(row, limits[i], limit);
}

static int cpufreq_collect(struct source *s)
{
	int n = source_devices(s, CPUS, "cpu");
	if (n < 0)
		return n;

	for (int i = 0; i < n; i++)
		cpufreq_collect_cpu(s, source_device_name(s, (size_t)i));
	return s->rows.n ? 0 : source_absent(s, "no /" CPUS "/cpuN/cpufreq has a file to read");
}

const struct collector cpufreq_collector = {
	.type    = &cpufreq_type,
	.collect = cpufreq_collect,
};
