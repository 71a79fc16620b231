import type { RequestTrace } from "../../contract/index.ts";

/** Where the bars of a request are, in percent of the whole run. Needs no browser. */
export interface Bars {
  /** Waiting to be sent. */
  wait: { start: number; width: number };
  /** From sending it to the last byte. */
  answer: { start: number; width: number };
}

export interface Waterfall {
  /** Milliseconds that the whole width stands for. */
  span: number;
  /** Milliseconds at which a line is drawn. */
  ticks: number[];
  bars: Bars[];
}

/** Narrower than this cannot be seen. */
const LEAST_WIDTH = 0.3;
const MOST_TICKS = 5;

/** Where each request stands in its run; the run lasts at least as long as its last request. */
export function waterfallOf(requests: readonly RequestTrace[], runMs = 0): Waterfall {
  const span = Math.max(1, runMs, ...requests.map(({ endedAt }) => endedAt));
  const percent = (ms: number) => Math.min(100, Math.max(0, (ms / span) * 100));
  const part = (from: number, to: number, least: number) => {
    const width = Math.max(least, percent(to) - percent(from));
    return { start: Math.min(percent(from), 100 - width), width };
  };
  return {
    span,
    ticks: ticksOf(span),
    bars: requests.map(({ queuedAt, sentAt, endedAt }) => ({
      wait: part(queuedAt, sentAt, 0),
      answer: part(sentAt, endedAt, LEAST_WIDTH),
    })),
  };
}

/** Round times, the smallest step of 1, 2 or 5 that gives few enough. */
function ticksOf(span: number): number[] {
  const power = 10 ** Math.floor(Math.log10(span / MOST_TICKS));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => span / size <= MOST_TICKS) ?? span;
  return Array.from({ length: Math.floor(span / step) + 1 }, (_, index) => index * step);
}

export interface RequestTotals {
  count: number;
  bytes: number;
  /** Requests without an answer, or with one that is an error. */
  problems: number;
  /** Time that requests waited to be sent, in milliseconds, all together. */
  waitedMs: number;
  slowestMs: number;
}

export function totalsOf(requests: readonly RequestTrace[]): RequestTotals {
  const sum = (value: (request: RequestTrace) => number) => requests.reduce((total, next) => total + value(next), 0);
  return {
    count: requests.length,
    bytes: sum(({ bytes }) => bytes ?? 0),
    problems: requests.filter(isProblem).length,
    waitedMs: sum(({ queuedAt, sentAt }) => Math.max(0, sentAt - queuedAt)),
    slowestMs: Math.max(0, ...requests.map(({ sentAt, endedAt }) => endedAt - sentAt)),
  };
}

export function isProblem({ status, error }: RequestTrace): boolean {
  return error !== null || status === null || status >= 400;
}
