import { type Cli, describeCommand, handled } from "../command.ts";

const explain = (cli: Cli) => {
  const command = describeCommand(
    "explain",
    "Explain a kind of relationship: what it allows, and how it is abused, noticed and removed.",
    ["explain WriteDacl", "explain adcsesc1 --json | jq -r .removal", "explain"],
  )
    .addHelpText("after", "\nNeeds no credentials and asks no service.")
    .argument("[kind]", "kind of relationship, letter case ignored; default: list all kinds")
    .option("--json", "write the explanation as JSON");
  return handled(cli, command, async () => (await import("../handlers/explain.ts")).explain);
};
export default explain;
