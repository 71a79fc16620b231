import { setImmediate } from "node:timers/promises";

/** How long a debugger that was asked for before this process could refuse it takes to start, at most. */
const LATEST_MS = 200;
/** How often the process looks for it until then, and how long it is open at most. */
const LOOK_MS = 10;

/** The options of Node.js that open the debugger. Others that begin alike only say where it would listen. */
const OPENS_DEBUGGER = /--inspect([-_](brk|wait))?(?![-\w])/;

/**
 * Keeps SIGUSR1 from opening Node's debugger, a port on which every user of the machine could read the token key. Call it before a
 * secret is read. Nothing happens where the debugger was asked for with an option of Node.js.
 *
 * Node.js 22.14 has `--disable-sigusr1`. In all versions, a listener of our own takes the place of Node's handler; a signal that
 * came before that has opened the debugger, which is closed again.
 */
export async function refuseDebugger(): Promise<void> {
  if ([...process.execArgv, process.env["NODE_OPTIONS"] ?? ""].some((option) => OPENS_DEBUGGER.test(option))) return;
  process.on("SIGUSR1", () => undefined);
  if (!process.features.inspector) return;
  const { close, url } = await import("node:inspector");
  const closeIfOpen = (): void => {
    if (url() !== undefined) close();
  };
  await setImmediate();
  closeIfOpen();
  const looks = setInterval(closeIfOpen, LOOK_MS).unref();
  setTimeout(() => {
    clearInterval(looks);
  }, LATEST_MS).unref();
}
