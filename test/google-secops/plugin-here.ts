import { execFileSync } from "node:child_process";
import { closeSync, constants, createWriteStream, openSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { afterSuite } from "../support/cleanup.ts";
import { startHere } from "../support/plugin-run.ts";
import { install, type Installation } from "./installation.ts";

/** An installation whose plugin runs in the test's process. */
export interface PluginHere extends Installation {
  /** Makes the launcher take the program that passes requests on to this process. */
  env: { NODE_BINARY: string };
}

/**
 * Installs the package with a program in the place of Node.js that passes the request to the sources of the plugin in this process,
 * and their messages back. A run takes a fraction of the processor time that a start of Node.js and of the plugin takes.
 */
export async function installPluginHere(): Promise<PluginHere> {
  const installation = await install("");
  const folder = join(installation.folder, "plugin-here");
  const [program, requests, messages] = ["node", "requests", "messages"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(folder);
  execFileSync("mkfifo", [requests, messages]);
  const steps = ["#!/bin/sh", `echo '{"type":"ready"}'`, `cat > ${requests}`, `exec cat ${messages}`, ""];
  await writeFile(program, steps.join("\n"), { mode: 0o755 });
  const served = serve(requests, messages);
  afterSuite(async () => {
    // A request that is empty ends the service.
    closeSync(openSync(requests, constants.O_WRONLY | constants.O_NONBLOCK));
    await served;
  });
  return { ...installation, env: { NODE_BINARY: program } };
}

async function serve(requests: string, messages: string): Promise<void> {
  for (;;) {
    const request = await readFile(requests, "utf8");
    if (request === "") return;
    await pipeline(startHere(JSON.parse(request)).stdout, createWriteStream(messages));
  }
}
