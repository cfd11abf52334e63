/* SPDX-License-Identifier: BSD-3-Clause */
/* node_info.h - what system information records say of this node */
#pragma once

#include "base/files.h"
#include "formats/vms/control.h"

void node_info(struct files *root, struct vms_node *n);
