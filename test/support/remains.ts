import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder. */
export function filesIn(folder: string): { path: string; content: Buffer }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: path.slice(folder.length + 1), content: readFileSync(path) }));
}

/** Arguments and environment of each process that this one has started, as anyone with its user id can read them. */
export function childProcesses(): Buffer[] {
  const ours = readdirSync("/proc").filter((entry) => /^\d+$/.test(entry) && parentOf(entry) === process.pid);
  return ours.flatMap((pid) => ["cmdline", "environ"].map((file) => readFileSync(`/proc/${pid}/${file}`)));
}

function parentOf(pid: string): number | null {
  try {
    return Number(/\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1]);
  } catch {
    return null;
  }
}
