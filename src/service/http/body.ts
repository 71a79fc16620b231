import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { BrokenBodyError, OversizedBodyError, UnknownEncodingError } from "../errors/connection-errors.ts";
import { type AnswerHead, isSuccess } from "../transport.ts";

/** The encodings that `readBody` undoes, for Accept-Encoding. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** Of an error response, enough for every error wrapper. */
const ERROR_BODY_BYTES = 64 * 1024;

/** What an encoding may add to a body that it cannot make smaller. */
const ENCODING_BYTES = 64 * 1024;

const OPTIONS = { chunkSize: 64 * 1024 };

type MakeDecoder = (firstByte: number) => Transform;

/** By name. "deflate" has two meanings, which the first byte tells apart. */
const DECODERS: ReadonlyMap<string, MakeDecoder> = new Map<string, MakeDecoder>([
  ["gzip", () => createGunzip(OPTIONS)],
  ["x-gzip", () => createGunzip(OPTIONS)],
  ["deflate", (firstByte) => ((firstByte & 0x0f) === 8 ? createInflate(OPTIONS) : createInflateRaw(OPTIONS))],
  ["br", () => createBrotliDecompress(OPTIONS)],
]);

export interface BodyOptions {
  /** Most bytes of the decoded body. */
  readonly largest: number;
  /** Called when a part of the body has arrived, with its decoded length. */
  readonly onBody: (bytes: number) => void;
}

/**
 * The text of a response. Its size is checked while it is decoded, so a few bytes on the wire cannot fill the memory.
 * The status of an error response counts whatever its body is like: a part of the body is enough, and so is none.
 *
 * @throws OversizedBodyError, UnknownEncodingError or BrokenBodyError when a successful response has no usable body
 */
export async function readBody(body: Readable, head: AnswerHead, options: BodyOptions): Promise<string> {
  const pieces: Buffer[] = [];
  try {
    await collect(pieces, body, head, options);
  } catch (error) {
    body.destroy();
    if (isSuccess(head)) throw error;
  }
  // Decoded once, at the end: a text for each piece would give the garbage collector as much again to do.
  return Buffer.concat(pieces).toString("utf8");
}

async function collect(pieces: Buffer[], body: Readable, head: AnswerHead, options: BodyOptions): Promise<void> {
  const largest = isSuccess(head) ? options.largest : ERROR_BODY_BYTES;
  if (isSuccess(head) && Number(head.headers["content-length"]) > largest) throw new OversizedBodyError();
  try {
    // Before it is decoded, too: an encoding can go on for ever without saying anything.
    const sent = limited(body as AsyncIterable<Buffer>, largest + ENCODING_BYTES);
    for await (const piece of limited(await decoded(sent, head), largest)) {
      options.onBody(piece.length);
      pieces.push(piece);
    }
  } catch (error) {
    const isKnown = error instanceof OversizedBodyError || error instanceof UnknownEncodingError;
    throw isKnown ? error : new BrokenBodyError(error);
  }
}

/** @throws OversizedBodyError when there is more than that */
async function* limited(body: AsyncIterable<Buffer>, mostBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let room = mostBytes;
  for await (const piece of body) {
    room -= piece.length;
    if (room < 0) throw new OversizedBodyError();
    yield piece;
  }
}

async function decoded(
  pieces: AsyncGenerator<Buffer, void, undefined>,
  { headers }: AnswerHead,
): Promise<AsyncIterable<Buffer>> {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "";
  if (encoding === "" || encoding === "identity") return pieces;
  const first = await pieces.next();
  if (first.done === true) return pieces;
  const decoder = DECODERS.get(encoding)?.(first.value[0] ?? 0);
  if (decoder === undefined) throw new UnknownEncodingError();
  return pipeline(startingWith(first.value, pieces), decoder, () => undefined);
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  yield first;
  yield* rest;
}
