import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Choices } from "../../contract/index.ts";
import { NameField } from "../parts/configured.tsx";
import { Form } from "../parts/form.tsx";
import type { Choice } from "../parts/parameters.ts";
import { type Offers, type ParameterDraft, ParameterFields } from "../parts/parameter-fields.tsx";
import { messageOf } from "../../../../src/text.ts";

interface FormProps {
  kind: "connector" | "job";
  form: ParameterDraft;
  name: string;
  onName: (name: string) => void;
  /** Asks the tenant for what can be chosen; null while nobody is known who could be asked. */
  choices: (() => Promise<Choices>) | null;
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

const unknown = "Save it, or test an instance of this tenant, to choose from a list.";

function useOffers(ask: FormProps["choices"]): Offers {
  const [offered, setOffered] = useState<{ choices: Choices | null; error: string | null }>({
    choices: null,
    error: unknown,
  });
  useEffect(() => {
    let isCurrent = true;
    ask?.().then(
      (choices) => {
        if (isCurrent) setOffered({ choices, error: null });
      },
      (error: unknown) => {
        if (isCurrent) setOffered({ choices: null, error: messageOf(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [ask]);
  const { choices, error } = offered;
  return {
    "Selected Environments": { choices: environmentChoices(choices?.environments ?? []), error },
    "Selected Finding Types": { choices: (choices?.findingTypes ?? []).map((value) => ({ value })), error },
  };
}

/** By name where that is the only one of its name, else by id. */
function environmentChoices(environments: Choices["environments"]): Choice[] {
  return environments.map(({ id, name, type }) => {
    const isOnly = environments.filter((other) => other.name.toLowerCase() === name.toLowerCase()).length === 1;
    const aliases = [id.toLowerCase(), ...(isOnly ? [name.toLowerCase()] : [])];
    return { value: isOnly ? name : id, note: isOnly ? type : `${name}, ${type}`, aliases };
  });
}
