import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  createWriteStream,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { UsageError } from "../../src/cli/failures.ts";
import { lineOutput } from "../../src/cli/poll/line-output.ts";
import { Lock, LockedError } from "../../src/cli/poll/lock.ts";
import { StateFile } from "../../src/cli/poll/state-file.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const TENANT = "https://tenant.test";
const LINE = '{"name":"Zoë"}\n';

/** The run may take as long as it likes. */
const patient = { clock: new FakeClock(), stop: new AbortController().signal, consequence: "It is written later." };

/** An output that appends to a file, as a shell's >> does. */
function appending(file: string) {
  const fd = openSync(file, "a");
  return lineOutput(Object.assign(createWriteStream(file, { fd, autoClose: false }), { fd }), patient);
}

describe("the output of poll", () => {
  /** What is missing of a line that began behind the first, when the file holds this. */
  async function missingOf(found: string | Buffer, then?: (file: string) => void): Promise<string> {
    const file = join(temporaryFolder(), "alerts");
    writeFileSync(file, "first\n");
    const output = appending(file);
    const position = output.position();
    appendFileSync(file, found);
    then?.(file);
    return (await output.missing(LINE, position)).toString("latin1");
  }
  const bytes = Buffer.from(LINE);
  const whole = bytes.toString("latin1");

  it("misses nothing when the line is there", async () => {
    expect(await missingOf(LINE)).toBe("");
  });

  it("misses nothing when others have written behind the line", async () => {
    expect(await missingOf(`${LINE}other\n`)).toBe("");
  });

  it("misses the line when nothing of it is there", async () => {
    expect(await missingOf("")).toBe(whole);
  });

  it("misses the end of a line that was cut off anywhere, also inside a character", async () => {
    for (let length = 1; length < bytes.length; length++) {
      expect(await missingOf(bytes.subarray(0, length))).toBe(bytes.subarray(length).toString("latin1"));
    }
  });

  it("misses the line when others have written in its place, or behind a part of it", async () => {
    expect(await missingOf("other\n")).toBe(whole);
    expect(await missingOf('{"name"other\n')).toBe(whole);
  });

  it("misses the line when the file was emptied, or is another one", async () => {
    expect(
      await missingOf(LINE, (file) => {
        writeFileSync(file, "");
      }),
    ).toBe(whole);
    const [one, other] = [join(temporaryFolder(), "one"), join(temporaryFolder(), "other")];
    const position = appending(one).position();
    writeFileSync(other, LINE);
    expect((await appending(other).missing(LINE, position)).length).toBe(bytes.length);
  });

  it("misses the line when it goes into a pipe", async () => {
    const output = lineOutput(new PassThrough(), patient);
    expect(output.position()).toBeNull();
    expect((await output.missing(LINE, null)).length).toBe(bytes.length);
  });
});

describe("the state file of poll", () => {
  it("claims a line only with the first save after it was written", async () => {
    const path = join(temporaryFolder(), "poll.json");
    const file = await StateFile.open(path, TENANT);
    await file.announce({ line: LINE, patch: { a: 1, gone: null }, position: null });
    expect((await StateFile.open(path, TENANT)).state).toBeNull();
    file.confirm();
    expect((await StateFile.open(path, TENANT)).pending?.line).toBe(LINE);
    await file.announce({ line: "2\n", patch: { b: { c: 2 } }, position: null });
    expect(await StateFile.open(path, TENANT)).toMatchObject({ state: { a: 1 }, pending: { line: "2\n" } });
    file.confirm();
    await file.finish();
    expect(await StateFile.open(path, TENANT)).toMatchObject({ state: { a: 1, b: { c: 2 } }, pending: null });
  });
});

describe("the lock of poll", () => {
  /** A process that has ended. */
  async function deadProcess(): Promise<number> {
    const child = spawn(process.execPath, ["-e", ""]);
    await once(child, "close");
    return child.pid ?? 0;
  }
  const namespace = process.platform === "linux" ? readlinkSync("/proc/self/ns/pid") : "";
  const owner = (changes: object) =>
    JSON.stringify({ token: "t-1", pid: process.pid, host: hostname(), namespace, started: "", ...changes });

  it("is held by one at a time, and leaves nothing behind", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const lock = await Lock.acquire(path);
    await expect(Lock.acquire(path)).rejects.toThrow(LockedError);
    await lock.release();
    await (await Lock.acquire(path)).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["was killed", async () => owner({ pid: await deadProcess() })],
    ["was killed and whose process id was given to another one", () => owner({ started: "long ago" })],
  ])("is taken over from a run that %s, by one of many that try", async (_, content) => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    writeFileSync(path, await content());
    const attempts = await Promise.allSettled(Array.from({ length: 20 }, () => Lock.acquire(path)));
    const locks = attempts.flatMap((attempt) => (attempt.status === "fulfilled" ? [attempt.value] : []));
    expect(locks).toHaveLength(1);
    await locks[0]!.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ["machine", { host: "elsewhere" }],
    ["container with the same host name", { namespace: "pid:[1]" }],
  ])("is not taken over from another %s, and says what to do", async (_, place) => {
    const path = join(temporaryFolder(), "lock");
    const content = owner({ ...place, pid: await deadProcess() });
    writeFileSync(path, content);
    const refused = expect(Lock.acquire(path)).rejects;
    await refused.toThrow(UsageError);
    await refused.toThrow(`If that run is over, delete ${path}.`);
    expect(readFileSync(path, "utf8")).toBe(content);
  });

  it("removes what killed runs have left beside it, and nothing else", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const left = [`new-${randomUUID()}`, randomUUID(), `${randomUUID()}.new-${randomUUID()}`].map(
      (name) => `lock.${name}`,
    );
    for (const name of [...left, "lock.md", "other"]) writeFileSync(join(folder, name), "{}");
    const lock = await Lock.acquire(path);
    await lock.release();
    expect(readdirSync(folder).sort()).toEqual(["lock.md", "other"]);
  });
});
