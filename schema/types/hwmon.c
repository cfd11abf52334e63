/* SPDX-License-Identifier: BSD-3-Clause */
/* hwmon.c - types of sensors: hwmon_temp, hwmon_fan, hwmon_power, hwmon_energy */
#include "schema/type.h"

static const struct metric temp_metrics[] = {
	{ "input", GAUGE, "mC", "temperature" },
};
static const struct metric fan_metrics[] = {
	{ "input", GAUGE, "rpm", "speed" },
};
static const struct metric power_metrics[] = {
	{ "input", GAUGE, "uW", "power now, or its mean over a time that the chip chooses" },
};
static const struct metric energy_metrics[] = {
	{ "input", COUNTER, "uJ", "energy taken" },
};

#define HWMON(kind, text) { \
	.name    = "hwmon_" #kind, \
	.about   = text, \
	.source  = "/sys/class/hwmon/hwmonN/" #kind "N_input or _average", \
	.device  = "chip, its name, sensor, label; label part: an ACPI power meter that does not " \
		   "measure the whole node", \
	.off     = true, \
	.isolate = true, \
	METRICS(kind##_metrics), \
}
const struct type hwmon_energy_type = HWMON(energy, "energy that sensors count");
const struct type hwmon_fan_type = HWMON(fan, "speed of fans");
const struct type hwmon_power_type = HWMON(power, "power that sensors measure");
const struct type hwmon_temp_type = HWMON(temp, "temperatures");
