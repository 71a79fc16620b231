import type { GroupingRule } from "../manifest/manifest.ts";
import { type PlatformGroupingRule, platformGroupingRule } from "../packaging/google-secops/grouping-rule.ts";
import type { PlatformPlaybook } from "../packaging/google-secops/playbook.ts";
import { type Artefacts, playbooksIn } from "./artefacts.ts";
import { samePlaybook, sameRule, sameScope } from "./compare.ts";
import { DeployError } from "./failures.ts";
import type { InstalledRule, PlatformApi, PlaybookCard } from "./platform-api.ts";

/** One thing to deploy. */
export interface Change {
  subject: string;
  /** What is there and what will be. */
  effect: string;
  /** Null: the platform has it already. */
  apply: (() => Promise<void>) | null;
}

/** Asks the platform what it has. Nothing is changed. */
export async function plan(api: PlatformApi, artefacts: Artefacts, reinstall: boolean): Promise<Change[]> {
  const integration = await planIntegration(api, artefacts.integration, reinstall);
  const installedRules = artefacts.groupingRules.length === 0 ? [] : await api.groupingRules();
  const rules = artefacts.groupingRules.map((rule) => planGroupingRule(api, rule, installedRules));
  const playbooks = artefacts.playbooks === null ? [] : [await planPlaybooks(api, artefacts.playbooks)];
  return [integration, ...rules, ...playbooks];
}

async function planIntegration(
  api: PlatformApi,
  { zip, file, identifier, version, isCustom }: Artefacts["integration"],
  reinstall: boolean,
): Promise<Change> {
  const read = await api.packageIdentifier(zip);
  if (read !== identifier) {
    throw new DeployError(`The platform reads ${read} in ${file}, which says ${identifier}: the package is damaged.`);
  }
  const installed = await installedVersion(api, identifier);
  const subject = `Integration ${identifier}`;
  if (installed === version && !reinstall) {
    return { subject, effect: `already the same version, ${version}. --reinstall imports it again.`, apply: null };
  }
  return {
    subject,
    effect: installationEffect(installed, version),
    apply: () => api.importPackage(zip, identifier, isCustom),
  };
}

function installationEffect(installed: number | null | undefined, version: number): string {
  if (installed === undefined) return `version ${version} will be installed.`;
  if (installed === null) return `version ${version} will be imported; the platform does not tell which one it has.`;
  if (installed === version) return `version ${version} will be installed again.`;
  return `version ${version} will take the place of version ${installed}.`;
}

/** Undefined: not installed. Null: not known. */
async function installedVersion(api: PlatformApi, identifier: string): Promise<number | null | undefined> {
  try {
    return (await api.installedVersions()).get(identifier);
  } catch (error) {
    // Older platforms have no such list.
    if (error instanceof DeployError && error.status === 404) return null;
    throw error;
  }
}

function planGroupingRule(api: PlatformApi, source: GroupingRule, installed: readonly InstalledRule[]): Change {
  const subject = `Alert grouping rule "${source.name}"`;
  // The spelling that the platform uses itself is the one that it understands.
  const spelling = installed.some(({ category }) => category?.includes("_")) ? "chronicle" : "soar";
  const rule = platformGroupingRule(source, spelling);
  const before = installed.find((candidate) => sameScope(candidate, rule));
  if (before === undefined) return { subject, effect: "will be created.", apply: () => api.createGroupingRule(rule) };
  if (sameRule(before, rule)) return { subject, effect: "already the same.", apply: null };
  return {
    subject,
    effect: `the rule for these alerts groups by ${grouping(before)}; it will group by ${grouping(rule)}.`,
    apply: () => api.updateGroupingRule(before, rule),
  };
}

function grouping({ groupingType, entityType = [] }: Partial<PlatformGroupingRule>): string {
  return [groupingType ?? "something unknown", ...entityType].join(" ");
}

/** The platform imports all playbooks of a zip at once. */
async function planPlaybooks(
  api: PlatformApi,
  { zip, fileName, playbooks }: NonNullable<Artefacts["playbooks"]>,
): Promise<Change> {
  const cards = await api.playbooks();
  const states: PlaybookState[] = [];
  for (const playbook of playbooks) states.push(await playbookState(api, playbook, cards));
  return {
    subject: playbooks.length === 1 ? "Playbook" : "Playbooks",
    effect: `${states.map(({ effect }) => effect).join("; ")}.`,
    apply: states.every(({ same }) => same) ? null : () => api.importPlaybooks(zip, fileName),
  };
}

interface PlaybookState {
  effect: string;
  same: boolean;
}

async function playbookState(
  api: PlatformApi,
  playbook: PlatformPlaybook,
  cards: readonly PlaybookCard[],
): Promise<PlaybookState> {
  const { Identifier, Name } = playbook.Definition;
  const card = cards.find(({ identifier }) => identifier === Identifier) ?? cards.find(({ name }) => name === Name);
  if (card === undefined) return { effect: `"${Name}" will be created`, same: false };
  const exported = await playbooksIn(await api.exportPlaybook(card.identifier), "The exported playbook");
  return exported.some((candidate) => samePlaybook(candidate, playbook))
    ? { effect: `"${Name}" is already the same`, same: true }
    : {
        effect: `"${Name}" differs: it will be imported over the one there, with whatever was changed in it`,
        same: false,
      };
}
