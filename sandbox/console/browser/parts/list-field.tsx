import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import { Foreign } from "./badge.tsx";
import { Icon } from "./icon.tsx";
import { type Choice, isChosen, listEntries, listText, takesAll, toggled } from "./parameters.ts";

interface ListFieldProps {
  label: string;
  help: string;
  /** The list as it goes to the server. */
  text: string;
  offer: { choices: readonly Choice[]; note: string | null };
  error: string | null;
  onChange: (text: string) => void;
}

/** Everything, or what is ticked of what is offered. An entry that nobody offers stays and says so. */
export function ListField({ label, help, text, offer, error, onChange }: ListFieldProps): JSX.Element {
  const name = useId();
  const isAll = takesAll(text) || text === "";
  return (
    <fieldset class={error === null ? "field" : "field wrong"}>
      <legend>
        {label}
        <span class="optional"> optional</span>
      </legend>
      <div class="row">
        <label class="option">
          <input
            type="radio"
            name={name}
            checked={isAll}
            onChange={() => {
              onChange("All");
            }}
          />
          All
        </label>
        <label class="option">
          <input
            type="radio"
            name={name}
            checked={!isAll}
            onChange={() => {
              onChange(listText([]));
            }}
          />
          Only these
        </label>
      </div>
      {!isAll && <Some label={label} text={text} offer={offer} onChange={onChange} />}
      {error !== null && (
        <p class="field-error">
          <Icon name="warning" size={14} />
          {error}
        </p>
      )}
      <p class="field-help">{help}</p>
    </fieldset>
  );
}

type SomeProps = Pick<ListFieldProps, "label" | "text" | "offer" | "onChange">;

function Some({ label, text, offer, onChange }: SomeProps): JSX.Element {
  const [filter, setFilter] = useState("");
  const [isTyping, setTyping] = useState(false);
  const { choices, note } = offer;
  const strangers = listEntries(text).filter((entry) => !choices.some((choice) => isChosen(listText([entry]), choice)));
  const all: Choice[] = [...choices, ...strangers.map((value) => ({ value, note: "not offered by the tenant" }))];
  const shown = all.filter(({ value }) => value.toLowerCase().includes(filter.toLowerCase()));
  // The values may come while a person types.
  if (choices.length === 0 || isTyping)
    return <Typed label={label} text={text} note={note} onChange={onChange} onFocus={setTyping} />;
  return (
    <>
      {choices.length > 8 && (
        <input
          type="search"
          aria-label={`Filter ${label}`}
          placeholder={`Filter ${choices.length} values`}
          value={filter}
          onInput={({ currentTarget }) => {
            setFilter(currentTarget.value);
          }}
        />
      )}
      <div class="options" role="group" aria-label={label}>
        {shown.map((choice) => (
          <label key={choice.value} class="option">
            <input
              type="checkbox"
              checked={isChosen(text, choice)}
              onChange={({ currentTarget }) => {
                onChange(toggled(text, choice, currentTarget.checked));
              }}
            />
            <span>
              <Foreign text={choice.value} />
              {choice.note !== undefined && <span class="muted"> {choice.note}</span>}
            </span>
          </label>
        ))}
        {shown.length === 0 && <p class="muted">Nothing matches the filter.</p>}
      </div>
      <p class="small muted" role="status">
        {listEntries(text).length} selected
      </p>
    </>
  );
}

function Typed(props: {
  label: string;
  text: string;
  note: string | null;
  onChange: (text: string) => void;
  onFocus: (hasFocus: boolean) => void;
}): JSX.Element {
  return (
    <>
      <input
        type="text"
        aria-label={props.label}
        spellcheck={false}
        value={props.text}
        onFocus={() => {
          props.onFocus(true);
        }}
        onBlur={() => {
          props.onFocus(false);
        }}
        onInput={({ currentTarget }) => {
          props.onChange(currentTarget.value);
        }}
      />
      {props.note !== null && <p class="small muted">{visible(props.note)}</p>}
    </>
  );
}
