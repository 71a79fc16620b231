import { pathSentences } from "../../investigation/paths/path-sentences.ts";
import type { PathEntry } from "../../investigation/paths/prove-path.ts";
import { provePaths } from "../../investigation/paths/prove-paths.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { UsageError } from "../failures.ts";
import { writeRows } from "../rows.ts";

const columns = [
  { key: "hop", title: "Hop", align: "right" },
  { key: "from", title: "From" },
  { key: "relation", title: "Relation" },
  { key: "to", title: "To" },
] as const;

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
        const named = ({ name, objectId }: PathEntry["end"]): string => name ?? objectId ?? "unnamed object";
        const rows = result.paths.flatMap(({ hops }) =>
          hops.map((hop, index) => ({
            hop: index + 1,
            from: named(hop.from),
            relation: hop.relation,
            to: named(hop.to),
          })),
        );
        await writeRows(cli.output, { format: "table", columns }, rows);
      }
      const sentences = pathSentences(result.paths);
      // An end that is unknown or ambiguous leaves the question open, which must not look like "no path".
      if (result.exists === null) throw new UsageError(sentences.join(" "));
      for (const sentence of sentences) cli.output.note(sentence);
      return result.exists ? ExitCode.yes : ExitCode.no;
    },
  );
export default path;
