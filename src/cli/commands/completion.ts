import { Argument, type Command } from "commander";
import { type Cli, describeCommand } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";

const PROGRAM = "attack-path-analysis";

const completion = (cli: Cli, others: () => Promise<readonly Command[]>) => {
  const command = describeCommand("completion", "Write a script that makes your shell complete commands and options.", [
    "completion bash >> ~/.bashrc",
    "completion zsh >> ~/.zshrc",
    "completion fish > ~/.config/fish/completions/attack-path-analysis.fish",
  ]).addArgument(new Argument("<shell>", "the shell that runs the script").choices(["bash", "zsh", "fish"]));
  return command.action(async (shell: string) => {
    const known = wordsOf([...(await others()), command]);
    await cli.output.write(shell === "fish" ? fishScript(known) : bashScript(known, shell === "zsh"));
    cli.exitCode = ExitCode.yes;
  });
};
export default completion;

/** What may follow each command: its own commands and options. The empty text stands for the program. */
function wordsOf(commands: readonly Command[]): Map<string, string[]> {
  const words = new Map([["", [...commands.map((command) => command.name()), "help", "--help", "--version"]]]);
  for (const command of commands) {
    const own = [...command.commands.map((child) => child.name()), ...optionsOf(command)];
    for (const child of command.commands) own.push(...optionsOf(child));
    words.set(command.name(), [...new Set(own)]);
  }
  return words;
}

function optionsOf(command: Command): string[] {
  return [...command.options.flatMap(({ long }) => long ?? []), "--help"];
}

/** zsh understands the script once its own completion and that of bash are loaded. Loading the first twice takes time. */
const ZSH_START = `(( $+functions[compdef] )) || { autoload -U +X compinit && compinit; }
autoload -U +X bashcompinit && bashcompinit
`;

function bashScript(words: ReadonlyMap<string, readonly string[]>, zsh: boolean): string {
  const cases = [...words]
    .filter(([name]) => name !== "")
    .map(([name, own]) => `    ${name}) words="${own.join(" ")}" ;;`);
  return `${zsh ? ZSH_START : ""}_attack_path_analysis() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="${(words.get("") ?? []).join(" ")}" ;;
  esac
  [ "$COMP_CWORD" -eq 1 ] && words="${(words.get("") ?? []).join(" ")}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _attack_path_analysis ${PROGRAM}
`;
}

function fishScript(words: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...words].map(([name, own]) => {
    const condition = name === "" ? "__fish_use_subcommand" : `__fish_seen_subcommand_from ${name}`;
    return `complete -c ${PROGRAM} -n "${condition}" -a "${own.join(" ")}"`;
  });
  return `${lines.join("\n")}\n`;
}
