import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Parameter } from "../../../../src/manifest/manifest.ts";
import type { JsonObject } from "../../../../src/runtime/protocol.ts";
import { ApiError } from "../api.ts";
import { type ControlProps, Field } from "./field.tsx";
import { ListField } from "./list-field.tsx";
import { type Choice, type Draft, draftOf, missingIn, valuesOf } from "./parameters.ts";

/** A form over parameters while it is filled in. */
export interface ParameterDraft {
  parameters: readonly Parameter[];
  draft: Draft;
  /** What is wrong, by label. */
  wrong: Readonly<Record<string, string>>;
  secrets: readonly string[];
  set: (name: string, value: string | boolean) => void;
  /** Many at once, such as the address of the simulated tenant. */
  fill: (values: Readonly<Record<string, string>>) => void;
  /** The values for the server; null when something is missing, which the form then says. */
  take: () => JsonObject | null;
  /** Puts the server's complaint to its field. @returns whether there is one */
  complain: (error: unknown) => boolean;
}

export function useParameters(
  parameters: readonly Parameter[],
  values: JsonObject,
  secrets: readonly string[] = [],
): ParameterDraft {
  const [draft, setDraft] = useState(() => draftOf(parameters, values));
  const [wrong, setWrong] = useState<Record<string, string>>({});
  const fill = (given: Readonly<Record<string, string | boolean>>): void => {
    const known = Object.entries(given).filter(([name]) => parameters.some((parameter) => parameter.name === name));
    setDraft((before) => ({ ...before, ...Object.fromEntries(known) }));
    setWrong((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !Object.hasOwn(given, name))));
  };
  return {
    parameters,
    draft,
    wrong,
    secrets,
    fill,
    set: (name, value) => {
      fill({ [name]: value });
    },
    take: () => {
      const found = missingIn(parameters, draft, secrets);
      setWrong(found);
      focusOn(Object.keys(found)[0]);
      return Object.keys(found).length === 0 ? valuesOf(parameters, draft) : null;
    },
    complain: (error) => {
      const name = error instanceof ApiError ? error.parameter : null;
      if (!(error instanceof ApiError) || name === null || !parameters.some((parameter) => parameter.name === name))
        return false;
      setWrong({ [name]: error.message });
      focusOn(name);
      return true;
    },
  };
}

function focusOn(name: string | undefined): void {
  if (name === undefined) return;
  const control = `[data-parameter="${CSS.escape(name)}"] :is(input, textarea, select)`;
  setTimeout(() => document.querySelector<HTMLElement>(control)?.focus());
}

/** Values that are offered for a list, by label. The note says why there are none. */
export type Offers = Readonly<Record<string, { choices: readonly Choice[]; note: string | null }>>;

/** One field per parameter of a manifest: labels, help and kinds are the manifest's own. */
export function ParameterFields({ form, offers = {} }: { form: ParameterDraft; offers?: Offers }): JSX.Element {
  return (
    <>
      {form.parameters.map((parameter) => (
        <div key={parameter.name} data-parameter={parameter.name}>
          <ParameterField parameter={parameter} form={form} offer={offers[parameter.name]} />
        </div>
      ))}
    </>
  );
}

interface FieldProps {
  parameter: Parameter;
  form: ParameterDraft;
  offer: Offers[string] | undefined;
}

function ParameterField({ parameter, form, offer }: FieldProps): JSX.Element {
  const { name, type, description, mandatory, secret } = parameter;
  const value = form.draft[name] ?? "";
  const error = form.wrong[name] ?? null;
  const set = (next: string | boolean): void => {
    form.set(name, next);
  };
  if (typeof value === "boolean") return <Tick name={name} help={description} isOn={value} onChange={set} />;
  if (type === "list" && offer !== undefined)
    return <ListField label={name} help={description} text={value} offer={offer} error={error} onChange={set} />;
  const isSet = secret && form.secrets.includes(name);
  return (
    <Field label={name} help={description} error={error} isRequired={mandatory}>
      {(control) => <Control {...{ control, parameter, value, isSet, set }} />}
    </Field>
  );
}

function Control(props: {
  control: ControlProps;
  parameter: Parameter;
  value: string;
  isSet: boolean;
  set: (value: string) => void;
}): JSX.Element {
  const { control, parameter, value, isSet, set } = props;
  const { type, secret, unit, choices } = parameter;
  if (choices !== undefined)
    return (
      <select
        {...control}
        class="select"
        value={value}
        onChange={({ currentTarget }) => {
          set(currentTarget.value);
        }}
      >
        {["", ...choices].map((choice) => (
          <option key={choice} value={choice}>
            {choice === "" ? "None" : choice}
          </option>
        ))}
      </select>
    );
  const common = {
    ...control,
    value,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement }) => {
      set(currentTarget.value);
    },
  };
  const input = secret ? (
    <input
      {...common}
      type="password"
      autocomplete="new-password"
      placeholder={isSet ? "Set. Leave empty to keep it." : undefined}
    />
  ) : (
    <input
      {...common}
      type="text"
      inputMode={type === "integer" ? "numeric" : undefined}
      autocomplete="off"
      spellcheck={false}
    />
  );
  return unit === undefined ? (
    input
  ) : (
    <div class="with-unit">
      {input}
      <span>{unit}</span>
    </div>
  );
}

function Tick(props: { name: string; help: string; isOn: boolean; onChange: (isOn: boolean) => void }): JSX.Element {
  return (
    <div class="field">
      <label class="option">
        <input
          type="checkbox"
          checked={props.isOn}
          onChange={({ currentTarget }) => {
            props.onChange(currentTarget.checked);
          }}
        />
        {props.name}
      </label>
      <p class="field-help">{props.help}</p>
    </div>
  );
}
