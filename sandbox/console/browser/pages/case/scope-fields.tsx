import type { JSX } from "preact";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { AlertFinding, AlertFindings, AlertRow, FindingEnd } from "../../../contract/index.ts";
import { SelectField } from "../../parts/form.tsx";
import type { Scope } from "./scope.ts";

interface ScopeFieldsProps {
  alerts: readonly AlertRow[];
  /** Which alerts of the case are not among them. */
  alertsCut: string | undefined;
  known: AlertFindings;
  objects: readonly FindingEnd[];
  scope: Scope;
  /** Whether the action asks about two ends; else about objects. */
  hasEnds: boolean;
  onAlert: (key: number) => void;
  onScope: (scope: Scope) => void;
}

/** What an action is run on: an alert, its findings, and the objects at their ends. */
export function ScopeFields(props: ScopeFieldsProps): JSX.Element {
  const { alerts, known, objects, scope, hasEnds, onScope } = props;
  const { findings, left } = known;
  const choices = (all: string) => [
    { value: "", text: all },
    ...objects.map(({ id, name }) => ({ value: id, text: visible(name) })),
  ];
  return (
    <>
      <SelectField
        label="Alert"
        isRequired
        help={props.alertsCut}
        value={String(known.alertKey)}
        options={alerts.map(({ key, title, severity }) => ({
          value: String(key),
          text: `${visible(title)} (${severity})`,
        }))}
        onChange={(key) => {
          props.onAlert(Number(key));
        }}
      />
      <SelectField
        label="Findings"
        isRequired
        help={left > 0 ? `The worst ${findings.length} are listed; ${left} more belong to the alert.` : undefined}
        value={scope.finding === null ? "" : String(scope.finding)}
        options={[
          { value: "", text: `All findings of the alert (${findings.length + left})` },
          ...findings.map((finding) => ({ value: String(finding.position), text: findingText(finding) })),
        ]}
        onChange={(position) => {
          onScope({ finding: position === "" ? null : Number(position), start: null, end: null });
        }}
      />
      <div class="ends">
        <SelectField
          label={hasEnds ? "Start" : "Object"}
          isRequired
          value={scope.start ?? ""}
          options={choices(hasEnds ? "Start of each finding" : "All objects of the findings")}
          onChange={(start) => {
            onScope({ ...scope, start: start === "" ? null : start });
          }}
        />
        {hasEnds && (
          <SelectField
            label="End"
            isRequired
            value={scope.end ?? ""}
            options={choices("End of each finding")}
            onChange={(end) => {
              onScope({ ...scope, end: end === "" ? null : end });
            }}
          />
        )}
      </div>
    </>
  );
}

function findingText({ source, target, title, severity }: AlertFinding): string {
  const ends = [source, target].filter((end) => end !== null).map(({ name }) => visible(name));
  return `${ends.length === 0 ? visible(title) : ends.join(" → ")} (${severity})`;
}
