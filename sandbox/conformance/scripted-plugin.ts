import type { Message } from "../../src/runtime/protocol.ts";

/** One thing that the scripted plugin does. */
export type Step =
  /** Writes one line. A message may hold members that no contract names. */
  | { send: Message }
  /** Writes one line byte by byte, with a pause at each byte of a character that is not ASCII. */
  | { trickle: Message }
  /** Writes so many bytes to standard error. */
  | { noise: number }
  /** Signals that it has come this far, and waits until its host is gone. */
  | { waitForKill: true }
  /** Signals that it has come this far, and waits until it receives a signal to continue. */
  | { waitForOther: true }
  /** Ends with this exit code; without it, a run ends with 0. */
  | { exit: number }
  /** Ends by a signal. */
  | { dieBySignal: true };

/** What the scripted plugin saw when it was started. */
export interface Start {
  /** All of standard input. */
  input: string;
  /** false: standard input was still open after ten seconds. */
  inputClosed: boolean;
  /** Arguments behind the program. */
  args: string[];
  environment: Record<string, string>;
  /** When it had read its request, in epoch milliseconds. */
  readAt: number;
}

/** Files in the folder of records: `<number of the run>.json` holds a {@link Start}, and this one asks for the kill. */
export const KILL_REQUEST = "kill";
/** This one says that the plugin waits, and the next one that it may go on. */
export const WAITING = "waiting";
export const GO_ON = "go-on";

/**
 * A program that stands in for plugin.mjs: it records how it was started, then follows the script of that run.
 *
 * @param records - folder for what it records; it exists
 * @param runs - the steps of each run, in the order in which a host starts them
 */
export function scriptedPlugin(records: string, runs: readonly (readonly Step[])[]): string {
  // In an object literal, `__proto__` would not be a member like others.
  const script = JSON.stringify(JSON.stringify([records, { kill: KILL_REQUEST, waiting: WAITING, goOn: GO_ON }, runs]));
  return `const [records, names, runs] = JSON.parse(${script});\n${PROGRAM}`;
}

const PROGRAM = `
import { existsSync, readdirSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";

const parent = process.ppid;
const number = readdirSync(records).filter((name) => name.endsWith(".json")).length;
const chunks = [];
const readAll = async () => {
  for await (const chunk of process.stdin) chunks.push(chunk);
  return true;
};
const inputClosed = await Promise.race([readAll(), setTimeout(10_000, false, { ref: false })]);
const input = Buffer.concat(chunks).toString("utf8");
const start = { input, inputClosed, args: process.argv.slice(2), environment: process.env, readAt: Date.now() };
writeFileSync(join(records, "start.draft"), JSON.stringify(start));
renameSync(join(records, "start.draft"), join(records, number + ".json"));

function write(descriptor, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if (error.code === "EPIPE") process.exit(1);
      if (error.code !== "EAGAIN") throw error;
    }
  }
}
const line = (message) => Buffer.from(JSON.stringify(message) + "\\n");

for (const step of runs[number] ?? []) {
  if (step.send) write(1, line(step.send));
  if (step.trickle) {
    for (const byte of line(step.trickle)) {
      write(1, Buffer.from([byte]));
      // So long that a host reads the part of the character that it has.
      await (byte > 127 ? setTimeout(30) : setImmediate());
    }
  }
  if (step.noise) write(2, Buffer.from(("x".repeat(99) + "\\n").repeat(step.noise / 100)));
  if (step.waitForKill) {
    writeFileSync(join(records, names.kill), "");
    for (const end = Date.now() + 30_000; Date.now() < end && process.ppid === parent; ) await setTimeout(20);
    process.exit(1);
  }
  if (step.waitForOther) {
    writeFileSync(join(records, names.waiting), "");
    for (const end = Date.now() + 30_000; Date.now() < end && !existsSync(join(records, names.goOn)); ) await setTimeout(20);
  }
  if (step.dieBySignal) process.kill(process.pid, "SIGKILL");
  if (step.exit !== undefined) process.exit(step.exit);
}
process.exit(0);
`;
