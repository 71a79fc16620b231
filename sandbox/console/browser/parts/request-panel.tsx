import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import { durationText } from "../../../../src/text.ts";
import type { RequestDetails, RequestTrace } from "../../contract/index.ts";
import { call } from "../api.ts";
import { bytes } from "../format.ts";
import { useResource } from "../resource.ts";
import { CopyButton } from "./copy.tsx";
import { Facts } from "./layout.tsx";
import { Loaded } from "./states.tsx";

/** Where a request stands. */
export interface Place {
  runId: string;
  server: string;
  position: number;
}

/** A request with its full address, its times, and headers and body of both sides. */
export function RequestPanel({ request, at }: { request: RequestTrace; at: Place }): JSX.Element {
  const { method, path, query, queuedAt, sentAt, endedAt, error } = request;
  const { runId, server, position } = at;
  const target = query === "" ? path : `${path}?${query}`;
  const address = `${server.replace(/\/+$/, "")}${target}`;
  const details = useResource(
    (signal) => call("GET /runs/:id/requests/:position", { path: { id: runId, position: String(position) }, signal }),
    [runId, position],
  );
  return (
    <div role="row" class="waterfall-details">
      <div role="cell">
        <p class="row">
          <code class="foreign">
            {method} {visible(address)}
          </code>
          <CopyButton text={address} what="address" />
        </p>
        {error !== null && <p class="danger-text foreign">{visible(error)}</p>}
        <Facts
          of={[
            ["Queued", `${durationText(queuedAt)} after the start`],
            ["Waited for the rate limit", durationText(sentAt - queuedAt)],
            ["Request and response", durationText(endedAt - sentAt)],
          ]}
        />
        <Loaded of={details} what="Loading the request" lines={3}>
          {(sides) => <Sides sides={sides} request={request} />}
        </Loaded>
      </div>
    </div>
  );
}

function Sides({ sides: { sent, received }, request }: { sides: RequestDetails; request: RequestTrace }): JSX.Element {
  if (sent === null && received === null) return <p class="muted">The package did not report headers and body.</p>;
  return (
    <div class="request-sides">
      <section aria-label="Request">
        <h3>Request</h3>
        <Headers of={sent?.headers ?? {}} />
        <p class="muted">No body.</p>
      </section>
      <section aria-label="Response">
        <h3>Response{request.status === null ? "" : `, status ${request.status}`}</h3>
        {received === null ? (
          <p class="muted">There was none.</p>
        ) : (
          <>
            <Headers of={received.headers} />
            <Body text={received.body} whole={request.bytes} />
          </>
        )}
      </section>
    </div>
  );
}

function Headers({ of }: { of: Readonly<Record<string, string>> }): JSX.Element {
  return (
    <dl class="headers">
      {Object.entries(of).map(([name, value]) => (
        <div key={name}>
          <dt class="foreign">{visible(name)}</dt>
          <dd class="foreign mono">{visible(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Body({ text, whole }: { text: string; whole: number | null }): JSX.Element {
  if (text === "") return <p class="muted">No body.</p>;
  const isCut = whole !== null && new TextEncoder().encode(text).length < whole;
  return (
    <>
      <pre class="body foreign" tabIndex={0} aria-label="Body of the response">
        {text.split("\n").map(visible).join("\n")}
      </pre>
      {isCut && <p class="muted">This is the beginning of {bytes(whole)}.</p>}
    </>
  );
}
