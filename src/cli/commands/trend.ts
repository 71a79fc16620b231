import { Option } from "commander";
import { parseInstant } from "../../service/instants.ts";
import { oneLine } from "../../text.ts";
import { trendRecord } from "../../records/trend-record.ts";
import type { SparklinePoint } from "../../service/resources/findings.records.ts";
import { chooseEnvironment } from "../choose-environments.ts";
import { refuseUnknownTypes } from "../choose-types.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { instantOption, instantText, toTheSecond } from "../instant-option.ts";
import { endOfList } from "../list-end.ts";
import type { Output } from "../output.ts";
import { writeRows } from "../rows.ts";
import { sparkline } from "../sparkline.ts";

interface Options {
  from?: number;
  to?: number;
  format: "plot" | "ndjson" | "csv";
}

const trend = (cli: Cli) => {
  const moment = instantOption(() => cli.clock.now());
  const command = describeCommand(
    "trend",
    "Show how a finding type of an environment develops, one point per analysis.",
    ["trend CORP.EXAMPLE.COM T0GenericAll", "trend CORP.EXAMPLE.COM T0GenericAll --from 90d --format csv"],
  )
    .argument("<environment>", "name or id")
    .argument("<type>", "finding type")
    .option("--from <moment>", "begin then: a date, an instant, or how long ago, such as 90d (default: 30d)", moment)
    .option("--to <moment>", "end then (default: now)", moment)
    .addOption(
      new Option("--format <form>", "how to write the points").choices(["plot", "ndjson", "csv"]).default("plot"),
    )
    .addOption(new Option("--json", "short for --format ndjson: one JSON object a line").implies({ format: "ndjson" }));
  return serviceAction(cli, command, async (service) => {
    const { from, to, format } = command.opts<Options>();
    const [name = "", findingType = ""] = command.args;
    const { id } = await chooseEnvironment(service, name);
    const span = {
      ...(from !== undefined && { from: instantText(from) }),
      ...(to !== undefined && { to: instantText(to) }),
    };
    const points = await service.findings.sparkline({ environmentId: id, findingType, ...span }, { required: true });
    if (points.length === 0) {
      const { types } = await service.findings.types(id);
      await refuseUnknownTypes(service, [findingType], new Set(types));
    }
    const time = ({ created_at: text = "" }: SparklinePoint): number => parseInstant(text) ?? 0;
    points.sort((a, b) => time(a) - time(b));
    if (format === "plot") await plot(cli.output, points);
    else {
      await writeRows(cli.output, { format, columns: [] }, points.map(trendRecord));
    }
    return endOfList(cli.output, { count: points.length, empty: "There is no analysis in this period." });
  });
};
export default trend;

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
