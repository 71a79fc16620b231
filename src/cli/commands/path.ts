import { pathSentences } from "../../investigation/paths/path-sentences.ts";
import type { PathEntry } from "../../investigation/paths/prove-path.ts";
import { provePaths } from "../../investigation/paths/prove-paths.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { UsageError } from "../failures.ts";
import { lookUpHint } from "../look-up-hint.ts";
import type { Style } from "../output.ts";
import { type Cell, type Column, writeRows } from "../rows.ts";

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

const path = (cli: Cli) =>
  serviceAction(
    cli,
    describeCommand("path", "Find the shortest attack path from one object to another.", [
      'path ALICE@CORP.EXAMPLE.COM "DOMAIN ADMINS@CORP.EXAMPLE.COM"',
      "path S-1-5-21-1-2-3-1104 S-1-5-21-1-2-3-512 --json",
    ])
      .addHelpText(
        "after",
        "\nEnds with exit code 0 when there is a path, with 1 when there is none between two objects that the\nservice knows, and with 2 when a name is unknown or ambiguous.",
      )
      .argument("<start>", "name or object id")
      .argument("<end>", "name or object id")
      .option("--json", "write the result as JSON, with the edges of the other shortest paths"),
    async (service, command, log) => {
      const { json } = command.opts<{ json?: true }>();
      const [start = "", end = ""] = command.args;
      const { json: result, cause } = await provePaths(service, [{ start, end }], null, log, LABELS);
      if (cause !== null) throw cause;
      if (json === true) await cli.output.json(result);
      else {
        const tierZero = new Set(result.paths.flatMap((entry) => entry.tierZero ?? []));
        const isTierZero = ({ objectId }: PathEntry["end"]): boolean => objectId !== null && tierZero.has(objectId);
        const named = (end: PathEntry["end"]): string =>
          `${isTierZero(end) ? `${TIER_ZERO} ` : ""}${end.name ?? end.objectId ?? "unnamed object"}`;
        const rows = result.paths.flatMap(({ hops }) =>
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
      const sentences = pathSentences(result.paths);
      // An end that is unknown or ambiguous leaves the question open, which must not look like "no path".
      if (result.exists === null) {
        const unknown = result.paths.filter(({ status }) => status === "unknown_object");
        const names = unknown.flatMap((entry) => [entry.start, entry.end].filter(({ objectId }) => objectId === null));
        throw new UsageError([...sentences, ...names.map(({ name }) => lookUpHint(name ?? ""))].join(" "));
      }
      for (const sentence of sentences) cli.output.note(sentence);
      return result.exists ? ExitCode.yes : ExitCode.no;
    },
  );
export default path;
