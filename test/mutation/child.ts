import type { ChildProcess } from "node:child_process";

/** A program that says nothing for so long hangs: every test case and every scenario says something. */
const STALLED_MS = 45_000;

/**
 * Waits for the end of a child that calls `beat` whenever it gets on.
 *
 * @returns whether it ended by itself; it is killed otherwise
 */
export function ends(child: ChildProcess, onBeat: (beat: () => void) => void): Promise<boolean> {
  return new Promise((done, failed) => {
    let stalled = false;
    const kill = (): void => {
      stalled = true;
      child.kill("SIGKILL");
    };
    let timer = setTimeout(kill, STALLED_MS);
    onBeat(() => {
      clearTimeout(timer);
      timer = setTimeout(kill, STALLED_MS);
    });
    // Nor may it outlive this process.
    process.once("exit", kill);
    child.on("error", failed);
    child.on("close", () => {
      clearTimeout(timer);
      process.off("exit", kill);
      done(!stalled);
    });
  });
}
