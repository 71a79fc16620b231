import { Argument, type Command } from "commander";
import { type Cli, describeCommand, handled } from "../command.ts";

const completion = (cli: Cli, others: () => Promise<readonly Command[]>) => {
  const command = describeCommand("completion", "Write a script that makes your shell complete commands and options.", [
    "completion bash >> ~/.bashrc",
    "completion zsh >> ~/.zshrc",
    "completion fish > ~/.config/fish/completions/attack-path-analysis.fish",
  ]).addArgument(new Argument("<shell>", "the shell that runs the script").choices(["bash", "zsh", "fish"]));
  return handled(cli, command, async () => (await import("../handlers/completion.ts")).completionOf(others));
};
export default completion;
