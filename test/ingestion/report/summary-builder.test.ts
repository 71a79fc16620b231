import { describe, expect, it } from "@jest/globals";
import { newFinding } from "../../../src/ingestion/new-finding.ts";
import type { TypesItem } from "../../../src/ingestion/poll-items.ts";
import type { Batch } from "../../../src/ingestion/read-stream.ts";
import { isComplete } from "../../../src/ingestion/report/run-summary.ts";
import { SummaryBuilder } from "../../../src/ingestion/report/summary-builder.ts";
import type { Stream } from "../../../src/ingestion/scope.ts";
import { RateLimitedError, ServerError } from "../../../src/service/errors/errors.ts";
import { streamOf } from "../../support/streams.ts";

const fault = new ServerError("down", { whoActs: "service" });
const NO_DESCRIPTION = { title: "", short_description: "", short_remediation: "", long_remediation: "" };

function environment(id: string, selected: string[], unreadable = 0): TypesItem {
  return { kind: "types", environment: { id }, offered: selected, selected, unlisted: [], unreadable };
}

function batch(stream: Stream, count: number, changed: Partial<Batch> = {}): Batch {
  const findings = Array.from({ length: count }, (_, i) => newFinding({ id: i }));
  return {
    stream,
    findings,
    invalidValues: [],
    memory: {},
    complete: true,
    leftOut: new Map(),
    listed: count,
    hasFindings: count > 0,
    memoryCut: null,
    idsReused: false,
    ...changed,
  };
}

const news = (stream: Stream, count: number, changed: Partial<Batch> = {}) =>
  ({ ...batch(stream, count, changed), kind: "news", reason: "environment", description: NO_DESCRIPTION }) as const;
const noNews = (stream: Stream, changed: Partial<Batch> = {}) =>
  ({ ...batch(stream, 0, changed), kind: "no_news", reason: "environment" }) as const;

function outcomes(summary: SummaryBuilder): Record<string, string> {
  const reports = [...summary.environments.values()].flatMap(({ environment: { id }, outcome, streams }) => [
    [id, outcome] as const,
    ...[...streams.values()].map((report) => [`${id} ${report.stream.findingType}`, report.outcome] as const),
  ]);
  return Object.fromEntries(reports);
}

const rateLimited = new RateLimitedError("wait", { whoActs: "service" });
const A = streamOf("S-1", "A");
const B = streamOf("S-1", "B");
const C = streamOf("S-1", "C");

describe("the summary of a run", () => {
  it("knows what became of every stream", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B", "C", "D", "E", "F"]));
    summary.add(news(A, 3));
    summary.add({ kind: "unchanged", stream: B, hasFindings: true });
    summary.add(news(C, 2, { complete: false }));
    summary.failed({ kind: "stream", stream: streamOf("S-1", "D") }, fault);
    summary.cutOff({ kind: "stream", stream: streamOf("S-1", "E") }, 1_000);
    summary.cutOff({ kind: "stream", stream: C }, 10);
    expect(outcomes(summary)).toEqual({
      "S-1": "read",
      "S-1 A": "read",
      "S-1 B": "unchanged",
      "S-1 C": "left",
      "S-1 D": "failed",
      "S-1 E": "unanswered",
      "S-1 F": "left",
    });
    expect(summary).toMatchObject({ findings: 5, alerts: 2 });
    expect(summary.progress()).toEqual({ done: 2, total: 6 });
    expect(summary.unread()).toHaveLength(4);
  });

  it("calls nothing left that was read to its end before the run was cut off", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A"]));
    summary.add(noNews(A));
    summary.cutOff({ kind: "stream", stream: A }, 5_000);
    summary.cutOff({ kind: "environment", environment: { id: "S-1" } }, 5_000);
    summary.cutOff({ kind: "tenant" }, 5_000);
    expect(outcomes(summary)).toEqual({ "S-1": "read", "S-1 A": "read" });
    expect(summary.nextStart()).toBeNull();
  });

  it("takes an environment for complete only when nothing in it is unread or unreadable", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A"]));
    const report = [...summary.environments.values()][0]!;
    expect(isComplete(report)).toBe(false);
    summary.add(noNews(A));
    expect(isComplete(report)).toBe(true);
    summary.failed({ kind: "environment", environment: { id: "S-1" } }, fault);
    expect(isComplete(report)).toBe(false);

    const odd = new SummaryBuilder(() => 1_000);
    odd.add(environment("S-1", ["A"], 1));
    odd.add(noNews(A));
    expect(isComplete([...odd.environments.values()][0]!)).toBe(false);
  });

  it("counts streams whose memory was cut, each once", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(news(A, 1, { memoryCut: "window", complete: false }));
    summary.add(news(A, 1, { memoryCut: "window" }));
    summary.add(noNews(B, { memoryCut: "ids" }));
    expect([0, 2].map((forgotten) => summary.memoryNotes(forgotten))).toEqual(
      [1, 3].map((streams) => [
        { kind: "window_cut", streams: 1 },
        { kind: "ids_cut", streams },
      ]),
    );
  });
});

