import { createHash, randomBytes } from "node:crypto";
import type { Clock } from "../../../src/clock.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";

const RESULT_BLOCK = '<script id="result" type="application/json"></script>';
const OWN_POLICY = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
/** Tells the page around the frame how high the widget is; a page cannot look into a frame of another origin. */
const TELL_HEIGHT =
  'new ResizeObserver(()=>parent.postMessage({widgetHeight:document.body.offsetHeight},"*")).observe(document.body)';
const LIFE_MS = 60_000;
const MOST_WAITING = 50;

export interface Frame {
  html: string;
  /** Content-Security-Policy that it is served under. */
  policy: string;
}

/**
 * A package's widget with a result in it.
 * @param template the document as the package has it
 * @returns null when it has no block for the result
 */
export function widgetFrame(template: string, result: JsonObject, theme: "light" | "dark"): Frame | null {
  // The policy of the frame replaces the widget's own, which does not allow the script that reports its height.
  const parts = template.replace(OWN_POLICY, "").split(RESULT_BLOCK);
  if (parts.length !== 2) return null;
  // No "<" is left, so that no result can end the block.
  const data = JSON.stringify(result).replaceAll("<", "\\u003c");
  const block = RESULT_BLOCK.replace("></", () => `>${data}</`);
  const themed = parts.join(block).replace("<html ", `<html data-theme="${theme}" `);
  const teller = `<script>${TELL_HEIGHT}</script>`;
  return { html: `${themed}${teller}`, policy: policyFor(`${template}${teller}`) };
}

/** Its own scripts and styles and the one that tells its height, in an origin of its own: it reaches neither the console nor the network. */
function policyFor(template: string): string {
  const hashes = (tag: "script" | "style") =>
    [...template.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, "g"))]
      .map(([, content = ""]) => `'sha256-${createHash("sha256").update(content).digest("base64")}'`)
      .join(" ") || "'none'";
  return [
    "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox",
    "default-src 'none'",
    `script-src ${hashes("script")}`,
    `style-src ${hashes("style")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** Frames that wait to be opened, each under an address that nobody can guess and that works once. */
export class WaitingFrames {
  readonly #frames = new Map<string, Frame & { until: number }>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The address of the frame. */
  add(frame: Frame): string {
    const [oldest] = this.#frames.keys();
    if (oldest !== undefined && this.#frames.size >= MOST_WAITING) this.#frames.delete(oldest);
    const ticket = randomBytes(24).toString("base64url");
    this.#frames.set(ticket, { ...frame, until: this.#clock.now() + LIFE_MS });
    return `/widgets/${ticket}`;
  }

  take(ticket: string): Frame | null {
    const frame = this.#frames.get(ticket);
    this.#frames.delete(ticket);
    return frame === undefined || frame.until < this.#clock.now() ? null : frame;
  }
}
