import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { FaultName, InjectedFault } from "../../contract/index.ts";
import { Button } from "../parts/button.tsx";
import { Form, SelectField, TextField } from "../parts/form.tsx";
import { Section } from "../parts/layout.tsx";
import type { Perform } from "../pages/tenant.tsx";

const names: Readonly<Record<FaultName, string>> = {
  rate_limit: "Rate limit reached (429)",
  hang: "Never responds",
  server_error: "Internal error (500)",
  wrong_key: "Rejects the key (401)",
  dropped: "Drops the connection",
  not_json: "Responds with HTML",
  empty_page: "Sends an empty page",
};

/** Has the tenant misbehave as services really do. */
export function FaultPanel({ faults, perform }: { faults: readonly InjectedFault[]; perform: Perform }): JSX.Element {
  const [name, setName] = useState<FaultName>("rate_limit");
  const [path, setPath] = useState("");
  const [times, setTimes] = useState("1");
  return (
    <Section
      title="Faults"
      actions={
        faults.length > 0 && (
          <Button size="small" onPress={() => void perform({ do: "clear_faults" })}>
            Clear all
          </Button>
        )
      }
    >
      <Form
        onSubmit={() => {
          const count = /^\d+$/.test(times.trim()) ? Number(times) : null;
          void perform({ do: "inject", fault: { name, path: path.trim(), times: count } });
        }}
      >
        <div class="field-row">
          <SelectField
            label="What it does"
            isRequired
            value={name}
            options={Object.entries(names).map(([value, text]) => ({ value, text }))}
            onChange={(value) => {
              setName(value as FaultName);
            }}
          />
          <TextField
            label="Requests"
            help="Empty: until cleared."
            inputMode="numeric"
            value={times}
            onInput={setTimes}
          />
        </div>
        <TextField
          label="Path contains"
          help="Such as details or available-types. Empty: every request."
          spellcheck={false}
          value={path}
          onInput={setPath}
        />
        <div class="actions">
          <Button submit icon="bolt">
            Inject
          </Button>
        </div>
      </Form>
      {faults.length > 0 && (
        <ul class="bullets">
          {faults.map((fault, index) => (
            <li key={index}>
              {names[fault.name]}
              {fault.path === "" ? "" : ` at ${fault.path}`}
              {fault.times === null ? ", until cleared" : `, ${fault.times} more`}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
