import { randomUUID } from "node:crypto";
import type { Writable } from "node:stream";
import { createRedactor, type Redactor } from "../../runtime/redaction.ts";
import type { Json } from "../../runtime/protocol.ts";
import { printable } from "../../runtime/printable.ts";
import { isReaderGone, NoOutputError, StandardOutputError, ReaderGoneError, unlessReaderIsGone } from "../failures.ts";
import { wrapped } from "../drawing/wrap.ts";
import { type WriteTerms, writeWhole } from "./write.ts";

/** A stream that may be a terminal, or one that was closed before the program began. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number; wasClosed?: boolean };

const STYLES = { bold: "1", dim: "2", red: "31", green: "32", yellow: "33", alarm: "1;31" } as const;
export type Style = keyof typeof STYLES;

/** Columns of a terminal that does not know its width. */
const WIDTH = 80;
/** A narrower terminal breaks the lines itself: no text would fit beside another. */
const NARROWEST = 12;

/** Stands for the escape character of a style until the text is written: data cannot hold it. */
const MARK = `\u0000${randomUUID()}`;
/** What may drive a terminal: lines, tabs and the program's own styles. */
const KEPT = new RegExp(`(${MARK}|[\\n\\t]+)`);

export interface OutputOptions extends WriteTerms {
  stdout: OutputStream;
  stderr: OutputStream;
  /** Whether a terminal may get colours: false when NO_COLOR is set (https://no-color.org). */
  colours: boolean;
}

/** Data goes to standard output, words for people to standard error. Neither ever holds a secret. */
export class Output {
  readonly #stdout: OutputStream;
  readonly #stderr: OutputStream;
  readonly #colours: boolean;
  readonly #terms: WriteTerms;
  readonly #secrets: string[] = [];
  #redactor: Redactor = createRedactor([]);
  /** What went wrong with standard output first. */
  #failure: Error | null = null;
  #progress = "";

  constructor({ stdout, stderr, colours, ...terms }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#colours = colours;
    this.#terms = terms;
    stdout.on("error", (error) => {
      this.#failure ??= error;
    });
    // There is nobody left to tell.
    stderr.on("error", () => undefined);
  }

  /** Columns of the terminal that shows the data; null when a program reads it. */
  get width(): number | null {
    return widthOf(this.#stdout);
  }

  /** For a command that must know what became of each byte. What it writes itself must pass `prepare` first. */
  get stdout(): OutputStream {
    return this.#stdout;
  }

  /**
   * For a command whose result must reach somebody.
   *
   * @throws NoOutputError when standard output was closed before the program began
   */
  refuseClosed(): void {
    if (this.#stdout.wasClosed === true) throw new NoOutputError();
  }

  /** The text as `write` writes it: without the secrets and, on a terminal, without anything that could drive it. */
  prepare(text: string): string {
    return this.#shown(this.#stdout, text);
  }

  /** The value without the secrets, as it may be kept: nothing else in it changes. */
  withoutSecrets<T extends Json>(value: T): T {
    return this.#redactor.json(value);
  }

  /** From now on the secret is replaced in whatever is written. */
  protect(secret: string): void {
    this.#secrets.push(secret);
    this.#redactor = createRedactor(this.#secrets);
  }

  /**
   * Writes data, and waits while the reader is slower. A secret is recognised only within one text.
   *
   * @throws ReaderGoneError when the reader has gone
   * @throws OutputError when not all of it could be written, as on a full disk, or in time after Ctrl-C or SIGTERM
   */
  async write(text: string): Promise<void> {
    try {
      await this.#writeWhole(this.prepare(text));
    } catch (error) {
      throw failureOf(this.#failure ?? error);
    }
  }

  /** Writes the answer of a command as indented JSON. If the reader has gone, the exit code still answers. */
  json(value: unknown): Promise<void> {
    return unlessReaderIsGone(() => this.write(`${JSON.stringify(value, null, 2)}\n`));
  }

  /**
   * Shows how far the work has come, in a line of a terminal that the next text for people replaces; an empty text removes it.
   * Nothing is shown where the data goes to a terminal, too, which would be the same one.
   */
  progress(text: string): void {
    const width = widthOf(this.#stderr);
    if (width === null || this.#stdout.isTTY === true || text === this.#progress) return;
    this.#stderr.write(`\r${this.#shown(this.#stderr, text).slice(0, width - 1)}\u001b[K`);
    this.#progress = text;
  }

  /** Writes a line for people; a terminal breaks it between words. */
  note(text: string): void {
    this.progress("");
    const width = widthOf(this.#stderr);
    const lines = this.#shown(this.#stderr, text).split("\n");
    this.#stderr.write(`${lines.flatMap((line) => wrapped(line, width)).join("\n")}\n`);
  }

  /** Writes an error for people. */
  error(text: string): void {
    this.note(`${this.#style(this.#stderr, "red", "Error:")} ${text}`);
  }

  /** The text as the terminal shall show it among the data. */
  style(style: Style, text: string): string {
    return this.#style(this.#stdout, style, text);
  }

  async #writeWhole(text: string): Promise<void> {
    if (this.#failure !== null) throw this.#failure;
    await writeWhole(this.#stdout, text, this.#terms);
  }

  #shown(stream: OutputStream, text: string): string {
    const safe = this.#redactor.text(text);
    if (stream.isTTY !== true) return safe;
    return safe
      .split(KEPT)
      .map((part, index) => (part === MARK ? "\u001b" : index % 2 === 1 ? part : printable(part)))
      .join("");
  }

  #style(stream: OutputStream, style: Style, text: string): string {
    return this.#colours && stream.isTTY === true ? `${MARK}[${STYLES[style]}m${text}${MARK}[0m` : text;
  }
}

/** Columns of a terminal, which says 0 when it does not know; null for anything else. */
function widthOf({ isTTY, columns = 0 }: OutputStream): number | null {
  if (isTTY !== true) return null;
  return columns > 0 ? Math.max(NARROWEST, columns) : WIDTH;
}

function failureOf(error: unknown): Error {
  return isReaderGone(error) ? new ReaderGoneError() : new StandardOutputError(error, "The result is incomplete.");
}
