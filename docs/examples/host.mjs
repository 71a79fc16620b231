// A host: node host.mjs <plugin.mjs> <data folder>, with {"kind", "name", "instance", "parameters"} on standard input.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

const [plugin, folder] = process.argv.slice(2);
const order = JSON.parse(readFileSync(0, "utf8"));
const [file, lock] = [`${folder}/store.json`, `${folder}/lock`];

const read = (path) => (existsSync(path) ? readFileSync(path, "utf8") : "");

// Process ids are used again, in a container even by the next host. Linux also says when a process started, and in which boot.
function nameOf(pid) {
  const [, started = ""] = /.*\) (?:\S+ ){19}(\S+)/s.exec(read(`/proc/${pid}/stat`)) ?? [];
  return `${pid} ${read("/proc/sys/kernel/random/boot_id").trim()} ${started}`;
}

// Two runs at the same time would deliver the same findings twice. A lock that a full disk left empty is held by nobody.
function isHeldBy(name) {
  const pid = Number.parseInt(name, 10);
  try {
    return pid !== process.pid && process.kill(pid, 0) && nameOf(pid) === name;
  } catch {
    return false; // The lock of a host that was killed names a process that is gone.
  }
}
if (existsSync(lock) && !isHeldBy(read(lock))) rmSync(lock);
const own = `${lock}.${process.pid}`;
process.on("exit", () => rmSync(own, { force: true }));
writeFileSync(own, nameOf(process.pid));
linkSync(own, lock); // So it is never there without its name.
process.on("exit", () => rmSync(lock, { force: true }));

const store = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : { state: null, alerts: {} };

// Alerts and state are one file that is replaced as a whole, so a kill at any moment leaves both or neither.
function save() {
  writeFileSync(`${file}.new`, JSON.stringify(store));
  renameSync(`${file}.new`, file);
}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

// RFC 7396, with a Map because a key may be `__proto__`.
function merge(target, patch) {
  if (!isObject(patch)) return patch;
  const merged = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [key, value] of Object.entries(patch)) merged.set(key, merge(merged.get(key), value));
  return Object.fromEntries([...merged].filter(([key]) => patch[key] !== null));
}

async function run(state) {
  const env = { PATH: process.env.PATH }; // Add HTTPS_PROXY, NO_PROXY and NODE_EXTRA_CA_CERTS where you need them.
  const child = spawn(process.execPath, [plugin], { env, stdio: ["pipe", "pipe", "inherit"] });
  const closed = once(child, "close");
  const request = { protocol: 1, ...order, run: { id: crypto.randomUUID(), deadline: null, test: false }, state };
  child.stdin.on("error", () => {}).end(JSON.stringify(request));
  let [result, rest] = [{ status: "crashed" }, ""];
  for await (const chunk of child.stdout.setEncoding("utf8")) {
    const lines = (rest + chunk).split("\n"); // readline would also split at U+2028, which JSON may hold.
    rest = lines.pop();
    for (const message of lines.map((line) => JSON.parse(line))) {
      if (message.type === "result") result = message;
      if (message.type !== "alert") continue;
      store.alerts[message.alert.id] ??= message.alert;
      store.state = merge(store.state, message.checkpoint ?? {});
      save();
    }
  }
  const [code] = await closed;
  return code === 0 ? result : { status: "crashed" };
}

let result = await run(order.kind === "connector" ? store.state : null);
while (result.status === "in_progress") {
  await delay(1000); // The service may still refuse what it refused the run before.
  result = await run(result.state);
}
// The state of a job is another one, which this host does not keep.
if (order.kind === "connector" && result.checkpoint !== undefined) Object.assign(store, { state: result.checkpoint });
save();
console.log(JSON.stringify({ status: result.status, alerts: Object.keys(store.alerts) }));
