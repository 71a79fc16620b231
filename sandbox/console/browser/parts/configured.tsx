import type { ComponentChildren, JSX } from "preact";
import { setQuery } from "../router.ts";
import { Button, LinkButton } from "./button.tsx";
import { TextField } from "./form.tsx";
import { Empty } from "./states.tsx";

/** What people configure. */
type Kind = "instance" | "connector";

/** What people add: a job is listed among the connectors. */
type Added = Kind | "job";

/** Opens the form for a new one: `?new=…`. */
export function AddButton({ kind }: { kind: Added }): JSX.Element {
  return (
    <Button
      look={kind === "job" ? "plain" : "primary"}
      icon="plus"
      onPress={() => {
        setQuery({ new: kind });
      }}
    >
      Add {kind}
    </Button>
  );
}

/** Stands for an empty list: what to do first, or, with an integration, what one is good for. */
export function NoneConfigured({
  kind,
  hasIntegration,
  children,
}: {
  kind: Kind;
  hasIntegration: boolean;
  children: ComponentChildren;
}): JSX.Element {
  if (hasIntegration)
    return (
      <Empty icon={`${kind}s`} title={`No ${kind} yet`} actions={<AddButton kind={kind} />}>
        {children}
      </Empty>
    );
  const marketplace = (
    <LinkButton look="primary" href="/marketplace">
      Go to Marketplace
    </LinkButton>
  );
  return (
    <Empty icon="marketplace" title="No package is installed" actions={marketplace}>
      {kind === "instance" ? "An" : "A"} {kind} belongs to an integration. Install one first.
    </Empty>
  );
}

export function NameField(props: { value: string; help: string; onInput: (name: string) => void }): JSX.Element {
  return <TextField label="Name" isRequired {...props} />;
}
