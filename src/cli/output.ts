import type { Writable } from "node:stream";
import { createRedactor, type Redactor } from "../runtime/redaction.ts";
import { OutputClosedError } from "./failures.ts";

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

const STYLES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;
export type Style = keyof typeof STYLES;

export interface OutputStreams {
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
  readonly #secrets: string[] = [];
  #redactor: Redactor = createRedactor([]);
  #closed = false;

  constructor({ stdout, stderr, colours }: OutputStreams) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.#colours = colours;
    stdout.on("error", () => {
      this.#closed = true;
    });
    // There is nobody left to tell.
    stderr.on("error", () => undefined);
  }

  /** Columns of the terminal that shows the data; null when a program reads it. */
  get width(): number | null {
    return this.#stdout.isTTY === true ? (this.#stdout.columns ?? 80) : null;
  }

  /** For a command that must know what became of each byte. What it writes itself must pass `redact` first. */
  get stdout(): OutputStream {
    return this.#stdout;
  }

  /** The text without the secrets. */
  redact(text: string): string {
    return this.#redactor.text(text);
  }

  /** From now on the secret is replaced in whatever is written. */
  protect(secret: string): void {
    this.#secrets.push(secret);
    this.#redactor = createRedactor(this.#secrets);
  }

  /**
   * Writes data, and waits while the reader is slower. A secret is recognised only within one text.
   *
   * @throws OutputClosedError when the reader has gone
   */
  async write(text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      if (this.#closed) {
        reject(new OutputClosedError());
        return;
      }
      this.#stdout.write(this.#redactor.text(text), (error) => {
        if (error) reject(new OutputClosedError());
        else resolve();
      });
    });
  }

  /** Writes one value as indented JSON. */
  json(value: unknown): Promise<void> {
    return this.write(`${JSON.stringify(value, null, 2)}\n`);
  }

  /** Writes a line for people. */
  note(text: string): void {
    this.#stderr.write(`${this.#redactor.text(text)}\n`);
  }

  /** Writes an error for people. */
  error(text: string): void {
    this.note(`${this.#style(this.#stderr, "red", "Error:")} ${text}`);
  }

  /** The text as the terminal shall show it among the data. */
  style(style: Style, text: string): string {
    return this.#style(this.#stdout, style, text);
  }

  #style(stream: OutputStream, style: Style, text: string): string {
    return this.#colours && stream.isTTY === true ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  }
}
