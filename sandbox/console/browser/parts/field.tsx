import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import { Icon } from "./icon.tsx";

/** What connects a control with its label, help and error. */
export interface ControlProps {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": "true" | undefined;
  "aria-required": "true" | undefined;
}

/** A label, a control, its help and what is wrong with it. */
export function Field(props: {
  label: string;
  help?: ComponentChildren;
  error?: string | null;
  isRequired?: boolean;
  children: (control: ControlProps) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const error = props.error ?? null;
  const described = [props.help === undefined ? "" : `${id}-help`, error === null ? "" : `${id}-error`]
    .join(" ")
    .trim();
  return (
    <div class={error === null ? "field" : "field wrong"}>
      <label for={id}>
        {props.label}
        {props.isRequired !== true && <span class="optional"> optional</span>}
      </label>
      {props.children({
        id,
        "aria-describedby": described === "" ? undefined : described,
        "aria-invalid": error === null ? undefined : "true",
        "aria-required": props.isRequired === true ? "true" : undefined,
      })}
      {error !== null && (
        <p id={`${id}-error`} class="field-error">
          <Icon name="warning" size={14} />
          {error}
        </p>
      )}
      {props.help !== undefined && (
        <p id={`${id}-help`} class="field-help">
          {props.help}
        </p>
      )}
    </div>
  );
}

/** Narrows a list while one types. */
export function SearchField(props: { label: string; value: string; onInput: (text: string) => void }): JSX.Element {
  return (
    <div class="search" role="search">
      <Icon name="search" size={14} />
      <input
        type="search"
        aria-label={props.label}
        placeholder={props.label}
        value={props.value}
        onInput={({ currentTarget }) => {
          props.onInput(currentTarget.value);
        }}
      />
    </div>
  );
}

export interface Option {
  value: string;
  text: string;
}

export function Options({ of }: { of: readonly Option[] }): JSX.Element {
  return (
    <>
      {of.map(({ value, text }) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </>
  );
}

/** One of a few values; null stands for any. The chosen one is offered even if it is none of the options, because a long list is cut. */
export function Select(props: {
  label: string;
  value: string | null;
  /** What stands there when none is chosen; without it, one is always chosen. */
  any?: string;
  options: readonly Option[];
  onChange: (value: string | null) => void;
}): JSX.Element {
  return (
    <select
      class="select"
      aria-label={props.label}
      value={props.value ?? ""}
      onChange={({ currentTarget }) => {
        props.onChange(currentTarget.value === "" ? null : currentTarget.value);
      }}
    >
      {props.any !== undefined && <option value="">{props.any}</option>}
      <Options of={props.options} />
      {props.value !== null && !props.options.some(({ value }) => value === props.value) && (
        <option value={props.value}>{visible(props.value)}</option>
      )}
    </select>
  );
}

export function Switch(props: {
  label: ComponentChildren;
  isOn: boolean;
  isBusy?: boolean;
  onChange: (isOn: boolean) => void;
}): JSX.Element {
  return (
    <button
      type="button"
      role="switch"
      class="switch"
      aria-checked={props.isOn}
      aria-disabled={props.isBusy === true ? "true" : undefined}
      onClick={() => {
        if (props.isBusy !== true) props.onChange(!props.isOn);
      }}
    >
      <span class="switch-track" aria-hidden="true" />
      <span>{props.label}</span>
    </button>
  );
}
