import { TextDecoder } from "node:util";
import { validate as isJobAlert } from "../generated/job-alert-validator.js";
import { isObject } from "../json.ts";
import type { Manifest, Parameter } from "../manifest/manifest.ts";
import { RequestError } from "./errors.ts";
import { type ConnectorRun, type JobAlert, type Json, type JsonObject, LOG_LEVELS, PROTOCOL } from "./protocol.ts";
import { shortened } from "../text.ts";
import { printable } from "./printable.ts";

/** A state has a few megabytes at most, and so have 200 full alerts of a job. */
export const LARGEST_REQUEST_BYTES = 64 * 1024 * 1024;

/** The requests of a job with thousands of alerts are larger. */
const LARGE_REQUEST_BYTES = 4 * 1024 * 1024;
const KINDS = ["action", "connector", "job"] as const;
type Kind = (typeof KINDS)[number];

/** A request that follows the contract. Its parameters are not checked yet. */
export interface CheckedRequest {
  kind: Kind;
  name: string;
  run: ConnectorRun;
  /** Epoch milliseconds of `run.deadline`. */
  deadline: number | null;
  instance: Record<string, unknown>;
  parameters: Record<string, unknown>;
  context: JsonObject;
  /** Of a job. */
  alerts: JobAlert[];
  state: Json;
}

/**
 * Reads standard input to its end and parses it: one JSON object in UTF-8, with or without a byte order mark.
 *
 * @param onLarge - called once, while the request is read, if it has more than 4 MiB
 * @throws RequestError when it is anything else; the message never quotes the input, which may hold a secret
 */
export async function readRequest(
  stdin: AsyncIterable<Uint8Array>,
  onLarge: () => void = () => undefined,
): Promise<Record<string, unknown>> {
  const text = await readAll(stdin, onLarge);
  if (text.trim() === "") {
    throw new RequestError(
      "No request: standard input is empty. The host must write one JSON request to it and close it.",
    );
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(
      "The request is not JSON. Standard input must hold one whole JSON object, with nothing before or after it.",
    );
  }
  return object(value, "The request");
}

/**
 * Checks everything of a request but its parameters.
 *
 * @throws RequestError that names the field and says what was expected
 */
export function checkRequest(request: Record<string, unknown>, manifest: Manifest): CheckedRequest {
  if (request["protocol"] !== PROTOCOL) {
    throw new RequestError(
      `The request's "protocol" must be ${PROTOCOL}: this plugin (${manifest.version}) speaks no other version of the host contract.`,
    );
  }
  const kind = KINDS.find((known) => known === request["kind"]);
  if (kind === undefined) {
    throw new RequestError(
      `The request's "kind" is ${requested(request["kind"])}. It must be "action", "connector" or "job".`,
    );
  }
  const names = manifest[`${kind}s`].map((declared) => declared.name);
  const name = names.find((declared) => declared === request["name"]);
  if (name === undefined) {
    throw new RequestError(
      `The request's "name" is ${requested(request["name"])}. It must be one of this plugin's ${kind}s: ${names.join(", ")}.`,
    );
  }
  const run = checkRun(object(request["run"] ?? {}, 'The request\'s "run"'));
  return {
    kind,
    name,
    run,
    deadline: run.deadline === null ? null : Date.parse(run.deadline),
    instance: object(request["instance"] ?? {}, 'The request\'s "instance"'),
    parameters: object(request["parameters"] ?? {}, 'The request\'s "parameters"'),
    context: object(request["context"] ?? {}, 'The request\'s "context"') as JsonObject,
    alerts: kind === "job" ? checkAlerts(request["alerts"]) : [],
    state: (request["state"] ?? null) as Json,
  };
}

/**
 * The alerts of a job's request. One that is malformed fails the run: a job that passed over it would leave the host in the
 * belief that it was judged.
 */
