import { constants, readFileSync, readlinkSync, writeFile } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import type { OutputStream } from "./output.ts";

/** What the operating system says of an open file. */
interface Descriptor {
  readonly path: string;
  /** As given to `open`. */
  readonly flags: number;
}

/**
 * The stream, or for a file one that fails unless all bytes were written. On a full disk the operating system writes a part and says how
 * much; Node's own stream for files ignores that.
 *
 * @param stream - `process.stdout`
 * @param describe - null when the operating system does not say
 */
export function writingAll(
  stream: OutputStream & { readonly fd: number },
  describe: (fd: number) => Descriptor | null = descriptorOf,
): OutputStream {
  // Pipes and terminals, for which Node does look at how much was written.
  if (stream instanceof Socket) return stream;
  const { fd } = stream;
  const whole = new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      writeFile(fd, bytes, done);
    },
  });
  return Object.assign(whole, { fd, wasClosed: isReplacement(describe(fd)) });
}

/** Whether a write still waits for its reader. It would keep the process from ending. */
export function isBlocked({ writableLength, destroyed }: Writable): boolean {
  return writableLength > 0 && !destroyed;
}

/**
 * In the place of a standard output that was closed, Node opens /dev/null for reading and writing (src/node.cc, PlatformInit), as do
 * programs that discard the output of those that they start. A shell's `> /dev/null` opens it for writing only.
 */
function isReplacement(descriptor: Descriptor | null): boolean {
  if (descriptor?.path !== "/dev/null") return false;
  return (descriptor.flags & (constants.O_WRONLY | constants.O_RDWR)) === constants.O_RDWR;
}

/** Only Linux says. */
function descriptorOf(fd: number): Descriptor | null {
  try {
    const [, flags] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "latin1")) ?? [];
    return flags === undefined ? null : { path: readlinkSync(`/proc/self/fd/${fd}`), flags: Number.parseInt(flags, 8) };
  } catch {
    return null;
  }
}
