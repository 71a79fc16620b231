import { DAY_MS } from "../../clock.ts";
import { parseInstant } from "../../service/instants.ts";
import { oneLine } from "../../text.ts";
import { trendRecord } from "../../records/trend-record.ts";
import type { SparklinePoint } from "../../service/resources/findings.records.ts";
import { chooseEnvironment } from "../choose-environments.ts";
import { refuseUnknownTypes } from "../choose-types.ts";
import type { ConnectionOptions, Handler } from "../command.ts";
import { instantText, momentOption, toTheSecond } from "../instant-option.ts";
import { endOfList } from "../list-end.ts";
import type { Output } from "../output/output.ts";
import { writeRows } from "../rows.ts";
import { sparkline } from "../drawing/sparkline.ts";
import { withService } from "../session.ts";

interface Options extends ConnectionOptions {
  format: "plot" | "ndjson" | "csv";
}

/** The service's own, when it is not told where to begin. */
const USUAL_SPAN_MS = 30 * DAY_MS;

export const trend: Handler = (cli, command) => {
  const options = command.opts<Options>();
  const now = cli.clock.now();
  const [from, to] = ["from", "to"].map((name) => momentOption(command, name, now));
  if (to !== undefined && to < (from ?? now - USUAL_SPAN_MS))
    command.error("error: option '--to <moment>' is earlier than '--from <moment>' (default: 30d)");
  return withService(cli, options, async (service) => {
    const { format } = options;
    const [name = "", findingType = ""] = command.args;
    const { id } = await chooseEnvironment(service, name);
    const span = {
      ...(from !== undefined && { from: instantText(from) }),
      ...(to !== undefined && { to: instantText(to) }),
    };
    const points = await service.findings.sparkline({ environmentId: id, findingType, ...span }, { required: true });
    if (points.length === 0) {
      const { types, incomplete } = await service.findings.types(id);
      if (incomplete === undefined) await refuseUnknownTypes(service, [findingType], new Set(types));
    }
    const time = ({ created_at: text = "" }: SparklinePoint): number => parseInstant(text) ?? 0;
    points.sort((a, b) => time(a) - time(b));
    if (format === "plot") await plot(cli.output, points);
    else {
      await writeRows(
        cli.output,
        { format, columns: [], fields: Object.keys(trendRecord({})) },
        points.map(trendRecord),
      );
    }
    return endOfList(cli.output, { count: points.length, empty: "There is no analysis in this period." });
  });
};

const SERIES = [
  ["findings", "FindingCount"],
  ["impacted assets", "ImpactedAssetCount"],
  ["risk", "CompositeRisk"],
] as const;
const TITLE_WIDTH = 15;
/** What stands beside a plot. */
const WORDS_WIDTH = 40;

async function plot(output: Output, points: readonly SparklinePoint[]): Promise<void> {
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return;
  const width = Math.max(20, (output.width ?? 100) - WORDS_WIDTH);
  const lines = SERIES.map(([title, field]) => {
    const values = points.map((point) => point[field] ?? undefined);
    const known = values.filter((value) => value !== undefined);
    const range =
      known.length === 0
        ? ""
        : `${shown(known.reduce((a, b) => Math.min(a, b)))} to ${shown(known.reduce((a, b) => Math.max(a, b)))}, `;
    return `${title.padEnd(TITLE_WIDTH)}  ${sparkline(values, width)}  ${range}now ${shown(values.at(-1))}`;
  });
  lines.push(`${" ".repeat(TITLE_WIDTH)}  ${time(first)} to ${time(last)}`);
  await output.write(`${lines.join("\n")}\n`);
}

function time({ created_at: instant }: SparklinePoint): string {
  return toTheSecond(oneLine(instant ?? ""));
}

function shown(value: number | undefined): string {
  return value === undefined ? "not known" : String(Math.round(value * 10) / 10);
}
