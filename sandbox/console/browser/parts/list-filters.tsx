import type { JSX } from "preact";
import { SEVERITIES, type Severity } from "../../../../src/runtime/protocol.ts";
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

/** What was given: without the names whose value is null, undefined or empty. */
export function given<T extends object>(values: { [K in keyof T]: T[K] | null | undefined }): T {
  const entries = Object.entries(values).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return Object.fromEntries(entries) as T;
}

/** One of the values that are known; null for any other text. */
export function oneOf<T extends string>(text: string | null, known: readonly T[]): T | null {
  return known.find((value) => value === text) ?? null;
}
