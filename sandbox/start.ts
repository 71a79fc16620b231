import { join, relative, resolve } from "node:path";
import { Command, InvalidArgumentError, Option } from "commander";
import { whenParentEnds } from "./parent.ts";
import { portNumber } from "./port-number.ts";
import { knownToken, parametersOf, type Preparation, type TenantParameters } from "./console/prepare.ts";
import { runConsole } from "./console/run.ts";
import { forgetHost, jsonReport, lockFolder, runMainJob, textReport, type Report } from "./soar/index.ts";
import { startTenant, type Tenant, type SpokenDialect } from "./tenant/index.ts";
import { buildPortable } from "../src/packaging/portable.ts";
import { refuseDebugger } from "../src/runtime/no-debugger.ts";
import { readSecret } from "../src/terminal.ts";
import { messageOf } from "../src/text.ts";

interface Options {
  server?: string;
  tokenId?: string;
  newKey: boolean;
  dialect?: SpokenDialect;
  environments?: string;
  findingTypes?: string;
  runEvery?: string;
  data: string;
  fresh: boolean;
  port: number;
  open: boolean;
  empty: boolean;
  once: boolean;
  json: boolean;
}

/** Where the findings come from. */
interface Source {
  instance: TenantParameters;
  simulated: Tenant | null;
}

const rootDir = resolve(import.meta.dirname, "..");
const command = new Command("npm start --")
  .description(
    "Builds the package and serves the console: a small SOAR host in your browser, with a simulated tenant that has findings. With --once it does the same in the terminal: installs, polls findings into cases, asks each action about them.",
  )
  .option("--server <url>", "poll this tenant; its token key is asked for, or read from standard input, once")
  .option("--token-id <id>", "ID of the API token, with --server")
  .option("--new-key", "ask for the token key again, with --server", false)
  .addOption(
    new Option(
      "--dialect <name>",
      "how a new simulated tenant speaks (default: standard); the plugin finds out by itself",
    ).choices(["standard", "bloodhound-enterprise"]),
  )
  .option("--environments <list>", "environments to poll, by name or id (default: all)")
  .option("--finding-types <list>", "finding types to poll (default: all)")
  .option("--run-every <minutes>", "polling interval (default: what integration.json says)", minutes)
  .option("--data <folder>", "everything is kept here, in one folder per tenant", ".sandbox")
  .option("--fresh", "forget what was kept; with --once and a simulated tenant every start is fresh", false)
  .option("--port <number>", "port of the console; 0 takes any free one", portNumber, 7420)
  .option("--open", "open the console in a browser", false)
  .option("--empty", "install and configure nothing, so that you can do it yourself in the console", false)
  .option("--once", "do everything once in the terminal, without the console", false)
  .option("--json", "with --once: write one JSON document (npm start -s leaves out npm's own lines)", false);

await refuseDebugger();
try {
  process.exitCode = (await start(command.parse().opts<Options>())) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}

async function start(options: Options): Promise<boolean> {
  const stop = new AbortController();
  const end = () => {
    stop.abort();
  };
  process.once("SIGINT", end).once("SIGTERM", end);
  whenParentEnds(end);
  const { once, json, server, data } = options;
  if (json && !once) throw new Error("--json is for --once. The console has an API; see docs/console.md.");
  const folder = join(data, server === undefined ? (once ? "simulated" : "console") : folderName(server));
  const unlock = lockFolder(folder);
  try {
    if (once) return await runOnce(options, folder, stop.signal);
    await serveConsole(options, folder, stop.signal);
    return true;
  } finally {
    unlock();
  }
}

async function serveConsole(options: Options, folder: string, signal: AbortSignal): Promise<void> {
  const { dialect, port, fresh, empty, open } = options;
  const instance = await realInstance(options, folder);
  const artefact = await buildPortable(rootDir, join(rootDir, "dist"));
  const write = (line: string) => process.stdout.write(`${line}\n`);
  write(`Built ${shownPath(artefact.path)}.`);
  await runConsole({
    data: folder,
    archive: artefact.path,
    instance,
    fields: fieldsOf(options),
    ...(dialect && { dialect }),
    ...{ port, fresh, empty, open, signal, write },
  });
}

