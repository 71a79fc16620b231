import { describe } from "@jest/globals";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Version of the GNU C library that runs this process. */
function glibc(): string | undefined {
  return (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header.glibcVersionRuntime;
}

/** What some suites need and not every machine has. */
const TOOLS = {
  chromium: {
    debianPackage: "chromium",
    find: () =>
      [process.env["CHROMIUM"] ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
        (path) => existsSync(path),
      ),
  },
  python3: {
    debianPackage: "python3",
    find: () => {
      const { status, stdout } = spawnSync("python3", ["-c", "import sys; print(sys.executable)"], {
        encoding: "utf8",
      });
      return status === 0 ? stdout.trim() : undefined;
    },
  },
  "the GNU C library": {
    debianPackage: "libc6",
    find: glibc,
  },
  "the GNU C library for x64": {
    debianPackage: "libc6:amd64",
    find: () => (process.arch === "x64" ? glibc() : undefined),
  },
} satisfies Record<string, { debianPackage: string; find: () => string | undefined }>;

export type ToolName = keyof typeof TOOLS;

export interface Tool {
  /** Where the tool is (of a library: its version); empty when it is missing. */
  found: string;
  /** Jest's `describe`, or one that skips its tests when the tool is missing. The run's summary says why. */
  describe: (title: string, tests: () => void) => void;
}

/**
 * The tool for a suite. When it is missing, CI fails and any other run skips what is described with it.
 *
 * @param ci - whether this is a CI run, which must not skip anything
 */
export function needs(
  name: ToolName,
  find: () => string | undefined = TOOLS[name].find,
  ci: boolean = (process.env["CI"] ?? "") !== "",
): Tool {
  const found = find() ?? "";
  if (found !== "") return { found, describe };
  const missing = `${name} is not installed (Debian package ${TOOLS[name].debianPackage})`;
  if (ci) throw new Error(`${missing}. CI runs every test, so install it.`);
  return {
    found,
    describe: (title, tests) => {
      describe.skip(`${title} [skipped: ${missing}]`, tests);
    },
  };
}
