import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TenantView } from "../../contract/index.ts";
import { Button } from "../parts/button.tsx";
import { Form, TextField } from "../parts/form.tsx";
import { Section } from "../parts/layout.tsx";
import type { Perform } from "../pages/tenant.tsx";
import { durationText } from "../../../../src/text.ts";

const HOUR = 3_600_000;
const jumps = [
  { text: "1 h back", ms: -HOUR },
  { text: "As this machine", ms: 0 },
  { text: "1 h ahead", ms: HOUR },
  { text: "1 day ahead", ms: 24 * HOUR },
] as const;

const leaps = [
  { text: "1 hour", ms: HOUR },
  { text: "1 day", ms: 24 * HOUR },
  { text: "1 week", ms: 7 * 24 * HOUR },
] as const;

/** How slow the tenant is, and what time it takes it to be. */
export function TimePanel({ tenant, perform }: { tenant: TenantView; perform: Perform }): JSX.Element {
  const [latency, setLatency] = useState(String(tenant.latencyMs));
  const { clockAheadMs, passedMs } = tenant;
  return (
    <Section title="Time">
      <div class="form">
        <Form
          class="with-unit end-aligned"
          onSubmit={() => {
            void perform({
              do: "set_latency",
              milliseconds: Math.min(60_000, Math.max(0, Number.parseInt(latency, 10) || 0)),
            });
          }}
        >
          <TextField
            label="Latency in ms"
            isRequired
            help={`Now ${durationText(tenant.latencyMs)} for each response.`}
            inputMode="numeric"
            value={latency}
            onInput={setLatency}
          />
          <Button submit>Set latency</Button>
        </Form>
        <div class="field" role="group" aria-label="Clock">
          <p class="field-label">Clock</p>
          <p>{clockText(clockAheadMs)}</p>
          <div class="actions">
            {jumps.map(({ text, ms }) => (
              <Button
                key={text}
                size="small"
                pressed={clockAheadMs === ms}
                onPress={() => void perform({ do: "move_clock", aheadMs: ms })}
              >
                {text}
              </Button>
            ))}
          </div>
          <p class="field-help">The service refuses requests that are signed more than one hour from its own time.</p>
        </div>
        <div class="field" role="group" aria-label="Let time pass">
          <p class="field-label">Let time pass</p>
          <p>Skipped so far: {passedMs === 0 ? "nothing" : durationText(passedMs)}.</p>
          <div class="actions">
            {leaps.map(({ text, ms }) => (
              <Button key={text} size="small" onPress={() => void perform({ do: "pass_time", milliseconds: ms })}>
                {text}
              </Button>
            ))}
          </div>
          <p class="field-help">
            The service and this host are later then. A finding is gone after two analyses, at least 24 hours apart.
          </p>
        </div>
      </div>
    </Section>
  );
}

function clockText(aheadMs: number): string {
  if (aheadMs === 0) return "The same as on this machine.";
  return `${durationText(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"} this machine.`;
}