function checkAlerts(alerts: unknown): JobAlert[] {
  if (!Array.isArray(alerts)) throw new RequestError('The request\'s "alerts" must be an array.');
  const seen = new Set<string>();
  return alerts.map((alert: unknown, index): JobAlert => {
    const isValid = isJobAlert(alert);
    const name = nameOfAlert(alert, index);
    if (!isValid) {
      const { instancePath = "", message = "is not valid" } = isJobAlert.errors?.[0] ?? {};
      const place = instancePath === "" ? "it" : `"${printable(instancePath.slice(1).replaceAll("/", "."))}"`;
      throw new RequestError(
        `${name} is malformed: ${place} ${message}. No alert was judged. Check how the host fills in its alerts.`,
      );
    }
    if (seen.has(alert.alertId)) {
      throw new RequestError(`${name} is in the request twice. No alert was judged. Each alert may be there once.`);
    }
    seen.add(alert.alertId);
    return alert;
  });
}

function nameOfAlert(alert: unknown, index: number): string {
  const id = isObject(alert) ? alert["alertId"] : undefined;
  return `The request's alert number ${index + 1}${id === undefined ? "" : ` (${requested(id)})`}`;
}

/** The value that was given instead of a known name, for a message. */
function requested(value: unknown): string {
  if (value === undefined) return "missing";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const shown = printable(shortened(text, 80));
  return typeof value === "string" ? `"${shown}"` : shown;
}

/** The value of every parameter that the manifest declares as secret. */
export function secretsIn(request: Record<string, unknown>, manifest: Manifest): string[] {
  const declared: readonly Parameter[] = [
    ...manifest.instance.parameters,
    ...manifest.actions.flatMap((action) => action.parameters),
    ...manifest.connectors.flatMap((connector) => connector.fields),
    ...manifest.jobs.flatMap((job) => job.parameters),
  ];
  const labels = new Set(declared.filter((parameter) => parameter.secret).map((parameter) => parameter.name));
  return [request["instance"], request["parameters"]]
    .flatMap((bag) => (typeof bag === "object" && bag !== null ? Object.entries(bag) : []))
    .filter(([label]) => labels.has(label))
    .map(([, value]) => (typeof value === "string" ? value : JSON.stringify(value)));
}

function checkRun(run: Record<string, unknown>): ConnectorRun {
  const { id = "", deadline = null, test = false } = run;
  if (typeof id !== "string") throw new RequestError('The request\'s "run.id" must be a string.');
  if (typeof test !== "boolean") throw new RequestError('The request\'s "run.test" must be true or false.');
  if (deadline !== null && !isInstant(deadline)) {
    throw new RequestError(
      'The request\'s "run.deadline" must be null or an RFC 3339 instant such as 2030-01-31T10:00:00Z.',
    );
  }
  const logLevel = LOG_LEVELS.find((level) => level === run["logLevel"]);
  if (logLevel === undefined && (run["logLevel"] ?? null) !== null) {
    throw new RequestError(`The request's "run.logLevel" must be one of ${LOG_LEVELS.join(", ")}.`);
  }
  const limits = ["maxAlerts", "maxEventsPerAlert"].flatMap((field) => {
    const value = run[field] ?? null;
    if (value === null) return [];
    if (Number.isSafeInteger(value) && Number(value) >= 1) return [[field, value]];
    throw new RequestError(`The request's "run.${field}" must be a whole number of at least 1.`);
  });
  return {
    id,
    deadline,
    test,
    ...(logLevel && { logLevel }),
    ...(Object.fromEntries(limits) as Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert">),
  };
}

function isInstant(value: unknown): value is string {
  return (
    typeof value === "string" &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(value) &&
    !Number.isNaN(Date.parse(value))
  );
}

function object(value: unknown, what: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new RequestError(`${what} must be a JSON object.`);
}

/** Decodes piece by piece: a job's request may have tens of megabytes, which need not be there twice. */
async function readAll(stdin: AsyncIterable<Uint8Array>, onLarge: () => void): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const texts: string[] = [];
  let size = 0;
  for await (const chunk of stdin) {
    size += chunk.length;
    if (size > LARGEST_REQUEST_BYTES) {
      throw new RequestError(`The request is larger than ${LARGEST_REQUEST_BYTES / 1024 / 1024} MiB.`);
    }
    if (size > LARGE_REQUEST_BYTES && size - chunk.length <= LARGE_REQUEST_BYTES) onLarge();
    texts.push(decode(decoder, chunk));
  }
  return texts.join("") + decode(decoder);
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new RequestError("The request is not UTF-8 text. The host must write its JSON in UTF-8.");
  }
}
