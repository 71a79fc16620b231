import type { Process } from "./clock.ts";

/**
 * Gives a process its own `setTimeout` and `clearTimeout`: parts of the core may still keep time with the timers of
 * Node instead of the clock that they are given.
 *
 * @returns gives the real ones back
 */
export function lendTimers(process: Process): () => void {
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const set = (action: (...values: unknown[]) => void, ms = 0, ...values: unknown[]): VirtualTimer => {
    const cancel = process.after(Math.max(1, ms), () => {
      action(...values);
    });
    const timer: VirtualTimer = { cancel, ref: () => timer, unref: () => timer };
    return timer;
  };
  const clear = (timer?: VirtualTimer): void => timer?.cancel();
  Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
  return () => {
    Object.assign(globalThis, { setTimeout: realSet, clearTimeout: realClear });
  };
}

interface VirtualTimer {
  cancel(): void;
  ref(): VirtualTimer;
  unref(): VirtualTimer;
}
