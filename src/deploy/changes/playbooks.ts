import { type PlatformPlaybook, zipOfPlaybooks } from "../../packaging/google-secops/playbook.ts";
import { playbooksIn } from "../artefacts.ts";
import { playbookDifferences, settingDifferences, withSettingsOf } from "../playbook-contents.ts";
import type { PlatformApi, PlaybookCard } from "../platform-api.ts";
import { type Change, unchanged } from "./change.ts";

const FILE = "playbook.zip";

/**
 * Imports those that differ, each alone: an import resets all that is in its zip. What admins set without changing a playbook
 * stays as it is.
 */
export async function planPlaybooks(api: PlatformApi, playbooks: readonly PlatformPlaybook[]): Promise<Change[]> {
  const cards = await api.playbooks();
  const changes: Change[] = [];
  for (const playbook of playbooks) changes.push(await planPlaybook(api, playbook, cards));
  return changes;
}

async function planPlaybook(
  api: PlatformApi,
  playbook: PlatformPlaybook,
  cards: readonly PlaybookCard[],
): Promise<Change> {
  const { subject, exported, installed } = await installedPlaybook(api, playbook, cards, playbookDifferences);
  const wanted = installed === null ? playbook : withSettingsOf(installed, playbook);
  const apply = async (): Promise<void> => api.importPlaybooks(await zipOfPlaybooks([wanted]), FILE);
  if (exported === null) return { subject, effect: "will be created.", details: [], save: null, apply };
  const details = installed === null ? [NO_PLAYBOOK] : playbookDifferences(installed, wanted);
  if (details.length === 0) return unchanged(subject, "already the same.");
  const kept = installed === null ? "" : " Whether it is enabled, its environments and its priority stay.";
  const effect = `differs and will be replaced, with everything that was changed in it there.${kept}`;
  return { subject, effect, details, save: (backup) => backup.savePlaybook(exported), apply };
}

/** Puts a playbook back as the platform had it. */
export async function planSavedPlaybook(api: PlatformApi, zip: Buffer, fileName: string): Promise<Change[]> {
  const cards = await api.playbooks();
  const changes: Change[] = [];
  for (const playbook of await playbooksIn(zip, "The saved playbook")) {
    const { subject, exported, installed } = await installedPlaybook(api, playbook, cards, allDifferences);
    const details = installed === null ? [] : allDifferences(installed, playbook);
    if (installed !== null && details.length === 0) {
      changes.push(unchanged(subject, "already as it was saved."));
      continue;
    }
    changes.push({
      subject,
      effect: exported === null ? "will be created as it was saved." : "will be replaced by the saved one.",
      details,
      save: exported === null ? null : (backup) => backup.savePlaybook(exported),
      apply: () => api.importPlaybooks(zip, fileName),
    });
  }
  return changes;
}

const NO_PLAYBOOK = "its export holds no playbook";

type Compare = (installed: PlatformPlaybook, other: PlatformPlaybook) => string[];

/** Both were exported by the platform. */
const allDifferences: Compare = (installed, saved) => [
  ...settingDifferences(installed, saved),
  ...playbookDifferences(installed, saved, { allParameters: true }),
];

interface Installed {
  subject: string;
  /** As the platform exports it; null when it does not have the playbook. */
  exported: Buffer | null;
  /** The one in the export that differs least; null when there is none. */
  installed: PlatformPlaybook | null;
}

async function installedPlaybook(
  api: PlatformApi,
  playbook: PlatformPlaybook,
  cards: readonly PlaybookCard[],
  compare: Compare,
): Promise<Installed> {
  const { Identifier, Name } = playbook.Definition;
  const subject = `Playbook "${Name}"`;
  const card = cards.find(({ identifier }) => identifier === Identifier) ?? cards.find(({ name }) => name === Name);
  if (card === undefined) return { subject, exported: null, installed: null };
  const exported = await api.exportPlaybook(card.identifier);
  const [installed = null] = (await playbooksIn(exported, "The exported playbook"))
    .map((candidate) => ({ candidate, differs: compare(candidate, playbook).length }))
    .sort((a, b) => a.differs - b.differs)
    .map(({ candidate }) => candidate);
  return { subject, exported, installed };
}
