import { pathSentences } from "../../investigation/paths/path-sentences.ts";
import { type PathEntry, titleOf } from "../../investigation/paths/path-entry.ts";
import { provePairs } from "../../investigation/paths/prove-pairs.ts";
import type { Logger } from "../../logger.ts";
import { NotFoundError, ProtocolError, type ServiceError } from "../../service/errors/errors.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import type { Cli } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { unlessReaderIsGone, UsageError } from "../failures.ts";
import { lookUpHint } from "../look-up-hint.ts";
import type { Style } from "../output/output.ts";
import { type Cell, type Column, writeRows } from "../rows.ts";
import { serviceHandler } from "../session.ts";

/** Stands before the name of an object of Tier Zero, where no truncation reaches it. */
const TIER_ZERO = "◆";

const style = (cell: Cell): Style | undefined => (String(cell).startsWith(TIER_ZERO) ? "red" : undefined);
const columns: readonly Column[] = [
  { key: "hop", title: "Hop", align: "right" },
  { key: "from", title: "From", narrowest: 18, style },
  { key: "relation", title: "Relation" },
  { key: "to", title: "To", narrowest: 18, style },
];

const LABELS = { start: "<start>", end: "<end>" };

export const path = serviceHandler((cli, service, command, log) => {
  const [start = "", end] = command.args;
  const { json = false } = command.opts<{ json?: true }>();
  return end === undefined ? nearest(cli, service, start, json, log) : between(cli, service, [start, end], json, log);
});

async function between(
  cli: Cli,
  service: AttackPathService,
  [start, end]: readonly [string, string],
  json: boolean,
  log: Logger,
): Promise<ExitCode> {
  const { json: result, cause } = await provePairs(service, [{ start, end }], null, log, { labels: LABELS });
  if (cause !== null) throw withoutAnswer(cause);
  if (json) await cli.output.json(result);
  else await unlessReaderIsGone(() => writeHops(cli, result.paths));
  const sentences = pathSentences(result.paths);
  // An end that is unknown or ambiguous leaves the question open, which must not look like "no path".
  if (result.exists === null) {
    const unknown = result.paths.filter(({ status }) => status === "unknown_object");
    const names = unknown.flatMap((entry) => [entry.start, entry.end].filter(({ objectId }) => objectId === null));
    throw new UsageError([...sentences, ...names.map(({ name }) => lookUpHint(name ?? ""))].join(" "));
  }
  for (const sentence of sentences) cli.output.note(sentence);
  return result.exists ? ExitCode.yes : ExitCode.no;
}

/** How near the start is to Tier Zero. Shows the shortest of the paths that were found. */
async function nearest(
  cli: Cli,
  service: AttackPathService,
  start: string,
  json: boolean,
  log: Logger,
): Promise<ExitCode> {
  const { findNearestTierZero, nearnessSentences } = await import("../../investigation/tier-zero/nearest-tier-zero.ts");
  const starts = { values: [start], selected: false };
  const { json: result, cause, nearness } = await findNearestTierZero(service, starts, null, log, LABELS);
  if (cause !== null) throw withoutAnswer(cause);
  const sentences = nearnessSentences(nearness, starts.values);
  if (result.paths.length === 0) throw new UsageError([...sentences, lookUpHint(start)].join(" "));
  if (json) await cli.output.json(result);
  else {
    const open = result.paths.filter(({ exists }) => exists === true);
    const shortest = open.toSorted((a, b) => (a.length ?? 0) - (b.length ?? 0)).slice(0, 1);
    await unlessReaderIsGone(() => writeHops(cli, shortest));
  }
  for (const sentence of sentences) cli.output.note(sentence);
  if (result.exists === null || cli.stop.aborted) return ExitCode.partial;
  return result.exists ? ExitCode.yes : ExitCode.no;
}

/** The service has words of its own for "no path". Any other 404 is no answer, and its exit code must not look like one. */
function withoutAnswer(cause: ServiceError): ServiceError {
  return cause instanceof NotFoundError ? new ProtocolError(cause.message, { whoActs: cause.whoActs }) : cause;
}

async function writeHops(cli: Cli, paths: readonly PathEntry[]): Promise<void> {
  const tierZero = new Set(paths.flatMap((entry) => entry.tierZero ?? []));
  const named = (end: PathEntry["end"]): string =>
    `${end.objectId !== null && tierZero.has(end.objectId) ? `${TIER_ZERO} ` : ""}${titleOf(end)}`;
  const rows = paths.flatMap(({ hops }) =>
    hops.map((hop, index) => ({
      hop: index + 1,
      from: named(hop.from),
      relation: hop.relation,
      to: named(hop.to),
    })),
  );
  await writeRows(cli.output, { format: "table", columns }, rows);
  if (rows.some(({ from, to }) => [from, to].some((name) => name.startsWith(TIER_ZERO))))
    await cli.output.write(`\n${TIER_ZERO} Tier Zero\n`);
}
