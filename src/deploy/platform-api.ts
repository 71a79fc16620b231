import type { PlatformGroupingRule, Spelling } from "../packaging/google-secops/grouping-rule.ts";
import { DeployError } from "./failures.ts";

/**
 * What a deployment needs of a platform. The platform has two APIs for it: {@link LegacyApi} and {@link ChronicleApi}.
 * Every method throws a DeployError.
 */
export interface PlatformApi {
  /** How the API spells the words of a grouping rule. */
  readonly spelling: Spelling;

  /** Asks for something small, to know whether address and credentials are right before a package is sent. */
  checkAccess(): Promise<void>;

  /** The identifier that the platform reads in a package. Nothing is installed. */
  packageIdentifier(zip: Buffer): Promise<string>;
  importPackage(zip: Buffer, identifier: string, isCustom: boolean): Promise<void>;
  isInstalled(identifier: string): Promise<boolean>;
  /** An installed integration as a package. */
  exportPackage(identifier: string): Promise<Buffer>;

  assignedFamily(product: Product): Promise<AssignedFamily>;
  assignFamily(product: Product, family: string): Promise<void>;

  groupingRules(): Promise<InstalledRule[]>;
  createGroupingRule(rule: PlatformGroupingRule): Promise<void>;
  updateGroupingRule(installed: InstalledRule, rule: PlatformGroupingRule): Promise<void>;

  playbooks(): Promise<PlaybookCard[]>;
  /** @returns a zip with the playbook as JSON */
  exportPlaybook(identifier: string): Promise<Buffer>;
  importPlaybooks(zip: Buffer, fileName: string): Promise<void>;
}

/** The events of an integration that are modelled in one way. */
export interface Product {
  source: string;
  product: string;
}

/** The visual family for all events of a product: null when there is none, "no record" when none can be assigned before the first alert. */
export type AssignedFamily = { name: string | null } | "no record";

export interface InstalledRule extends Partial<PlatformGroupingRule> {
  /** Of the legacy API. */
  id?: number;
  /** Resource name, which an update repeats. */
  name?: string;
}

export interface PlaybookCard {
  identifier: string;
  name: string;
}

/** Null where the platform's version has no such request; other failures stay failures. */
export async function ifOffered<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof DeployError && error.status === 404) return null;
    throw error;
  }
}
