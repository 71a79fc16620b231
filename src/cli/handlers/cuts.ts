import { boundSentences, closesText, limitSentences } from "../../investigation/cuts/cut-sentences.ts";
import { findCuts, type FoundCuts, MOST_PAIRS } from "../../investigation/cuts/find-cuts.ts";
import { type OpenFindings, readOpenFindings } from "../../investigation/cuts/open-findings.ts";
import { titleOf } from "../../investigation/paths/path-entry.ts";
import { counted } from "../../text.ts";
import { chooseEnvironment } from "../choose-environments.ts";
import { uncollectedNote } from "../list-end.ts";
import { ExitCode } from "../exit-codes.ts";
import { type Column, type Row, writeRows } from "../rows.ts";
import { serviceHandler } from "../session.ts";

interface Options {
  environment: string;
  objects?: true;
  limit: number;
  pairs?: number;
  json?: true;
}

const closes: Column = { key: "closes", title: "Closes" };
const edgeColumns: readonly Column[] = [
  closes,
  { key: "from", title: "From", narrowest: 16 },
  { key: "relation", title: "Relation" },
  { key: "to", title: "To", narrowest: 16 },
];
const objectColumns: readonly Column[] = [
  closes,
  { key: "object", title: "Object", narrowest: 16 },
  { key: "kind", title: "Kind" },
];

export const cuts = serviceHandler(async (cli, service, command, log) => {
  cli.output.refuseClosed();
  const { environment: name, objects = false, limit, pairs = MOST_PAIRS, json = false } = command.opts<Options>();
  const { id, collected } = await chooseEnvironment(service, name);
  const read = await readOpenFindings(service, id, (text) => {
    cli.output.progress(text);
  });
  const found = await findCuts(service, read.findings, log, {
    mostPairs: pairs,
    progress: (done, all) => {
      cli.output.progress(`Asking for paths: ${done} of ${all}`);
    },
  });
  refuseNothing(found, read);
  const places = objects ? objectPlaces(found) : edgePlaces(found);
  const shown = places.slice(0, limit);
  if (json) for (const place of shown) await cli.output.write(`${JSON.stringify(place.json)}\n`);
  else {
    const rows = shown.map(({ row }) => row);
    await writeRows(cli.output, { format: "table", columns: objects ? objectColumns : edgeColumns }, rows);
  }
  if (found.findings === 0) cli.output.note(`${name} has no open findings whose paths could be cut.`);
  for (const sentence of [...boundSentences(found), ...limits(found, read, places.length - shown.length)])
    cli.output.note(sentence);
  for (const { name: part, error } of read.unread) cli.output.error(`Incomplete: ${part}. ${error.message}`);
  if (collected === false) cli.output.note(uncollectedNote([name]));
  if (collected === false || isPartial(found, read)) return ExitCode.partial;
  return places.length > 0 ? ExitCode.yes : ExitCode.no;
});

function isPartial({ unknown, leftOut, notAsked }: FoundCuts, { unread, isCut }: OpenFindings): boolean {
  return unknown + leftOut + notAsked + unread.length > 0 || isCut;
}

/** @throws ServiceError when nothing could be read, or no path be asked for */
function refuseNothing({ cause }: FoundCuts, { findings, unread: [unread] }: OpenFindings): void {
  if (cause !== null) throw cause;
  if (findings.length === 0 && unread !== undefined) throw unread.error;
}

/** A place to cut, for programs and for the table. */
interface Place {
  json: object;
  row: Row;
}

function edgePlaces(found: FoundCuts): Place[] {
  return found.edges.map(({ edge, ...counts }) => ({
    json: { edge, ...counts, bound: "at most", of: found.findings },
    row: {
      closes: closesText(counts, found),
      from: titleOf(edge.from),
      relation: edge.relation,
      to: titleOf(edge.to),
    },
  }));
}

function objectPlaces(found: FoundCuts): Place[] {
  return found.objects.map(({ object, ...counts }) => ({
    json: { object, ...counts, bound: "at most", of: found.findings },
    row: { closes: closesText(counts, found), object: titleOf(object), kind: object.kind },
  }));
}

/** What the numbers leave out, one sentence each. */
function limits(found: FoundCuts, read: OpenFindings, hidden: number): string[] {
  return [
    ...(hidden > 0 ? [`There are ${hidden} more than the --limit.`] : []),
    ...(found.leftOut > 0
      ? [`Not looked at: ${counted(found.leftOut, "finding")} of less severe pairs. Raise --pairs to ask about more.`]
      : []),
    ...limitSentences(found, read),
  ];
}
