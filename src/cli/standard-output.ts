import { writeFile } from "node:fs";
import { Socket } from "node:net";
import { Writable } from "node:stream";
import type { OutputStream } from "./output.ts";

/**
 * The stream, or for a file one that fails unless all bytes were written. On a full disk the operating system writes a part and says how
 * much; Node's own stream for files ignores that.
 *
 * @param stream - `process.stdout`
 */
export function writingAll(stream: OutputStream & { readonly fd: number }): OutputStream {
  // Pipes and terminals, for which Node does look at how much was written.
  if (stream instanceof Socket) return stream;
  const { fd } = stream;
  const whole = new Writable({
    write: (bytes: Buffer, _encoding, done) => {
      writeFile(fd, bytes, done);
    },
  });
  return Object.assign(whole, { fd });
}
