import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  closeSync,
  createWriteStream,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { UsageError } from "../../../src/cli/failures.ts";
import { lineOutput, type Position } from "../../../src/cli/poll/line-output.ts";
import { Lock, LockedError } from "../../../src/cli/poll/lock.ts";
import { StateFile, StateFileError } from "../../../src/cli/poll/state-file.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

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
    const position = await output.position();
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

  it("misses the line, behind a line feed, when a part of it may be there and the file cannot be read", async () => {
    const unreadable = (file: string): void => {
      chmodSync(file, 0o200);
      // Nothing is unreadable for root.
      if (process.geteuid?.() === 0) process.seteuid?.(65_534);
    };
    try {
      expect(await missingOf('{"na', unreadable)).toBe(`\n${whole}`);
      expect(await missingOf("", unreadable)).toBe(whole);
    } finally {
      process.seteuid?.(process.getuid?.() ?? 0);
    }
  });

  it("misses the line when the file was emptied, or is another one", async () => {
    expect(
      await missingOf(LINE, (file) => {
        writeFileSync(file, "");
      }),
    ).toBe(whole);
    const [one, other] = [join(temporaryFolder(), "one"), join(temporaryFolder(), "other")];
    const position = await appending(one).position();
    writeFileSync(other, LINE);
    expect((await appending(other).missing(LINE, position)).length).toBe(bytes.length);
  });

  it("misses the line when it goes into a pipe", async () => {
    const output = lineOutput(new PassThrough(), patient);
    expect(await output.position()).toBeNull();
    expect((await output.missing(LINE, null)).length).toBe(bytes.length);
  });

  it("misses the line when its place is not known, or is that of another file", async () => {
    const file = join(temporaryFolder(), "alerts");
    const output = appending(file);
    const { device = 0, inode = 0 } = (await output.position()) ?? {};
    await output.write(bytes);
    const missing = async (position: Position | null) => (await output.missing(LINE, position)).toString("latin1");
    expect(await missing({ device, inode, size: 0 })).toBe("");
    expect(await missing({ device: device + 1, inode, size: 0 })).toBe(whole);
    expect(await missing({ device, inode: inode + 1, size: 0 })).toBe(whole);
    expect(await missing(null)).toBe(whole);
    const pipe = lineOutput(new PassThrough(), patient);
    expect((await pipe.missing(LINE, { device, inode, size: 0 })).toString("latin1")).toBe(whole);
  });

  it("begins its lines behind one that was cut off, and completes its own", async () => {
    const file = join(temporaryFolder(), "alerts");
    writeFileSync(file, "first\n{half");
    const output = appending(file);
    const position = await output.position();
    await output.write(bytes);
    expect(readFileSync(file, "utf8")).toBe(`first\n{half\n${LINE}`);
    expect((await output.missing(LINE, position)).length).toBe(0);
    await output.write(bytes);
    appendFileSync(file, bytes.subarray(0, 5));
    await output.complete(bytes.subarray(5));
    expect(readFileSync(file, "utf8")).toBe(`first\n{half\n${LINE}${LINE}${LINE}`);
  });

  it("can be a device, which has no disk to wait for", async () => {
    const fd = openSync("/dev/null", "w");
    const device = lineOutput(Object.assign(new PassThrough().resume(), { fd }), patient);
    await expect(device.write(bytes)).resolves.toBeUndefined();
    expect(await device.position()).toBeNull();
    closeSync(fd);
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

  it("stays as it was when nothing was announced", async () => {
    const file = await StateFile.open(join(temporaryFolder(), "poll.json"), TENANT);
    file.confirm();
    expect([file.state, file.pending]).toEqual([null, null]);
  });

  const content = (changes: object) => JSON.stringify({ version: 1, state: null, pending: null, ...changes });
  const NO_STATE_FILE = "is not a state file of poll. It was not changed.";
  const OTHER = "belongs to https://other.test, not to https://tenant.test. It was not changed";

  it.each([
    ["has no state", '{"version":1,"pending":null}', NO_STATE_FILE],
    ["has a version that is no number", content({ version: "2" }), NO_STATE_FILE],
    ["announces something else", content({ pending: 5 }), NO_STATE_FILE],
    ["announces a line that is no text", content({ pending: { line: 1, patch: {} } }), NO_STATE_FILE],
    ["announces a line without a patch", content({ pending: { line: LINE } }), NO_STATE_FILE],
    ["is of another tenant", content({ state: { tenant: "https://other.test" } }), OTHER],
    [
      "announces a line of another tenant",
      content({ state: {}, pending: { line: LINE, patch: { tenant: "https://other.test" }, position: null } }),
      OTHER,
    ],
  ])("is refused when it %s", async (_, text, message) => {
    const path = join(temporaryFolder(), "poll.json");
    writeFileSync(path, text);
    const refused = expect(StateFile.open(path, TENANT)).rejects;
    await refused.toThrow(StateFileError);
    await refused.toThrow(message);
  });

  it("may not say whose it is", async () => {
    const path = join(temporaryFolder(), "poll.json");
    writeFileSync(path, content({ state: { tenant: 5 } }));
    expect((await StateFile.open(path, TENANT)).state).toEqual({ tenant: 5 });
  });

  it("is refused when it cannot be read, or no longer be written", async () => {
    const folder = temporaryFolder();
    await expect(StateFile.open(folder, TENANT)).rejects.toThrow(
      `The state file ${folder} cannot be read (EISDIR). Nothing was read from the service. Check the path, and that the file belongs to the user who runs poll.`,
    );
    const file = await StateFile.open(join(folder, "poll.json"), TENANT);
    rmSync(folder, { recursive: true });
    const refused = expect(file.finish()).rejects;
    await refused.toThrow(StateFileError);
    await refused.toThrow("cannot be written (ENOENT). The next run continues from what it holds. Check its folder");
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
    const refusals = attempts.flatMap((attempt): unknown[] => (attempt.status === "rejected" ? [attempt.reason] : []));
    expect(refusals.filter((error) => !(error instanceof LockedError))).toEqual([]);
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

  /** When a process started, as the operating system says it. The name of this one may look like more fields. */
  function startOf(pid: number): string {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/\(.*\)/s, "()");
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${stat.split(" ")[21] ?? ""}`;
  }

  // Only Linux says when a process started and whether it has ended.
  const onLinux = process.platform === "linux" ? it : it.skip;

  onLinux("is held by a process that started then, whatever it is called", async () => {
    const path = join(temporaryFolder(), "lock");
    const { title } = process;
    process.title = "a) Z 1 (b c";
    try {
      writeFileSync(path, owner({ started: startOf(process.pid) }));
      await expect(Lock.acquire(path)).rejects.toThrow(LockedError);
    } finally {
      process.title = title;
    }
  });

  it("is held by a process of which nobody knows when it started", async () => {
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, owner({}));
    await expect(Lock.acquire(path)).rejects.toThrow(LockedError);
  });

  onLinux("is taken over from a process that has ended, before anybody collects it", async () => {
    const parent = spawn("sh", ["-c", "sleep 0.05 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [printed] = (await once(parent.stdout, "data")) as [Buffer];
    const pid = Number(printed.toString());
    const stat = () => readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    while (stat()[2] !== "Z") await settle();
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, owner({ pid, started: startOf(pid) }));
    await (await Lock.acquire(path)).release();
    parent.kill("SIGKILL");
  });

  it("may be gone with its folder when it is released", async () => {
    const folder = temporaryFolder();
    const lock = await Lock.acquire(join(folder, "lock"));
    rmSync(folder, { recursive: true });
    await expect(lock.release()).resolves.toBeUndefined();
  });

  it("stays where it is when it cannot be removed", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "lock");
    const lock = await Lock.acquire(path);
    rmSync(path);
    mkdirSync(path);
    await expect(lock.release()).resolves.toBeUndefined();
    expect(readdirSync(folder)).toEqual(["lock"]);
  });

  it("is refused when its file is too large for one", async () => {
    const path = join(temporaryFolder(), "lock");
    writeFileSync(path, owner({ host: "x".repeat(65_536) }));
    await expect(Lock.acquire(path)).rejects.toThrow("cannot be used (larger than 65536 bytes). Nothing was read.");
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
