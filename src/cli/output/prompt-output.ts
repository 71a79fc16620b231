import { openSync } from "node:fs";
import { WriteStream } from "node:tty";

interface Streams {
  readonly stdin: { isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean };
}

/**
 * Where a person sees questions: on standard error, or on the terminal itself if standard error goes elsewhere (`2> log`). Otherwise, the
 * command would wait for an answer to a question that nobody sees.
 *
 * @param open - the terminal; null when there is none
 */
export function promptOutput(
  { stdin, stderr }: Streams,
  open: () => NodeJS.WritableStream | null = openTerminal,
): NodeJS.WritableStream {
  return stdin.isTTY === true && stderr.isTTY !== true ? (open() ?? stderr) : stderr;
}

/** Windows has no such file. */
function openTerminal(): NodeJS.WritableStream | null {
  try {
    return new WriteStream(openSync("/dev/tty", "r+"));
  } catch {
    return null;
  }
}