describe("where the next run begins", () => {
  it("is nowhere in particular when nothing is left, also after failures", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B"]));
    summary.add(noNews(A));
    summary.failed({ kind: "stream", stream: B }, fault);
    expect(summary.nextStart()).toBeNull();
  });

  it("is the first stream that had no turn", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B", "C"]));
    summary.add(news(A, 1, { complete: false }));
    expect(summary.nextStart()).toEqual({ environmentId: "S-1", findingType: "B" });
  });

  it("is behind the first stream that was cut short when all had a turn, so that a large one keeps nobody waiting", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B"]));
    for (const stream of [A, B]) summary.add(news(stream, 1, { complete: false }));
    expect(summary.nextStart()).toEqual({ environmentId: "S-1", findingType: "B" });
    summary.add(noNews(B));
    expect(summary.nextStart()).toEqual({ environmentId: "S-1", findingType: "A" });
  });

  it("is in the next environment when only finding types before the first of this run are left in its own", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["B", "A"]));
    summary.add(environment("S-2", ["A"]));
    summary.add(news(B, 1, { complete: false }));
    const begin = { environmentId: "S-1", findingType: "B" };
    expect(summary.nextStart(begin)).toEqual({ environmentId: "S-2", findingType: "A" });
    summary.add(news(streamOf("S-2", "A"), 1, { complete: false }));
    expect(summary.nextStart(begin)).toEqual({ environmentId: "S-1", findingType: "A" });
  });

  it("is behind what the run began with, which had all of its time, as long as another one had no turn", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B"]));
    const begin = { environmentId: "S-1", findingType: "A" };
    expect(summary.nextStart(begin)).toEqual({ environmentId: "S-1", findingType: "B" });
    summary.add(noNews(B));
    expect(summary.nextStart(begin)).toEqual(begin);
  });

  it("is what the rate limit refused on the way, and behind it where the run had come round to it", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B", "C"]));
    for (const stream of [B, C]) summary.add(noNews(stream));
    summary.endedBy(rateLimited, { kind: "stream", stream: A });
    const [first, second] = ["A", "B"].map((findingType) => ({ environmentId: "S-1", findingType }));
    expect(summary.nextStart()).toEqual(first);
    expect(summary.nextStart(first)).toEqual(second);
  });

  it("is an environment that could not be listed in time", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A"]));
    summary.add(noNews(A));
    summary.cutOff({ kind: "environment", environment: { id: "S-2" } }, 0);
    expect(summary.nextStart()).toEqual({ environmentId: "S-2" });
  });

  it("is at what did not answer in time only when nothing else is left", () => {
    const summary = new SummaryBuilder(() => 1_000);
    summary.add(environment("S-1", ["A", "B", "C"]));
    summary.add(noNews(A));
    summary.cutOff({ kind: "stream", stream: B }, 5_000);
    expect(summary.nextStart()).toEqual({ environmentId: "S-1", findingType: "C" });
    summary.add(noNews(C));
    expect(summary.nextStart()).toEqual({ environmentId: "S-1", findingType: "B" });
  });
});
