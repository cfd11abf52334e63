# SPDX-License-Identifier: BSD-3-Clause
"""What users of a node without nodometer take from Spack: run, report and the recorders."""

from spack.package import *


class Nodometer(AutotoolsPackage):
    """Reports what a job used on the nodes of a cluster, and why it was slow."""

    homepage = "https://example.org/nodometer"
    git = "https://example.org/nodometer"

    license("BSD-3-Clause")

    version("main", branch="main")

    variant("hwloc", default=True, description="Topology by hwloc")
    variant("curl", default=False, description="Sinks that send by HTTP")

    depends_on("c", type="build")
    depends_on("autoconf@2.69:", type="build")
    depends_on("automake@1.16:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("inih")
    depends_on("zlib-api")
    depends_on("zstd@1.4:")
    depends_on("hwloc", when="+hwloc")
    depends_on("curl", when="+curl")

    def configure_args(self):
        return self.with_or_without("hwloc") + self.with_or_without("curl")
