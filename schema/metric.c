/* SPDX-License-Identifier: BSD-3-Clause */
/* metric.c - names of kinds and units */
#include "schema/metric.h"

#include <string.h>
#include "base/str.h"

const char *metric_kind_name(enum metric_kind kind)
{
	static const char *const names[] = {
		[COUNTER] = "counter", [GAUGE] = "gauge", [CONTROL] = "control",
	};
	return names[kind];
}

/* Units as hpcperfstats spells them, then units that only nodometer's types have. */
static const struct unit {
	const char *unit, *name;
} units[] = {
	{ "B",    "bytes"                 },
	{ "KB",   "kibibytes"             },
	{ "kB",   "kibibytes"             },
	{ "MB",   "mebibytes"             },
	{ "4B",   "words of 4 bytes"      },
	{ "512B", "sectors of 512 bytes"  },
	{ "flt",  "flits"                 },
	{ "cs",   "hundredths of seconds" },
	{ "ms",   "milliseconds"          },
	{ "us",   "microseconds"          },
	{ "W",    "watts"                 },
	{ "mW",   "milliwatts"            },
	{ "J",    "joules"                },
	{ "mJ",   "millijoules"           },
	{ "C",    "degrees Celsius"       },
	{ "ns",   "nanoseconds"           },
	{ "uW",   "microwatts"            },
	{ "uJ",   "microjoules"           },
	{ "mC",   "thousandths of degrees Celsius" },
	{ "Hz",   "hertz"                 },
	{ "kHz",  "kilohertz"             },
	{ "MHz",  "megahertz"             },
	{ "rpm",  "turns per minute"      },
	{ "%",    "per cent"              },
};

const char *metric_unit_name(const char *unit)
{
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (strcmp(units[i].unit, unit) == 0)
			return units[i].name;
	return NULL;
}

/* Return the unit without the number at its start. An invalid number is left in the unit. */
const char *metric_unit_split(const char *unit, unsigned *scale)
{
	struct str rest = str_of(unit);
	uint64_t n;

	*scale = 1;
	if (str_peek(rest) == ' ' || !str_take_u64(&rest, &n) || !n || n > UINT32_MAX)
		return unit;
	*scale = (unsigned)n;
	return rest.p;
}
