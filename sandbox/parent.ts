const EVERY_MS = 1_000;

/**
 * Calls back when the process that started this one has ended. npm passes a signal on to its shell, which ends without passing it on: without
 * this, a server would outlive the npm that it was started with.
 */
export function whenParentEnds(end: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    end();
  }, EVERY_MS).unref();
}
