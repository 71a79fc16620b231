import type { PlatformPlaybook } from "../../packaging/google-secops/playbook.ts";
import { type BuiltPlaybooks, playbooksIn } from "../artefacts.ts";
import { playbookDifferences } from "../playbook-contents.ts";
import type { PlatformApi, PlaybookCard } from "../platform-api.ts";
import type { Change } from "./change.ts";

/** The platform imports all playbooks of a zip at once. */
export async function planPlaybooks(api: PlatformApi, { zip, fileName, playbooks }: BuiltPlaybooks): Promise<Change> {
  const cards = await api.playbooks();
  const states: PlaybookState[] = [];
  for (const playbook of playbooks) states.push(await playbookState(api, playbook, cards));
  const replaced = states.flatMap(({ exported }) => exported ?? []);
  const isSame = states.every(({ details }) => details?.length === 0);
  return {
    subject: playbooks.length === 1 ? "Playbook" : "Playbooks",
    effect: `${states.map(({ effect }) => effect).join("; ")}.`,
    details: states.flatMap(({ details }) => details ?? []),
    save:
      replaced.length === 0
        ? null
        : async (backup) => {
            for (const exported of replaced) await backup.savePlaybook(exported);
          },
    apply: isSame ? null : () => api.importPlaybooks(zip, fileName),
  };
}

interface PlaybookState {
  effect: string;
  /** What differs; null when the platform does not have the playbook. */
  details: string[] | null;
  /** As it is on the platform; null when it does not have it. */
  exported: Buffer | null;
}

async function playbookState(
  api: PlatformApi,
  playbook: PlatformPlaybook,
  cards: readonly PlaybookCard[],
): Promise<PlaybookState> {
  const { Identifier, Name } = playbook.Definition;
  const card = cards.find(({ identifier }) => identifier === Identifier) ?? cards.find(({ name }) => name === Name);
  if (card === undefined) return { effect: `"${Name}" will be created`, details: null, exported: null };
  const exported = await api.exportPlaybook(card.identifier);
  const candidates = await playbooksIn(exported, "The exported playbook");
  const [details = ["its export holds no playbook"]] = candidates
    .map((candidate) => playbookDifferences(candidate, playbook))
    .sort((a, b) => a.length - b.length);
  return details.length === 0
    ? { effect: `"${Name}" is already the same`, details, exported }
    : {
        effect: `"${Name}" differs and will be replaced, with everything that was changed in it there`,
        details,
        exported,
      };
}
