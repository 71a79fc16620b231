import { constants, fstatSync, fsync } from "node:fs";
import { open, type FileHandle } from "node:fs/promises";
import type { Writable } from "node:stream";
import { promisify } from "node:util";
import { StandardOutputError } from "../failures.ts";
import { type WriteTerms, writeWhole } from "../output/write.ts";

/** A place in a regular file. */
export interface Position {
  readonly device: number;
  readonly inode: number;
  /** Bytes before it. */
  readonly size: number;
}

/** Where the lines go. */
export interface LineOutput {
  /** Where the next line begins; null when the output is not a regular file. */
  position(): Promise<Position | null>;
  /**
   * What must be written before the next line: a line feed when the output is a file that ends within a line, because another run was
   * killed or the disk was full. Empty otherwise, and when nobody can tell.
   */
  separator(): Promise<string>;
  /**
   * Writes whole lines, behind the separator. Resolves once the operating system has all bytes; for a regular file, once they are on the
   * disk.
   *
   * @throws OutputError otherwise, or when the run must end and the reader does not read; a part of the bytes may be written
   */
  write(lines: Buffer): Promise<void>;
  /** Writes the end of a line that a killed run has begun, right behind it. Otherwise as `write`. */
  complete(end: Buffer): Promise<void>;
  /**
   * What is missing of a line that a killed run may have written: nothing, its end, or all of it. All of it also when nobody can
   * tell, as in a pipe; behind a line feed in a file that cannot be read, because a part may be there.
   */
  missing(line: string, position: Position | null): Promise<Buffer>;
}

export interface LineTerms extends WriteTerms {
  /** What it means when a line cannot be written: a sentence. */
  readonly consequence: string;
}

/**
 * @param stream - standard output, whose writes succeed only with all bytes written (`writingAll`); one without a file descriptor counts as a
 *   pipe
 */
export function lineOutput(stream: Writable & { readonly fd?: number }, terms: LineTerms): LineOutput {
  const { fd = null } = stream;
  const fileEnd = (): Position | null => {
    if (fd === null) return null;
    const stats = fstatSync(fd);
    return stats.isFile() ? { device: stats.dev, inode: stats.ino, size: stats.size } : null;
  };
  const separator = async (): Promise<string> => {
    const { size = 0 } = fileEnd() ?? {};
    if (fd === null || size === 0) return "";
    const last = await readBack(fd, size - 1, 1);
    return last === null || last.toString() === "\n" ? "" : "\n";
  };
  const append = async (bytes: Buffer): Promise<void> => {
    try {
      await writeWhole(stream, bytes, terms);
      // Some file systems notice only now that the disk is full.
      if (fd !== null && fileEnd() !== null) await promisify(fsync)(fd);
    } catch (error) {
      throw new StandardOutputError(error, terms.consequence);
    }
  };
  // The write itself reports what went wrong.
  stream.on("error", () => undefined);
  return {
    async position() {
      const end = fileEnd();
      return end && { ...end, size: end.size + (await separator()).length };
    },
    separator,
    write: async (lines) => append(Buffer.concat([Buffer.from(await separator()), lines])),
    complete: append,
    async missing(line, began) {
      const bytes = Buffer.from(line);
      const now = fileEnd();
      if (fd === null || began === null || now === null) return bytes;
      if (now.device !== began.device || now.inode !== began.inode || now.size < began.size) return bytes;
      const found = await readBack(fd, began.size, bytes.length);
      // The line may have been begun, and nobody can tell how far.
      if (found === null && now.size > began.size) return Buffer.concat([Buffer.from("\n"), bytes]);
      if (found === null || !bytes.subarray(0, found.length).equals(found)) return bytes;
      // Behind half a line of ours, somebody else may have written.
      const isEnd = now.size === began.size + found.length;
      return found.length === bytes.length || isEnd ? bytes.subarray(found.length) : bytes;
    },
  };
}

/** The output is open for writing only. Linux lets a process open it once more; null elsewhere. */
async function readBack(fd: number, from: number, length: number): Promise<Buffer | null> {
  let file: FileHandle | null = null;
  try {
    file = await open(`/proc/self/fd/${fd}`, constants.O_RDONLY);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } catch {
    return null;
  } finally {
    await file?.close();
  }
}
