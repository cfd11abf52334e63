/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * hwmon - sensors of boards and chips, from /sys/class/hwmon
 *
 * Each kind of sensor has its own type, because a key has one unit only. Off by default, and read
 * by a worker process, because a driver may ask a slow bus or firmware, and some have stalled the
 * whole machine (ACPI power meters). If a chip does not answer by the deadline, the other chips
 * lose this sample; in the next samples, the slow chip is left out. Negative values are left out.
 * An ACPI power meter measures the whole node unless it lists devices
 * (Documentation/hwmon/acpi_power_meter.rst, "measures").
 */
#include "collectors/collector.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/names.h"
#include "base/vec.h"

/* Largest number of sensors. Documentation/hwmon/sysfs-interface.rst describes their files. */
#define SENSORS_MAX 1024

struct hwmon_sensor {
	char path[160];
	char device[128];	/* "hwmon0/coretemp/temp1/Package id 0" */
};

struct hwmon_state {
	bool looked;
	struct hwmon_sensor *sensor;
	size_t n, cap;
	struct names chips, files;
};

static void hwmon_free_state(void *state)
{
	struct hwmon_state *st = state;
	free(st->sensor);
	names_free(&st->chips);
	names_free(&st->files);
}

/* Read a file whose content, one word, never changes; then close the file. */
static struct str hwmon_read_word(struct source *s, const char *dir, const char *file)
{
	char path[160];
	struct str text = { 0 };
	snprintf(path, sizeof(path), "%.80s/%.64s", dir, file);
	if (source_read(s, path, &text) < 0)
		text = (struct str){ 0 };
	files_forget(&s->files, path);
	return str_trim(text);
}

static bool measures_parts(struct source *s, const char *dir)
{
	struct names measured CLEANUP(names_free) = { 0 };
	char path[160];
	snprintf(path, sizeof(path), "%.80s/device/measures", dir);
	return names_list(&measured, &s->files, path, "") == 0 && measured.n > 0;
}

/* Add the sensor of a file such as "temp1_input". Its name, if any, is in temp1_label. */
static void hwmon_add_sensor(struct source *s, struct hwmon_state *st, const char *dir,
			     const char *chip,
			     const char *file)
{
	char name[32], label[40], path[160];
	if (st->n == SENSORS_MAX)
		return;
	st->sensor = vec_reserve(st->sensor, &st->cap, st->n + 1, sizeof(*st->sensor));
	str_copy(name, sizeof(name), hwmon_read_word(s, dir, "name"));
	int n = (int)strcspn(file, "_");
	snprintf(path, sizeof(path), "%.*s_label", n, file);
	str_copy(label, sizeof(label), hwmon_read_word(s, dir, path));
	if (strcmp(name, "power_meter") == 0 && measures_parts(s, dir))
		str_copy(label, sizeof(label), STR("part"));

	struct hwmon_sensor *new = &st->sensor[st->n++];
	snprintf(new->path, sizeof(new->path), "%.80s/%.64s", dir, file);
	snprintf(new->device, sizeof(new->device), "%.32s/%s/%.*s%s%s", chip,
		 name[0] ? name : "-", n < 32 ? n : 32, file, label[0] ? "/" : "", label);
}

static bool ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), e = strlen(end);
	return n >= e && strcmp(name + n - e, end) == 0;
}

/*
 * Return true for a file with the value of a sensor: "power1_input"; or "power1_average" if the
 * sensor has no power1_input, such as an ACPI power meter.
 */
static bool hwmon_is_value(const struct names *files, const char *file)
{
	size_t n = strcspn(file, "_");
	bool has_input = false;
	if (!ends_in(file, "_average"))
		return ends_in(file, "_input");
	for (size_t i = 0; i < files->n && !has_input; i++)
		has_input = strncmp(files->name[i], file, n) == 0 &&
			    strcmp(files->name[i] + n, "_input") == 0;
	return !has_input;
}

/* Add the sensors of a chip. */
static void hwmon_add_chip(struct source *s, struct hwmon_state *st, const char *dir,
			   const char *chip)
{
	const char *kind = s->data;
	if (names_list(&st->files, &s->files, dir, kind) < 0)
		return;
	for (size_t i = 0; i < st->files.n; i++) {
		const char *file = st->files.name[i];
		char digit = file[strlen(kind)];
		if (digit >= '0' && digit <= '9' && hwmon_is_value(&st->files, file))
			hwmon_add_sensor(s, st, dir, chip, file);
	}
}

static void hwmon_find_sensors(struct source *s, struct hwmon_state *st)
{
	char dir[96];
	st->n = 0;
	if (names_list(&st->chips, &s->files, "sys/class/hwmon", "hwmon") < 0)
		return;
	for (size_t i = 0; i < st->chips.n; i++) {
		const char *chip = st->chips.name[i];
		size_t n = st->n;
		snprintf(dir, sizeof(dir), "sys/class/hwmon/%.32s", chip);
		hwmon_add_chip(s, st, dir, chip);
		if (st->n > n)
			continue;
		snprintf(dir, sizeof(dir), "sys/class/hwmon/%.32s/device", chip);
		/* before Linux 3.15, the sensors were in device/ */
		hwmon_add_chip(s, st, dir, chip);
	}
}

/*
 * Read one sensor. A chip that hangs does not block the other chips for long, see source_enter().
 */
static bool read_sensor(struct source *s, const struct hwmon_sensor *sensor)
{
	struct str text, chip = { sensor->device, strcspn(sensor->device, "/") };
	uint64_t v;
	if (!source_enter(s, chip)) {
		source_absent(s, STR_FMT " did not answer and is skipped for a while",
			      STR_ARG(chip));
		return false;
	}
	if (source_read(s, sensor->path, &text) == 0 && str_take_u64(&text, &v))
		row_set(rows_add(&s->rows, str_of(sensor->device)), 0, v);
	source_leave(s);
	return true;
}

static int hwmon_collect(struct source *s)
{
	struct hwmon_state *st = source_state(s, sizeof(*st));
	bool hung = false;

	s->end_state = hwmon_free_state;
	if (!st->looked || s->rescan)
		hwmon_find_sensors(s, st);
	st->looked = true;
	for (size_t i = 0; i < st->n; i++)
		hung |= !read_sensor(s, &st->sensor[i]);
	if (hung && !s->rows.n)
		return -EIO;
	return s->rows.n ? 0 : source_absent(s, "no /sys/class/hwmon/hwmonN/%sN_input to read",
					     (const char *)s->data);
}

#define HWMON(kind) { \
	.type    = &hwmon_##kind##_type, \
	.collect = hwmon_collect, \
	.data    = #kind, \
	.needs   = PRIVILEGE_SEARCH, \
}
const struct collector hwmon_energy_collector = HWMON(energy);
const struct collector hwmon_fan_collector = HWMON(fan);
const struct collector hwmon_power_collector = HWMON(power);
const struct collector hwmon_temp_collector = HWMON(temp);
