import { chooseEnvironments } from "../choose-environments.ts";
import { Selection } from "../../ingestion/selection.ts";
import type { Cli, ConnectionOptions, Handler } from "../command.ts";
import { arranged, type Sortable } from "../arranged.ts";
import { FINDING_FORMATS, type FindingFormat, isFindingFormat } from "../../output/formats.ts";
import { findingFields } from "../../records/finding-record.ts";
import type { Severity } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { counted } from "../../text.ts";
import type { SortableLine } from "../finding-events.ts";
import { type FindingFilter, type FindingMapper, FindingRows, rowOf } from "../finding-rows.ts";
import { momentOption, toTheSecond } from "../instant-option.ts";
import { ENVIRONMENTS, ListOfParts, WITHOUT_ID } from "../list-end.ts";
import type { Style } from "../output/output.ts";
import { type Cell, type Column, percentage, type RowFormat, writeLines, writeRows } from "../rows.ts";
import type { Sort } from "../option-values.ts";
import { withService } from "../session.ts";

interface Options extends ConnectionOptions {
  environment: string[];
  type: string[];
  severity: string[];
  accepted?: "yes" | "no";
  sort?: Sort;
  limit?: number;
  format: RowFormat | FindingFormat;
}

const COLOURS: ReadonlyMap<Cell, Style> = new Map<Severity, Style>([
  ["critical", "alarm"],
  ["high", "red"],
  ["moderate", "yellow"],
  ["unknown", "dim"],
]);

/** A narrow terminal shows who can attack whom, and how bad that is. */
const columns: readonly Column[] = [
  { key: "severity", title: "Severity", style: (cell) => COLOURS.get(cell) },
  { key: "impact_percentage", title: "Impact", align: "right", show: percentage },
  { key: "environment_name", title: "Environment", narrowest: 16, leftOut: 2 },
  { key: "finding_type", title: "Finding type", narrowest: 16, leftOut: 3 },
  { key: "source_principal_name", title: "From", narrowest: 20 },
  { key: "target_principal_name", title: "To", narrowest: 20 },
  { key: "created_at", title: "Created", narrowest: 20, leftOut: 1, show: (cell) => toTheSecond(String(cell)) },
];

export const findings: Handler = (cli, command) => {
  const options = command.opts<Options>();
  const since = momentOption(command, "since", cli.clock.now());
  return withService(cli, options, async (service) => {
    cli.output.refuseClosed();
    const { environment, type, severity, accepted, sort, limit = Infinity, format } = options;
    const { environments, uncollected, unreadable, incomplete } = await chooseEnvironments(service, environment);
    const filter: FindingFilter = {
      environments,
      types: type,
      selection: new Selection({ "Selected Finding Types": type }),
      severities: severity,
      since,
      accepted: accepted === undefined ? undefined : accepted === "yes",
    };
    const parts = new ListOfParts();
    parts.ignore(unreadable, WITHOUT_ID);
    parts.lack(uncollected);
    let isCut = false as boolean;
    /** The findings as this form shows them, in their order. */
    const listOf = async <T extends Sortable>(map: FindingMapper<T>): Promise<AsyncIterable<T>> => {
      const found = new FindingRows(service, filter, parts, {
        now: cli.clock.now(),
        map,
        progress(text) {
          cli.output.progress(text);
        },
      });
      await found.checkTypes();
      return arranged(found.rows(), { sort, limit }, () => {
        isCut = true;
      });
    };
    const count = isFindingFormat(format)
      ? await writeEvents(cli, { service, format }, listOf)
      : await writeRows(cli.output, { format, columns, fields: findingFields }, await listOf(rowOf));
    if (isCut && format === "table") cli.output.note(`There are more findings than the ${limit} of --limit.`);
    parts.fail(ENVIRONMENTS, incomplete);
    return parts.end(cli.output, { count, empty: "No finding matches." });
  });
};

/** @returns how many there were */
async function writeEvents(
  { output, clock }: Cli,
  { service, format }: { service: AttackPathService; format: FindingFormat },
  listOf: (map: FindingMapper<SortableLine>) => Promise<AsyncIterable<SortableLine>>,
): Promise<number> {
  // Most lists have another form.
  const { FindingEvents } = await import("../finding-events.ts");
  const events = new FindingEvents(service, clock, await FINDING_FORMATS[format].load());
  let count = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const { line } of await listOf(events.map)) {
      count += 1;
      yield line;
    }
  };
  await writeLines(output, lines());
  if (events.undescribed > 0) {
    output.note(
      `Could not load the description of ${counted(events.undescribed, "finding type")}. Their events have no description.`,
    );
  }
  return count;
}
