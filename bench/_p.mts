import { TenantProcess } from "./tenant-process.ts";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
const [folder, ...flagSets] = process.argv.slice(2);
const tenant = await TenantProcess.start({ dataset: { environments: 5, findingTypes: 30, findingsPerPair: 1000 }, latencyMs: 20 } as never);
const { address } = tenant as any;
for (const flags of flagSets) {
const request = { protocol: 1, kind: "connector", name: "Attack Path Findings", run: { id: "r", deadline: null, test: false }, parameters: { Server: address.server ?? address.url, "Token ID": address.tokenId, "Token Key": address.tokenKey, "Selected Environments": "All", "Selected Finding Types": "All", "Product Field Name": "device_product", "Event Field Name": "finding_type" }, state: null };
const [f, fl] = flags.includes("@") ? flags.split("@") : [folder, flags];
const child = spawn(process.execPath, [...(fl ?? "").split(" ").filter(Boolean), "--import=file:///work/main/bench/report-usage.mjs", f + "/plugin.mjs"], { env: { PATH: process.env.PATH, BENCH_USAGE_FILE: "/tmp/usage" }, stdio: ["pipe", "pipe", "inherit"] });
let out = 0, gc: Record<string, [number, number]> = {}, tail = "";
child.stdout.on("data", (c) => { out += c.length; for (const l of (tail + c).split("\n")) { const m = /^\[\d+:.* ms: (Scavenge|Mark-Compact|Minor)[^/]*?\) MB(?:, | )?.*? ([\d.]+) \/ /.exec(l) ?? /ms: (Scavenge|Mark-Compact).* ([\d.]+) \/ [\d.]+ ms/.exec(l); if (m) { const g = (gc[m[1]!] ??= [0, 0]); g[0]++; g[1] += Number(m[2]); } } tail = ""; });
child.stdin.end(JSON.stringify(request));
await new Promise((r) => child.on("close", r));
const u = JSON.parse(readFileSync("/tmp/usage", "utf8").trim().split("\n").at(-1)!);
console.log(flags.slice(-60).padEnd(60), "cpu", (u.userMs + u.systemMs).toFixed(0), "user", u.userMs.toFixed(0), "peak", (u.peakBytes / 1e6).toFixed(0), JSON.stringify(gc));
}
await tenant.close();
