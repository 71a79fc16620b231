import { appendFileSync, readFileSync } from "node:fs";
import process from "node:process";

// Loaded into each measured process and its children: the kernel's own account of the process, once it is over.
process.on("exit", () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  const usage = { userMs: userCPUTime / 1000, systemMs: systemCPUTime / 1000, peakBytes: peakBytes() };
  appendFileSync(process.env["BENCH_USAGE_FILE"], `${JSON.stringify(usage)}\n`);
});

/** The largest resident set. Linux counts that of the parent at the fork into `maxRSS`; its status file does not. */
function peakBytes() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  return Number(kilobytes) * 1024;
}
