import { randomUUID } from "node:crypto";
import { link, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, dirname } from "node:path";
import { isObject, parseJson } from "../../json.ts";
import { ExitCode } from "../exit-codes.ts";
import { CommandError, systemCode, UsageError } from "../failures.ts";
import { readTextFile } from "../output/files.ts";

/** Another process holds the lock. */
export class LockedError extends CommandError {
  override readonly name = "LockedError";
  readonly exitCode = ExitCode.no;

  constructor(pid: number) {
    super(`Another run is using this state file (process ${pid}). Nothing was read. Wait until it ends.`);
  }
}

interface Owner {
  /** Names this lock; no other ever has the same. */
  readonly token: string;
  readonly pid: number;
  readonly host: string;
  /** Where process ids mean the same, as Linux names it: two containers may have one host name. Empty on other systems. */
  readonly namespace: string;
  /** When the process started, as the operating system counts; empty where it does not say. Process ids are used again. */
  readonly started: string;
}

/**
 * A lock that at most one process of this machine or container holds. That of a process that was killed is taken over.
 *
 * The lock is a file that names its owner. Who finds a dead owner creates the file `<lock>.<token of the dead owner>`, which only one process
 * can, and is the owner then; the last of such a chain counts. To release it, the owner removes the chain from its beginning.
 */
export class Lock {
  readonly #path: string;
  readonly #chain: readonly string[];

  private constructor(path: string, chain: readonly string[]) {
    this.#path = path;
    this.#chain = chain;
  }

  /**
   * @throws LockedError when a living process holds it
   * @throws UsageError when nobody can tell whether its owner lives, or there can be no lock at this path
   */
  static async acquire(path: string): Promise<Lock> {
    const owner = await ownerHere();
    for (;;) {
      const { chain, owners } = await readChain(path);
      const last = owners.at(-1);
      if (last !== undefined) await refuseIfHeld(path, last, owner);
      const place = last === undefined ? path : `${path}.${last.token}`;
      if (!(await create(place, owner))) continue;
      const [first = owner] = owners;
      // If the chain was released meanwhile, this is not a part of it.
      if ((await readOwner(path))?.token === first.token) return new Lock(path, [...chain, place]);
      await rm(place, { force: true });
    }
  }

  /** Where nothing can be removed any more, the lock stays, as that of a run that was killed. */
  async release(): Promise<void> {
    for (const file of [...(await this.#leftovers()), ...this.#chain]) {
      await rm(file, { force: true }).catch(() => undefined);
    }
  }

  /** What killed runs have left beside the lock. */
  async #leftovers(): Promise<string[]> {
    // They do no harm, so a user who may not list the folder leaves them there.
    const names = await readdir(dirname(this.#path)).catch(() => []);
    const prefix = `${basename(this.#path)}.`;
    return names
      .filter((name) => name.startsWith(prefix) && LEFTOVER.test(name.slice(prefix.length)))
      .map((name) => `${this.#path}.${name.slice(prefix.length)}`)
      .filter((file) => !this.#chain.includes(file));
  }
}

const UUID = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** A link of a chain, or a file on its way to become one or the lock. */
const LEFTOVER = new RegExp(`^(?:${UUID}|(?:${UUID}\\.)?new-${UUID})$`);

async function ownerHere(): Promise<Owner> {
  return {
    token: randomUUID(),
    pid: process.pid,
    host: hostname(),
    namespace: await readlink("/proc/self/ns/pid").catch(() => ""),
    started: await startOf(process.pid),
  };
}

async function refuseIfHeld(path: string, { host, namespace, pid, started }: Owner, here: Owner): Promise<void> {
  if (host !== here.host || namespace !== here.namespace) {
    throw new UsageError(
      `A run on another machine or in another container (host ${host}, process ${pid}) has locked this state file. Nothing was read. If that run is over, delete ${path}.`,
    );
  }
  if (await isAlive(pid, started)) throw new LockedError(pid);
}

async function readChain(path: string): Promise<{ chain: string[]; owners: Owner[] }> {
  const chain: string[] = [];
  const owners: Owner[] = [];
  let place = path;
  for (let owner = await readOwner(place); owner !== null; owner = await readOwner(place)) {
    chain.push(place);
    owners.push(owner);
    place = `${path}.${owner.token}`;
  }
  return { chain, owners };
}

async function readOwner(path: string): Promise<Owner | null> {
  const owner = ownerIn(await readLock(path));
  if (owner !== "damaged") return owner;
  throw new UsageError(
    `The lock file ${path} is damaged. Nothing was read. If no other run uses the state file, delete the lock file.`,
  );
}

const LARGEST_BYTES = 64 * 1024;

async function readLock(path: string): Promise<string | null> {
  try {
    return await readTextFile(path, { most: LARGEST_BYTES });
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw unusable(path, error);
  }
}

function ownerIn(text: string | null): Owner | "damaged" | null {
  if (text === null) return null;
  const owner = parseJson(text);
  return isObject(owner) && typeof owner["token"] === "string" ? (owner as unknown as Owner) : "damaged";
}

/** Creates the file with its content in one step; false when there is one already. */
async function create(path: string, owner: Owner): Promise<boolean> {
  const aside = `${path}.new-${owner.token}`;
  try {
    // Flushed, because a crash of the machine would otherwise leave an empty lock.
    await writeFile(aside, JSON.stringify(owner), { flush: true });
    return await linked(aside, path);
  } catch (error) {
    throw unusable(path, error);
  } finally {
    // Its name may be too long, which the error says already.
    await rm(aside, { force: true }).catch(() => undefined);
  }
}

async function linked(aside: string, path: string): Promise<boolean> {
  try {
    await link(aside, path);
    return true;
  } catch (error) {
    // There is one already, or its owner has removed ours as a leftover.
    if (["EEXIST", "ENOENT"].includes(systemCode(error))) return false;
    throw error;
  }
}

function unusable(path: string, error: unknown): UsageError {
  return new UsageError(
    `The lock file ${path} cannot be used (${systemCode(error)}). Nothing was read. Check the folder of the state file.`,
  );
}

async function isAlive(pid: number, started: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (systemCode(error) === "ESRCH") return false;
  }
  const now = await startOf(pid);
  return now === "" || started === "" || now === started;
}

/** Source: proc(5), /proc/pid/stat. A process that has ended and waits to be collected counts as another one. */
async function startOf(pid: number): Promise<string> {
  try {
    const [boot, stat] = await Promise.all([
      readFile("/proc/sys/kernel/random/boot_id", "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
    ]);
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(state) ? "ended" : `${boot.trim()} ${fields[18] ?? ""}`;
  } catch {
    return "";
  }
}
