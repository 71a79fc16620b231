import { join, relative, resolve } from "node:path";
import { Command, Option } from "commander";
import { forgetHost, jsonReport, runMainJob, textReport, type Report } from "../sandbox/soar/index.ts";
import { startTenant, type Tenant, type SpokenDialect } from "../sandbox/tenant/index.ts";
import { buildPackages } from "../src/packaging/build.ts";
import { portable } from "../src/packaging/portable.ts";
import { readSecret } from "../src/terminal.ts";

interface Options {
  server?: string;
  tokenId?: string;
  dialect: SpokenDialect;
  environments?: string;
  findingTypes?: string;
  runEvery?: string;
  data: string;
  fresh: boolean;
  once: boolean;
  json: boolean;
}

/** Where the findings come from. */
interface Source {
  /** The instance's parameters by label. */
  instance: { Server: string; "Token ID": string; "Token Key": string };
  /** Folder of the host's files for this tenant. */
  folder: string;
  simulated: Tenant | null;
}

const rootDir = resolve(import.meta.dirname, "..");
const command = new Command("npm start --")
  .description(
    "Builds the package, installs it into a small SOAR host on this machine, polls findings into cases, asks each action about them, and polls on. Without --server, a simulated tenant has the findings.",
  )
  .option("--server <url>", "poll this tenant; its token key is asked for, or read from standard input")
  .option("--token-id <id>", "ID of the API token, with --server")
  .addOption(
    new Option("--dialect <name>", "how the simulated tenant speaks; the plugin finds out by itself")
      .choices(["standard", "bloodhound-enterprise"])
      .default("standard"),
  )
  .option("--environments <list>", "environments to poll, by name or id (default: all)")
  .option("--finding-types <list>", "finding types to poll (default: all)")
  .option("--run-every <minutes>", "polling interval (default: what integration.json says)")
  .option("--data <folder>", "the host keeps its files here, in one folder per tenant", ".sandbox")
  .option("--fresh", "forget earlier runs; with a simulated tenant every start is fresh", false)
  .option("--once", "end after the first polls; otherwise Ctrl-C ends it", false)
  .option(
    "--json",
    "write only JSON: one document with --once, otherwise one line per step (npm start -s leaves out npm's own lines)",
    false,
  );

try {
  process.exitCode = (await start(command.parse().opts<Options>())) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function start(options: Options): Promise<boolean> {
  const report = options.json ? jsonReport(process.stdout, !options.once) : textReport(process.stdout);
  const stop = new AbortController();
  const end = () => {
    stop.abort();
  };
  process.once("SIGINT", end).once("SIGTERM", end);
  const { instance, folder, simulated } = await chooseSource(options);
  try {
    const archive = await build(report);
    if (simulated !== null) reportTenant(simulated, report);
    if (simulated !== null || options.fresh) forgetHost(folder);
    const { environments, findingTypes, runEvery, once } = options;
    return await runMainJob({
      archive,
      data: folder,
      instance,
      fields: {
        "Selected Environments": environments ?? null,
        "Selected Finding Types": findingTypes ?? null,
        "Run Every": runEvery ?? null,
      },
      once,
      signal: stop.signal,
      report,
      ...(simulated !== null && { analyse: () => analyse(simulated) }),
    });
  } finally {
    await simulated?.close();
  }
}

async function chooseSource({ server, tokenId, dialect, data }: Options): Promise<Source> {
  if (server === undefined) {
    const simulated = await startTenant({ dialect });
    const instance = { Server: simulated.url, "Token ID": simulated.tokenId, "Token Key": simulated.tokenKey };
    return { instance, folder: join(data, "simulated"), simulated };
  }
  if (tokenId === undefined) throw new Error("With --server, name the token with --token-id.");
  const key = await readSecret({ input: process.stdin, output: process.stderr }, "Token Key (not shown): ");
  if (key === "") throw new Error("No token key was given. Type it at the prompt, or pass it on standard input.");
  const folder = join(data, folderName(server));
  return { instance: { Server: server, "Token ID": tokenId, "Token Key": key }, folder, simulated: null };
}

/** `https://example.test:8443/` is `example.test_8443_`; no address leads out of the data folder. */
function folderName(server: string): string {
  const address = server.toLowerCase().replace(/^https?:\/\//, "");
  return address.replace(/[^a-z0-9.-]+/g, "_").replace(/^\.*$/, "_");
}

async function build(report: Report): Promise<string> {
  const started = Date.now();
  const outDir = join(rootDir, "dist");
  const [artefact] = await buildPackages({ rootDir, outDir, targets: [portable] });
  if (artefact === undefined) throw new Error("The build made no package.");
  const archive = relative(process.cwd(), artefact.path);
  const size = `${Math.ceil(artefact.bytes / 1024)} KiB`;
  const ms = Date.now() - started;
  report.step({
    name: "Build",
    ok: true,
    ms,
    message: `${archive}, ${size}.`,
    facts: { archive, bytes: artefact.bytes },
  });
  return artefact.path;
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
