import type { ResultMessage } from "../src/runtime/protocol.ts";

/** What a host takes from one process of the plugin. */
export interface PluginOutput {
  bytes: number;
  alerts: number;
  /** Length of all merge patches that came with alerts. */
  patchCharacters: number;
  result: ResultMessage;
}

const LINE_FEED = 0x0a;
const ALERT = '{"type":"alert"';
const PATCH = ',"checkpoint":';

/**
 * Reads what the plugin writes. Parsing every alert would take CPU time away from the plugin, so only the result is
 * parsed; a patch is measured from its key, the last one of an alert's line, to the end of the line.
 */
export async function readOutput(stream: AsyncIterable<Buffer>): Promise<PluginOutput> {
  const seen = { bytes: 0, alerts: 0, patchCharacters: 0 };
  let last: Buffer = Buffer.alloc(0);
  for await (const line of lines(stream)) {
    last = line;
    seen.bytes += line.length + 1;
    if (line.toString("latin1", 0, ALERT.length) !== ALERT) continue;
    seen.alerts += 1;
    const key = line.lastIndexOf(PATCH);
    // The brace that closes the message does not belong to the patch.
    if (key >= 0) seen.patchCharacters += line.toString("utf8", key + PATCH.length, line.length - 1).length;
  }
  return { ...seen, result: JSON.parse(last.toString("utf8")) as ResultMessage };
}

async function* lines(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let begun: Buffer[] = [];
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...begun, chunk.subarray(start, end)]);
      begun = [];
      start = end + 1;
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
  }
}
