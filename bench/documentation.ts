import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { formatted } from "../src/codegen/formatted.ts";
import { floorSeconds, type Growth, type GrowthPoint } from "./growth.ts";
import { type Plot, plotSvg } from "./plot.ts";
import { missedNote, remarks } from "./remarks.ts";
import type { BenchResult } from "./results.ts";
import { commandsTable, comparisonTable, growthTable, machineLine, rowsTable, stateTable } from "./tables.ts";

const DOCUMENT = "docs/performance.md";

/** Puts the figures into {@link DOCUMENT}, between its markers, and draws the plots that it shows. */
export async function writeDocumentation(
  rootDir: string,
  { machine, baseline, rows, growth, commands }: BenchResult,
): Promise<void> {
  const file = join(rootDir, DOCUMENT);
  const notes = remarks(rows).map((remark) => `- ${remark}`);
  const figures = [`Measured on ${machineLine(machine)}.`, "", rowsTable(rows), "", ...notes].join("\n");
  let text = replacePart(await readFile(file, "utf8"), "rows", figures);
  text = replacePart(text, "state", stateTable(rows));
  if (baseline !== null) {
    const compared = `Compared with commit ${baseline.commit} ("${baseline.subject}").`;
    text = replacePart(text, "comparison", `${compared}\n\n${comparisonTable(rows)}`);
  }
  if (commands !== null) {
    const measured = `Measured on ${machineLine(machine)}.`;
    const missed = commands
      .filter(({ missed: names }) => names.length > 0)
      .map(({ work, missed: names }) => `- ${work}: ${missedNote(names)}`);
    text = replacePart(text, "commands", [measured, "", commandsTable(commands), "", ...missed].join("\n"));
  }
  if (growth !== null) {
    const measured = `Measured on ${machineLine(machine)}.`;
    text = replacePart(text, "findings", `${measured}\n\n${growthTable(growth.byFindings)}`);
    text = replacePart(text, "environments", growthTable(growth.byEnvironments));
    await drawPlots(join(rootDir, "docs/images"), growth);
  }
  await writeFile(file, await formatted(rootDir, DOCUMENT, text));
}

function replacePart(text: string, name: string, content: string): string {
  const [begin, end] = [`<!-- bench:${name}:begin -->`, `<!-- bench:${name}:end -->`];
  const [before, rest] = text.split(begin);
  const after = rest?.split(end)[1];
  if (before === undefined || after === undefined)
    throw new Error(`The document has no part between ${begin} and ${end}.`);
  return `${before}${begin}\n\n${content}\n\n${end}${after}`;
}

async function drawPlots(folder: string, growth: Growth): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, plot] of Object.entries(plotsOf(growth)))
    await writeFile(join(folder, `${name}.svg`), plotSvg(plot));
}

function plotsOf({ byFindings, byEnvironments }: Growth): Record<string, Plot> {
  const findings = ({ findings: count }: GrowthPoint): number => count;
  const environments = ({ environments: count }: GrowthPoint): number => count;
  return {
    "growth-findings": {
      title: "Time of a run by number of findings (100 streams, 20 ms latency)",
      x: "findings",
      y: "seconds",
      series: [
        { label: "first run", points: points(byFindings, findings, ({ first }) => first.wallMs / 1000) },
        {
          label: "third poll, nothing new",
          points: points(byFindings, findings, ({ skipped }) => skipped.wallMs / 1000),
        },
        { label: "floor of the first run", points: floor(byFindings, findings), dashed: true },
      ],
    },
    "growth-memory": {
      title: "Peak memory of a first run by number of findings (100 streams)",
      x: "findings",
      y: "MB",
      series: [{ label: "whole process", points: points(byFindings, findings, ({ first }) => first.peakBytes / 1e6) }],
    },
    "growth-environments": {
      title: "Time of a run by number of environments (2 finding types, 20 ms latency)",
      x: "environments",
      y: "seconds",
      series: [
        { label: "first run", points: points(byEnvironments, environments, ({ first }) => first.wallMs / 1000) },
        {
          label: "third poll, nothing new",
          points: points(byEnvironments, environments, ({ skipped }) => skipped.wallMs / 1000),
        },
        { label: "floor of the first run", points: floor(byEnvironments, environments), dashed: true },
      ],
    },
  };
}

type Figure = (point: GrowthPoint) => number;

function points(of: readonly GrowthPoint[], x: Figure, y: Figure): [number, number][] {
  return of.map((point) => [x(point), y(point)]);
}

/** Where requests fit into the first second there is no floor to draw. */
function floor(of: readonly GrowthPoint[], x: Figure): [number, number][] {
  return points(of, x, ({ first }) => floorSeconds(first.requests)).filter(([, seconds]) => seconds > 0);
}
