/** The Node.js that runs the plugin. */
export interface NodeInUse {
  /** Path of its executable. */
  path: string;
  /** Such as `22.23.3`. */
  version: string;
  /** Such as `glibc 2.36`; null when it is not the GNU C library. */
  cLibrary: string | null;
  /** As Node.js calls it, such as `x64`. */
  architecture: string;
}

/**
 * Call it while nothing is connected: the report that names the C library also looks up the names of all connected addresses,
 * and Node.js before 20.13 has no option to leave that out.
 */
export function nodeInUse(): NodeInUse {
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  const glibc = header.glibcVersionRuntime;
  return {
    path: process.execPath,
    version: process.versions.node,
    cLibrary: glibc === undefined ? null : `glibc ${glibc}`,
    architecture: process.arch,
  };
}
