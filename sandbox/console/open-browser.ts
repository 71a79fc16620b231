import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const COMMANDS: Partial<Record<NodeJS.Platform, [command: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

export interface OpenOptions {
  /** Holds the console's token. */
  url: string;
  /** Where to write the page that leads to the URL. Every user of the machine can read the arguments of a program, but not this file. */
  file: string;
  write: (line: string) => void;
}

/**
 * Opens a URL in a browser. No browser is no reason to stop: the URL is printed.
 * @returns what removes the file
 */
export function openBrowser({ url, file, write }: OpenOptions): () => void {
  const remove = () => {
    rmSync(file, { force: true });
  };
  const failed = () => {
    write("No browser could be opened. Open the URL above yourself.");
  };
  const [command, ...args] = COMMANDS[process.platform] ?? ["xdg-open"];
  try {
    // A file that is there already would keep its mode.
    remove();
    writeFileSync(file, pageTo(url), { mode: 0o600, flag: "wx" });
  } catch {
    failed();
    return () => undefined;
  }
  spawn(command, [...args, resolve(file)], { stdio: "ignore", detached: true })
    .once("error", failed)
    .once("exit", (code) => {
      if (code !== 0) failed();
    })
    .unref();
  return remove;
}

/** A page that goes to a URL at once. */
export function pageTo(url: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0;url=${url}">
<title>Console</title>
<a href="${url}">Open the console</a>
`;
}
