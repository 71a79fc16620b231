import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { whenParentEnds } from "../parent.ts";
import { portNumber } from "../port-number.ts";
import { startControlServer, type ControlServer } from "./control-server.ts";
import {
  selfSignedCertificate,
  startTenant,
  type DatasetOptions,
  type Fault,
  type Tenant,
  type SpokenDialect,
  type TenantOptions,
} from "./index.ts";
import { readFault } from "./read-fault.ts";

interface Flags {
  port: number;
  dialect: SpokenDialect;
  dataset: DatasetOptions;
  analysisStatus?: boolean;
  latency: number;
  rateLimit?: number;
  retryAfter?: boolean;
  analyseEvery?: number;
  clockSkew: number;
  dateHeader: boolean;
  maxPageSize: number;
  tokenId?: string;
  keyFile?: string;
  fault: Fault[];
  tls?: boolean;
  control?: boolean;
}

function whole(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("A whole number is expected.");
  return Number(text);
}

function signed(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError("A whole number is expected.");
  return Number(text);
}

function dataset(text: string): DatasetOptions {
  if (text === "demo") return { kind: "demo" };
  const [, environments, findingTypes, findingsPerPair] = /^uniform:(\d+)x(\d+)x(\d+)$/.exec(text) ?? [];
  if (environments === undefined)
    throw new InvalidArgumentError("Expected demo or uniform:<environments>x<types>x<findings>.");
  return {
    kind: "uniform",
    environments: Number(environments),
    findingTypes: Number(findingTypes),
    findingsPerPair: Number(findingsPerPair),
  };
}

function faults(text: string, former: Fault[]): Fault[] {
  try {
    return [...former, readFault(JSON.parse(text))];
  } catch (error) {
    throw new InvalidArgumentError(messageOf(error));
  }
}

const program = new Command("tenant")
  .description("Starts a simulated tenant of the Attack Path Analysis Service on the loopback address.")
  .option("--port <number>", "port to listen on; 0 takes any free one", portNumber, 0)
  .addOption(
    new Option("--dialect <name>", "how the tenant speaks")
      .choices(["standard", "bloodhound-enterprise"])
      .default("standard"),
  )
  .addOption(
    new Option("--dataset <name>", "demo, or uniform:<environments>x<types>x<findings>")
      .argParser(dataset)
      .default({ kind: "demo" }, "demo"),
  )
  .option("--analysis-status", "offers datapipe/status; default: only in the dialect bloodhound-enterprise")
  .option("--no-analysis-status", "does not offer datapipe/status")
  .option("--latency <milliseconds>", "added to every answer", whole, 0)
  .option("--rate-limit <number>", "requests a second for each client; above it, 429", whole)
  .option("--retry-after", "adds Retry-After to a 429")
  .option("--analyse-every <seconds>", "a new analysis with new findings, one environment after the other", whole)
  .option("--clock-skew <minutes>", "how far the tenant's clock is ahead", signed, 0)
  .option("--no-date-header", "leaves out the Date header, which gives the tenant's time")
  .option("--max-page-size <number>", "largest page of findings", whole, 1000)
  .option("--token-id <uuid>", "token ID; default: a random one")
  .option("--key-file <file>", "file that holds the token key; default: a random key, printed once")
  .option(
    "--fault <json>",
    'a fault, for example {"path": "/details$", "times": 2, "effect": {"kind": "status", "status": 503}}; may be repeated',
    faults,
    [],
  )
  .option("--tls", "https with a self-signed certificate, which is printed")
  .option("--control", "serves the control of faults and data on a second port, with its own token");

try {
  await serve(program.parse().opts<Flags>());
} catch (error) {
  program.error(messageOf(error));
}

/** Serves the tenant until a signal. */
async function serve(flags: Flags): Promise<void> {
  const certificate = flags.tls === true ? selfSignedCertificate() : undefined;
  const tenant = await startTenant({ ...optionsOf(flags), ...(certificate && { tls: certificate }) }).catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
      throw new Error(
        `Port ${flags.port} is in use. Stop the program that uses it, or choose another port with --port (0 takes any free one).`,
      );
    },
  );
  for (const fault of flags.fault) tenant.control.fault(fault);
  const control = flags.control === true ? await startControlServer(tenant) : null;
  const timer = flags.analyseEvery === undefined ? undefined : setInterval(analyser(tenant), flags.analyseEvery * 1000);
  const stop = async () => {
    clearInterval(timer);
    await control?.close();
    await tenant.close();
  };
  process.stdout.write(`${announcement(flags, tenant, control, certificate?.cert).join("\n")}\n`);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
  whenParentEnds(() => void stop());
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function optionsOf(given: Flags): TenantOptions {
  const { port, dialect, latency, maxPageSize, dateHeader, rateLimit, retryAfter = false } = given;
  const token = { id: given.tokenId ?? crypto.randomUUID(), key: tokenKey(given.keyFile) };
  return {
    port,
    dialect,
    dataset: given.dataset,
    latencyMs: latency,
    maxPageSize,
    dateHeader,
    clockSkewMs: given.clockSkew * 60_000,
    ...(given.analysisStatus !== undefined && { analysisStatus: given.analysisStatus }),
    rateLimit: rateLimit === undefined ? null : { perSecond: rateLimit, retryAfter },
    tokens: [token],
  };
}

function tokenKey(file: string | undefined): string {
  if (file !== undefined) return keyIn(file);
  return Buffer.from(crypto.getRandomValues(new Uint8Array(48))).toString("base64");
}

function keyIn(file: string): string {
  try {
    const key = readFileSync(file, "utf8").trim();
    if (key !== "") return key;
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    program.error(
      `The key file ${file} cannot be read (${code}). Write the token key into it, or leave out --key-file: the tenant then makes a key and prints it.`,
    );
  }
  return program.error(`The key file ${file} is empty. Write the token key into it, or leave out --key-file.`);
}

function announcement(
  { keyFile }: Flags,
  tenant: Tenant,
  control: ControlServer | null,
  certificate: string | undefined,
): string[] {
  const key =
    keyFile === undefined ? `${tenant.tokenKey}   (throwaway key of this simulated tenant)` : `(from ${keyFile})`;
  const lines = [
    "Simulated tenant",
    `  Server     ${tenant.url}`,
    `  Token ID   ${tenant.tokenId}`,
    `  Token Key  ${key}`,
  ];
  if (control !== null) lines.push(`  Control    ${control.url}   Authorization: Bearer ${control.token}`);
  if (certificate !== undefined) lines.push("", certificate.trim());
  return [...lines, "", "Ctrl-C ends it."];
}

/** Analyses one collected environment after the other. */
function analyser({ data, control }: Tenant): () => void {
  let turn = 0;
  return () => {
    const environments = data.environments.filter((environment) => environment.collected);
    const environment = environments[turn % environments.length];
    turn += 1;
    if (environment === undefined) return;
    const added = control.analyse(environment.id);
    process.stdout.write(`Analysed ${environment.name}: ${added.length} new findings.\n`);
  };
}
