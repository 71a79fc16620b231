import { nameOf } from "../paths/path-sentences.ts";
import { counted, grouped, named } from "../../text.ts";
import type { FoundCuts } from "./find-cuts.ts";
import type { OpenFindings } from "./open-findings.ts";
import type { CutCounts, Cuts } from "./rank-cuts.ts";

/** A comment of a case names no more edges, and no more objects, than this. */
const MOST_LINES = 5;

/** "at most 31 of 47 findings" */
export function closesText({ closes }: CutCounts, { findings }: Pick<Cuts, "findings">): string {
  return `at most ${grouped(closes)} of ${counted(findings, "finding")}`;
}

/** What the numbers do not cover, as sentences. */
export function boundSentences({ findings, unknown }: Cuts): string[] {
  return [
    ...(findings > 0
      ? ["At most, because the service lists shortest paths only: a longer detour may keep a finding open."]
      : []),
    ...(unknown > 0 ? [`Not counted: ${counted(unknown, "finding")}, of which the path is not known.`] : []),
  ];
}

/** Which findings the ranking has nothing to say about, as sentences. */
export function limitSentences(
  { closed, ofItself, notAsked }: Pick<FoundCuts, "closed" | "ofItself" | "notAsked">,
  { withoutPath, accepted, isCut }: Pick<OpenFindings, "withoutPath" | "accepted" | "isCut">,
): string[] {
  const pathless = withoutPath + ofItself;
  return [
    ...(notAsked > 0
      ? [
          `Not looked at: ${counted(notAsked, "finding")}, because the rate limit was reached or the run ended. Try again later.`,
        ]
      : []),
    ...(closed > 0 ? [`No path is left: ${counted(closed, "finding")}.`] : []),
    ...(pathless > 0 ? [`No path to cut: ${counted(pathless, "finding")} of a single object.`] : []),
    ...(accepted > 0 ? [`Accepted and left out: ${counted(accepted, "finding")}.`] : []),
    ...(isCut ? ["There are more findings than were read."] : []),
  ];
}

/** The best cuts for a comment of a case; empty when there is nothing to cut. */
export function cutReport(cuts: Cuts): string {
  const { edges, objects } = cuts;
  if (edges.length === 0) return "";
  const lines = [
    ...edges
      .slice(0, MOST_LINES)
      .map(
        (cut) =>
          `- ${nameOf(cut.edge.from)} -${named(cut.edge.relation)}-> ${nameOf(cut.edge.to)} closes ${closesText(cut, cuts)}`,
      ),
    ...objects.slice(0, MOST_LINES).map((cut) => `- The object ${nameOf(cut.object)} closes ${closesText(cut, cuts)}`),
  ];
  return ["Where to cut:", ...lines, ...boundSentences(cuts)].join("\n");
}
