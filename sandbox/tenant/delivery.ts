import type { ServerResponse } from "node:http";
import type { Answer } from "./answer.ts";
import type { RequestRecord } from "./records.ts";

/** How an answer goes out: whole, or half of its body and then nothing more, or the end of the connection. */
export type Delivery = "whole" | "drop-mid-body" | "stall-mid-body";

/** Writes an answer and notes in the record what was written. */
export function deliver(response: ServerResponse, answer: Answer, how: Delivery, record: RequestRecord): void {
  if (response.destroyed) return;
  const body = Buffer.from(answer.body);
  const written = how === "whole" ? body : body.subarray(0, Math.floor(body.length / 2));
  record.status = answer.status;
  record.bytes = written.length;
  response.writeHead(answer.status, { ...answer.headers, "Content-Length": body.length });
  if (how === "whole") response.end(body);
  else
    response.write(written, () => {
      if (how === "drop-mid-body") response.destroy();
    });
}
