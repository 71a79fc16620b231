import type { Command } from "commander";
import type { Handler } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";

const PROGRAM = "attack-path-analysis";

/** @param others - makes all other commands */
export function completionOf(others: () => Promise<readonly Command[]>): Handler {
  return async (cli, command) => {
    const [shell] = command.args;
    const known = wordsOf([...(await others()), command]);
    await cli.output.write(shell === "fish" ? fishScript(known) : bashScript(known, shell === "zsh"));
    return ExitCode.yes;
  };
}

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
  const shown = command.options.filter(({ hidden }) => !hidden);
  return [...shown.flatMap(({ long }) => long ?? []), "--help"];
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