async function runOnce(options: Options, folder: string, signal: AbortSignal): Promise<boolean> {
  const report = options.json ? jsonReport(process.stdout) : textReport(process.stdout);
  const { instance, simulated } = await chooseSource(options, folder);
  try {
    const archive = await reportBuild(report);
    if (simulated !== null) reportTenant(simulated, report);
    if (simulated !== null || options.fresh) forgetHost(folder);
    return await runMainJob({
      archive,
      data: folder,
      instance,
      fields: fieldsOf(options),
      signal,
      report,
      ...(simulated !== null && { analyse: () => analyse(simulated) }),
    });
  } finally {
    await simulated?.close();
  }
}

function fieldsOf({ environments, findingTypes, runEvery }: Options): Preparation["fields"] {
  return {
    "Selected Environments": environments ?? null,
    "Selected Finding Types": findingTypes ?? null,
    "Run Every": runEvery ?? null,
  };
}

function minutes(text: string): string {
  if (!/^\d{1,6}$/.test(text) || Number(text) === 0)
    throw new InvalidArgumentError("It must be a whole number of minutes, at least 1.");
  return text;
}

async function chooseSource(options: Options, folder: string): Promise<Source> {
  const real = await realInstance(options, folder);
  if (real !== null) return { instance: real, simulated: null };
  const simulated = await startTenant({ ...(options.dialect && { dialect: options.dialect }) });
  return { instance: parametersOf(simulated), simulated };
}

/** The tenant that is named, its key from the folder where one is kept; null: none is named. */
async function realInstance(options: Options, folder: string): Promise<TenantParameters | null> {
  const { server, tokenId, newKey, dialect, fresh, empty, once } = options;
  if (server === undefined) {
    if (tokenId !== undefined || newKey)
      throw new Error("--token-id and --new-key are for a tenant named with --server.");
    return null;
  }
  if (dialect !== undefined) throw new Error("--dialect is for a simulated tenant, not for one named with --server.");
  if (tokenId === undefined) throw new Error("With --server, name the token with --token-id.");
  const token = { Server: server, "Token ID": tokenId };
  const { isSetUp, key } = fresh ? { isSetUp: false, key: null } : await knownToken(folder, token);
  // The console changes nothing but the key of a token that it has.
  if (!once && (empty || (isSetUp && key === null))) return { ...token, "Token Key": null };
  if (key === null || newKey) return { ...token, "Token Key": await readKey() };
  process.stderr.write("Using the token key that is kept. Replace it with --new-key.\n");
  return { ...token, "Token Key": key };
}

async function readKey(): Promise<string> {
  const key = await readSecret({ input: process.stdin, output: process.stderr }, "Token Key (not shown): ");
  if (key === "") throw new Error("No token key was given. Type it at the prompt, or pass it on standard input.");
  return key;
}

/** `https://example.test:8443/` is `example.test_8443_`; no address leads out of the data folder. */
function folderName(server: string): string {
  const address = server.toLowerCase().replace(/^https?:\/\//, "");
  return address.replace(/[^a-z0-9.-]+/g, "_").replace(/^\.*$/, "_");
}

async function reportBuild(report: Report): Promise<string> {
  const started = Date.now();
  const { path, bytes } = await buildPortable(rootDir, join(rootDir, "dist"));
  const archive = shownPath(path);
  const message = `${archive}, ${Math.ceil(bytes / 1024)} KiB.`;
  report.step({ name: "Build", ok: true, ms: Date.now() - started, message, facts: { archive, bytes } });
  return path;
}

function shownPath(path: string): string {
  return relative(process.cwd(), path);
}

function reportTenant({ url, data }: Tenant, report: Report): void {
  const environments = data.environments.map(({ name }) => name);
  const message = `Simulated, at ${url}: ${environments.join(", ")}.`;
  report.step({ name: "Tenant", ok: true, message, facts: { url, environments } });
}

/** A new analysis of every collected environment; says how many findings it added. */
function analyse({ data, control }: Tenant): number {
  const collected = data.environments.filter((environment) => environment.collected);
  return collected.reduce((sum, { id }) => sum + control.analyse(id).length, 0);
}
