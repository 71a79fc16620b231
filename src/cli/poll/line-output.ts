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
  position(): Position | null;
  /**
   * Resolves once the operating system has all bytes; for a regular file, once they are on the disk.
   *
   * @throws OutputError otherwise, or when the run must end and the reader does not read; a part of the bytes may be written
   */
  write(bytes: Buffer): Promise<void>;
  /**
   * What is missing of a line that a killed run may have written: nothing, its end, or all of it. All of it also when nobody can
   * tell, as in a pipe.
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
  const position = (): Position | null => {
    if (fd === null) return null;
    const stats = fstatSync(fd);
    return stats.isFile() ? { device: stats.dev, inode: stats.ino, size: stats.size } : null;
  };
  // The write itself reports what went wrong.
  stream.on("error", () => undefined);
  return {
    position,
    async write(bytes) {
      try {
        await writeWhole(stream, bytes, terms);
        // Some file systems notice only now that the disk is full.
        if (fd !== null && position() !== null) await promisify(fsync)(fd);
      } catch (error) {
        throw new StandardOutputError(error, terms.consequence);
      }
    },
    async missing(line, began) {
      const bytes = Buffer.from(line);
      const now = position();
      if (fd === null || began === null || now === null) return bytes;
      if (now.device !== began.device || now.inode !== began.inode || now.size < began.size) return bytes;
      const found = await readBack(fd, began.size, bytes.length);
      if (found === null || !bytes.subarray(0, found.length).equals(found)) return bytes;
      // Behind half a line of ours, somebody else may have written.
      const isEnd = now.size === began.size + found.length;
      return found.length === bytes.length || isEnd ? bytes.subarray(found.length) : bytes;
    },
  };
}

/** The output is open for writing only. Linux lets a process open it once more; null elsewhere. */
async function readBack(fd: number, from: number, length: number): Promise<Buffer | null> {
  let file: FileHandle;
  try {
    file = await open(`/proc/self/fd/${fd}`, constants.O_RDONLY);
  } catch {
    return null;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
