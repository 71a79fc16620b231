import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { counted, integer, visible } from "../../../../widgets/shared/text.ts";
import type { RequestTrace } from "../../contract/index.ts";
import { bytes } from "../format.ts";
import { usePart } from "../paged.ts";
import { Badge } from "./badge.tsx";
import { Button } from "./button.tsx";
import { type Place, RequestPanel } from "./request-panel.tsx";
import { Empty, Notice } from "./states.tsx";
import { More } from "./table.tsx";
import { type Bars, isProblem, totalsOf, type Waterfall, waterfallOf } from "./waterfall-scale.ts";
import { durationText } from "../../../../src/text.ts";

const STEP = 150;

/** The requests of a run in the order in which they were made, each with the time that it took. */
export function RequestWaterfall({
  runId,
  server,
  requests,
  left,
  runMs,
}: {
  runId: string;
  /** Address of the service; empty when it is not known. */
  server: string;
  requests: readonly RequestTrace[];
  /** How many more the run made, which were not kept. */
  left: number;
  runMs: number;
}): JSX.Element {
  const [onlyProblems, setOnlyProblems] = useState(false);
  const scale = useMemo(() => waterfallOf(requests, runMs), [requests, runMs]);
  const totals = useMemo(() => totalsOf(requests), [requests]);
  const all = requests
    .map((request, index) => ({ request, index }))
    .filter(({ request }) => !onlyProblems || isProblem(request));
  const shown = usePart(all, STEP);
  if (requests.length === 0)
    return (
      <Empty title="No requests.">This run has sent nothing to the service, or its requests were not recorded.</Empty>
    );
  return (
    <div class="waterfall-box">
      <div class="waterfall-head">
        <p class="waterfall-totals">
          <span>{counted(totals.count, "request")}</span>
          <span>{bytes(totals.bytes)}</span>
          <span>slowest {durationText(totals.slowestMs)}</span>
          <span title="The plugin keeps to the rate limit of the service. Requests wait side by side, so this sum can be longer than the run.">
            requests waited {durationText(totals.waitedMs)} for the rate limit, all together
          </span>
        </p>
        <ul class="graph-legend" aria-label="Legend">
          <li>
            <span class="wait-swatch" /> Waiting for the rate limit
          </li>
          <li>
            <span class="answer-swatch" /> Request and response
          </li>
        </ul>
        {totals.problems > 0 && (
          <Button
            size="small"
            pressed={onlyProblems}
            onPress={() => {
              setOnlyProblems(!onlyProblems);
            }}
          >
            Failed only ({totals.problems})
          </Button>
        )}
      </div>
      {left > 0 && (
        <Notice>
          The first {counted(requests.length, "request")} of {integer(requests.length + left)} are shown. The other{" "}
          {integer(left)} were not kept.
        </Notice>
      )}
      <div class="waterfall" role="table" aria-label="Requests">
        <div role="row" class="waterfall-row waterfall-titles">
          <span role="columnheader">Request</span>
          <span role="columnheader">Status</span>
          <span role="columnheader" class="end">
            Size
          </span>
          <span role="columnheader" class="end">
            Time
          </span>
          <span role="columnheader">
            <span class="unseen">Course</span>
            <Ticks scale={scale} />
          </span>
        </div>
        {shown.rows.map(({ request, index }) => (
          <Request key={index} request={request} bars={scale.bars[index]} at={{ runId, server, position: index }} />
        ))}
      </div>
      {all.length > STEP && <More of={shown} what="requests" />}
    </div>
  );
}

function Ticks({ scale }: { scale: Waterfall }): JSX.Element {
  return (
    <svg class="ticks" width="100%" height="14" aria-hidden="true">
      {scale.ticks.map((at) => (
        <text key={at} x={`${(at / scale.span) * 100}%`} y="11" class={at / scale.span > 0.9 ? "last" : ""}>
          {at === 0 ? "0" : durationText(at)}
        </text>
      ))}
    </svg>
  );
}

function Request({ request, bars, at }: { request: RequestTrace; bars: Bars | undefined; at: Place }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { method, path, query, sentAt, endedAt, bytes: size } = request;
  return (
    <>
      <div role="row" class={`waterfall-row${isProblem(request) ? " wrong" : ""}`}>
        <span role="cell" class="waterfall-name">
          <button
            type="button"
            aria-expanded={isOpen}
            title={visible(query === "" ? path : `${path}?${query}`)}
            onClick={() => {
              setOpen(!isOpen);
            }}
          >
            <span class="method">{method}</span> <span class="address">{visible(path)}</span>
            {query !== "" && <span class="muted">?{visible(query)}</span>}
          </button>
        </span>
        <span role="cell">
          <Status request={request} />
        </span>
        <span role="cell" class="end number">
          {size === null ? "–" : bytes(size)}
        </span>
        <span role="cell" class="end number">
          {durationText(endedAt - sentAt)}
        </span>
        <span role="cell" class="waterfall-bar">
          {bars !== undefined && <Bar bars={bars} request={request} />}
        </span>
      </div>
      {isOpen && <RequestPanel request={request} at={at} />}
    </>
  );
}

function Status({ request: { status, error } }: { request: RequestTrace }): JSX.Element {
  if (status === null) return <Badge look="danger">{error === null ? "No answer" : "Failed"}</Badge>;
  return <Badge look={status >= 500 || status === 401 ? "danger" : status >= 400 ? "warning" : "good"}>{status}</Badge>;
}

function Bar({ bars, request }: { bars: Bars; request: RequestTrace }): JSX.Element {
  const text = `Queued at ${durationText(request.queuedAt)}, sent at ${durationText(request.sentAt)}, ended at ${durationText(request.endedAt)}`;
  return (
    <svg width="100%" height="14" role="img" aria-label={text}>
      <title>{text}</title>
      <rect class="wait" x={`${bars.wait.start}%`} width={`${bars.wait.width}%`} y="4" height="6" />
      <rect class="answer" x={`${bars.answer.start}%`} width={`${bars.answer.width}%`} y="1" height="12" rx="2" />
    </svg>
  );
}
