import { closeSync, constants, createReadStream, fstatSync, openSync, type Stats } from "node:fs";
import { lstat, open, readlink, realpath, rename, rm } from "node:fs/promises";
import { Socket } from "node:net";
import { dirname, resolve } from "node:path";
import type { Readable } from "node:stream";
import { InputTooLongError, readStream } from "../../terminal.ts";
import { systemCode } from "../failures.ts";

/** Why a file was not read although the operating system would have let us: `code` says it, as ENOENT does for others. */
class RefusedFileError extends Error {
  override readonly name = "RefusedFileError";

  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

export interface ReadOptions {
  /** Most bytes that it may have. */
  readonly most: number;
  /** Ends the reading of a pipe that nobody writes to. Without it, no pipe is read. */
  readonly stop?: AbortSignal | undefined;
  /** Throws when the file must not be read. Asked of the open file, so that it cannot be replaced before the reading. */
  readonly check?: (stats: Stats) => void;
}

/**
 * The text of a file or a named pipe, without a byte order mark. A device is refused, because it may have no end.
 *
 * @throws PromptClosedError when `stop` aborts; otherwise an error whose `code` says why it cannot be read
 */
export async function readTextFile(path: string, { most, stop, check }: ReadOptions): Promise<string> {
  const descriptor = openWithoutWaiting(path);
  let stream: Readable;
  try {
    const stats = fstatSync(descriptor);
    check?.(stats);
    if (!stats.isFile() && !(stats.isFIFO() && stop !== undefined)) throw new RefusedFileError(kindOf(stats));
    stream = streamOf(descriptor, stats);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  try {
    return await readStream(stream, { most, stop });
  } catch (error) {
    throw error instanceof InputTooLongError ? new RefusedFileError(`larger than ${most} bytes`) : error;
  }
}

/** A file, a device or a named pipe, also one that nobody writes to. @throws an error whose `code` says why it cannot be opened */
export function openForReading(path: string): Readable {
  const descriptor = openWithoutWaiting(path);
  const stats = fstatSync(descriptor);
  if (stats.isFile() || stats.isFIFO()) return streamOf(descriptor, stats);
  // A terminal refuses a reader that does not wait.
  closeSync(descriptor);
  return createReadStream(path);
}

/** Otherwise, opening a pipe waits until somebody opens its other end, and no signal ends that. */
function openWithoutWaiting(path: string): number {
  return openSync(path, process.platform === "win32" ? "r" : constants.O_RDONLY | constants.O_NONBLOCK);
}

/** A pipe is read without a thread that waits for it, which would keep the process alive. */
function streamOf(descriptor: number, stats: Stats): Readable {
  return stats.isFIFO()
    ? new Socket({ fd: descriptor, readable: true, writable: false })
    : createReadStream("", { fd: descriptor });
}

function kindOf(stats: Stats): string {
  if (stats.isSymbolicLink()) return "a symbolic link";
  return stats.isDirectory() ? "EISDIR" : "not a file";
}

/**
 * Replaces a file, which only its owner can read then. It holds either the old content or the new, also after a crash of the
 * machine. What is no file, such as a device or a link, is not replaced.
 *
 * @throws an error whose `code` says why it cannot be written
 */
export async function replaceDurably(path: string, content: string): Promise<void> {
  await refuseOthers(path);
  const aside = `${path}.new`;
  // Left by a run that was killed, or a link that somebody has put there: it must not be followed.
  await rm(aside, { force: true });
  const file = await open(aside, "wx", 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(aside, path);
  await syncFolder(dirname(path));
}

async function refuseOthers(path: string): Promise<void> {
  const stats = await lstat(path).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  });
  if (stats !== null && !stats.isFile()) throw new RefusedFileError(kindOf(stats));
}

/** The new name of a file is safe once its folder is. Windows has no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * Where the file is that a path names, also behind symbolic links and before it exists.
 *
 * @throws an error whose `code` says why nobody can tell
 */
export async function behindLinks(path: string): Promise<string> {
  let place = resolve(path);
  for (let links = 0; links <= MOST_LINKS; links += 1) {
    try {
      return await realpath(place);
    } catch (error) {
      if (systemCode(error) !== "ENOENT") throw error;
    }
    const target = await readlink(place).catch(() => null);
    if (target === null) return place;
    place = resolve(dirname(place), target);
  }
  throw new RefusedFileError("ELOOP");
}
