import type { Misbehaviour } from "../scenario.ts";

/** How a body arrives: at once, or little by little. */
export function piecesOf(size: number, faults: readonly Misbehaviour[]): { bytes: number; pauseMs: number }[] {
  const slow = faults.find((fault) => fault.kind === "slow body") ?? dripping(size, faults);
  if (slow === undefined) return [{ bytes: size, pauseMs: 0 }];
  const { ms, pieces } = slow;
  return Array.from({ length: pieces }, () => ({ bytes: size / pieces, pauseMs: Math.ceil(ms / pieces) }));
}

/** Each piece costs time to simulate. */
const MOST_DRIPS = 2_000;

/** About one piece each second. */
function dripping(size: number, faults: readonly Misbehaviour[]): { ms: number; pieces: number } | undefined {
  const trickle = faults.find((fault) => fault.kind === "trickle");
  if (trickle === undefined) return undefined;
  const seconds = size / trickle.bytesPerSecond;
  return { ms: 1_000 * seconds, pieces: Math.min(MOST_DRIPS, Math.max(1, Math.ceil(seconds))) };
}

/** Milliseconds that the service takes longer than others. */
export function slowness(faults: readonly Misbehaviour[]): number {
  return faults.find((fault) => fault.kind === "slow")?.ms ?? 0;
}
