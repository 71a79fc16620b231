import type { ComponentChildren, JSX } from "preact";
import { Field, Options, type Option } from "./field.tsx";

/** Fields that are sent together. What is missing or wrong is said beside its field, not by the browser. */
export function Form(props: { class?: string; onSubmit: () => void; children: ComponentChildren }): JSX.Element {
  return (
    <form
      class={props.class ?? "form"}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        props.onSubmit();
      }}
    >
      {props.children}
    </form>
  );
}

interface FieldProps {
  label: string;
  help?: ComponentChildren;
  isRequired?: boolean;
  value: string;
}

/** A line of text. */
export function TextField(
  props: FieldProps & { inputMode?: "numeric"; spellcheck?: boolean; onInput: (text: string) => void },
): JSX.Element {
  const { value, inputMode, spellcheck, onInput, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <input
          {...control}
          type="text"
          inputMode={inputMode}
          spellcheck={spellcheck}
          value={value}
          onInput={({ currentTarget }) => {
            onInput(currentTarget.value);
          }}
        />
      )}
    </Field>
  );
}

/** One of a few values. */
export function SelectField(
  props: FieldProps & { options: readonly Option[]; onChange: (value: string) => void },
): JSX.Element {
  const { value, options, onChange, ...field } = props;
  return (
    <Field {...field}>
      {(control) => (
        <select
          {...control}
          class="select"
          value={value}
          onChange={({ currentTarget }) => {
            onChange(currentTarget.value);
          }}
        >
          <Options of={options} />
        </select>
      )}
    </Field>
  );
}
