import { arch, cpus, loadavg, platform, totalmem } from "node:os";

export interface Machine {
  cpu: string;
  cores: number;
  memoryBytes: number;
  platform: string;
  node: string;
  /** Average number of busy processes in the minute before the measurement; well above 0 means that others were at work. */
  load: number;
  /** RFC 3339. */
  measuredAt: string;
}

export function describeMachine(): Machine {
  const [first] = cpus();
  return {
    cpu: first?.model.trim() ?? "unknown",
    cores: cpus().length,
    memoryBytes: totalmem(),
    platform: `${platform()} ${arch()}`,
    node: process.version,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    measuredAt: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
  };
}
