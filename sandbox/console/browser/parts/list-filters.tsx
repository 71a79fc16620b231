import type { JSX } from "preact";
import { SEVERITIES, type Severity } from "../../../../src/runtime/protocol.ts";
import { oneOf } from "../filters.ts";
import { setQuery } from "../router.ts";
import { capitalised } from "./badge.tsx";
import { Button } from "./button.tsx";
import { Select } from "./field.tsx";

/** The severity that the URL asks for. */
export function severityIn(query: URLSearchParams): Severity | null {
  return oneOf(query.get("severity"), SEVERITIES);
}

export function SeverityFilter({ value }: { value: Severity | null }): JSX.Element {
  return (
    <Select
      label="Severity"
      any="Any severity"
      value={value}
      options={SEVERITIES.map((severity) => ({ value: severity, text: capitalised(severity) }))}
      onChange={(severity) => {
        setQuery({ severity });
      }}
    />
  );
}

export function ClearFilters({
  names,
  text = "Clear filters",
}: {
  names: readonly string[];
  text?: string;
}): JSX.Element {
  return (
    <Button
      size="small"
      icon="close"
      onPress={() => {
        setQuery(Object.fromEntries(names.map((name) => [name, null])));
      }}
    >
      {text}
    </Button>
  );
}
