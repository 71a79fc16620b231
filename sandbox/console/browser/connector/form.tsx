import type { JSX } from "preact";
import type { Choices } from "../../contract/index.ts";
import { NameField } from "../parts/configured.tsx";
import { Form } from "../parts/form.tsx";
import type { Choice } from "../parts/parameters.ts";
import { type Offers, type ParameterDraft, ParameterFields } from "../parts/parameter-fields.tsx";
import { useResource } from "../resource.ts";

interface FormProps {
  kind: "connector" | "job";
  form: ParameterDraft;
  name: string;
  onName: (name: string) => void;
  /** Asks the tenant for what can be chosen; null while nobody is known who could be asked. */
  choices: ((signal: AbortSignal) => Promise<Choices>) | null;
  onSubmit: () => void;
}

/** The fields of a connector or a job. Environments and finding types are offered from the tenant. */
export function ConnectorForm({ kind, form, name, onName, choices, onSubmit }: FormProps): JSX.Element {
  const offers = useOffers(choices);
  return (
    <Form onSubmit={onSubmit}>
      <NameField value={name} help={`How this ${kind} is called in the console.`} onInput={onName} />
      <ParameterFields form={form} offers={offers} />
      <button type="submit" hidden />
    </Form>
  );
}

function useOffers(ask: FormProps["choices"]): Offers {
  const { data, error } = useResource(async (signal) => (ask === null ? null : ask(signal)), [ask]);
  const note = data === null ? noteOn(ask, error) : null;
  return {
    "Selected Environments": { choices: environmentChoices(data?.environments ?? []), note },
    "Selected Finding Types": { choices: (data?.findingTypes ?? []).map((value) => ({ value })), note },
  };
}

function noteOn(ask: FormProps["choices"], error: Error | null): string {
  if (ask === null) return "Save it, or test an instance of this tenant, to choose from a list.";
  return error === null ? "Asking the tenant for its values." : `The values cannot be offered: ${error.message}`;
}

/** By name where that is the only one of its name, else by id. */
function environmentChoices(environments: Choices["environments"]): Choice[] {
  return environments.map(({ id, name, type }) => {
    const isOnly = environments.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1;
    const aliases = [id.toLowerCase(), ...(isOnly ? [name.toLowerCase()] : [])];
    return { value: isOnly ? name : id, note: isOnly ? type : `${name}, ${type}`, aliases };
  });
}
