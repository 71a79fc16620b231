import { edgeKinds, type EdgeKind, explainEdge, unknownKind } from "../../investigation/edges/edge-kinds.ts";
import type { Cli, Handler } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { UsageError } from "../failures.ts";

export const explain: Handler = async (cli, command) => {
  const [kind] = command.args;
  const { json = false } = command.opts<{ json?: true }>();
  if (json) await cli.output.json(kind === undefined ? edgeKinds : known(kind));
  else await cli.output.write(kind === undefined ? list(edgeKinds) : page(cli, known(kind)));
  return ExitCode.yes;
};

/** @throws UsageError that names similar kinds */
function known(kind: string): EdgeKind {
  const explained = explainEdge(kind);
  if (explained !== null) return explained;
  throw new UsageError(`${unknownKind(kind)} To see all kinds, run: attack-path-analysis explain.`);
}

function list(kinds: readonly EdgeKind[]): string {
  const width = Math.max(...kinds.map(({ kind }) => kind.length));
  return kinds.map(({ kind, allows }) => `${kind.padEnd(width)}  ${allows}\n`).join("");
}

function page({ output }: Cli, { kind, allows, abuse, notice, removal, technique, source }: EdgeKind): string {
  const sections = [
    [kind, allows],
    ["How it is abused", abuse],
    ["How its use is noticed", notice],
    ["How it is removed safely", removal],
    ["Technique", technique === null ? "The page names none." : `MITRE ATT&CK ${technique}`],
    ["Source", source],
  ] as const;
  return sections.map(([title, text]) => `${output.style("bold", title.toUpperCase())}\n${text}\n`).join("\n");
}
