import { manifest } from "../generated/manifest.ts";
import { shortHash } from "../hash.ts";
import type { ConnectorCriteria } from "../manifest/types.ts";
import { commaHint } from "../runtime/lists.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import type { Finding } from "../service/resources/findings.records.ts";
import { rankOf } from "../runtime/severity.ts";
import { isUnknownWord, severityOf } from "../findings/severity.ts";
import type { Scope } from "./scope.ts";
import { HOUR_MS } from "../clock.ts";

type Declared = ConnectorCriteria<"Attack Path Findings">;
export type CriterionName = keyof Declared;
type Criteria = { readonly [N in CriterionName]?: Readonly<Declared[N]> | undefined };

/** How messages speak of the settings that a selection was made from. */
interface SelectionTerms {
  /** What the person who made the selection calls a criterion. Default: the name of the connector's field. */
  readonly names: Readonly<Partial<Record<CriterionName, string>>>;
  /** How to enter a name that holds a comma, as a sentence; empty where names are given one by one. */
  readonly commaHint: (name: string) => string;
}

const FIELDS: SelectionTerms = { names: {}, commaHint };

/** How many findings each criterion has left out. */
export type LeftOut = ReadonlyMap<CriterionName, number>;

const CRITERIA: readonly CriterionName[] = manifest.connectors.flatMap(({ fields }) =>
  fields.filter((field) => "selects" in field).map(({ name }) => name),
);

/**
 * What a run reads of all that the service has. The criteria are the connector's fields that `integration.json` declares with
 * `selects`. A criterion that is missing or null selects everything. Each filter is a method of this class, and can see nothing but the
 * criteria. The fingerprint covers all of them, so that no run skips by evidence that was gathered with other criteria.
 */
export class Selection {
  readonly #criteria: Criteria;
  readonly #terms: SelectionTerms;

  /** @param criteria - by the name of the field; anything else in it is ignored */
  constructor(criteria: Criteria, terms = FIELDS) {
    const given = CRITERIA.map((name) => [name, criteria[name] ?? undefined] as const);
    this.#criteria = structuredClone(Object.fromEntries(given));
    this.#terms = terms;
  }

  /** Differs whenever a criterion does. The order of a list does not count. */
  get fingerprint(): string {
    const sorted = (_: string, value: unknown): unknown =>
      Array.isArray(value) ? [...(value as unknown[])].sort() : value;
    return shortHash(JSON.stringify(this.#criteria, sorted), 12);
  }

  /** What messages call a criterion. */
  nameOf(criterion: CriterionName): string {
    return this.#terms.names[criterion] ?? criterion;
  }

  /** How to enter a name that holds a comma, as a sentence; empty where there is no need to know. */
  commaHint(name: string): string {
    return this.#terms.commaHint(name);
  }

  /**
   * Narrows the listed environments to the selected ones, by name or id, without letter case. `All` anywhere in the
   * list, or an empty one, selects every environment. Environments that share a name are all meant by it.
   *
   * @param unreadable - listed entries without a usable id
   */
  scope(listed: readonly Environment[], unreadable: number): Scope {
    const names = this.#criteria["Selected Environments"] ?? [];
    // Should one be listed twice, the entry that has data counts.
    const collectedLast = [...listed].sort((a, b) => Number(a.collected !== false) - Number(b.collected !== false));
    const byId = new Map(collectedLast.map((environment) => [environment.id, environment]));
    const visible = [...new Set(listed.map(({ id }) => id))].flatMap((id) => byId.get(id) ?? []);
    const wanted = new Set(names.map(fold));
    const all = isAll(names);
    const namesOf = ({ id, name }: Environment): string[] => [fold(id), fold(name ?? "")];
    const meant = visible.filter((environment) => all || namesOf(environment).some((name) => wanted.has(name)));
    const existing = new Set(visible.flatMap(namesOf));
    return {
      selected: meant.filter(({ collected }) => collected !== false),
      unknown: all ? [] : names.filter((name) => !existing.has(fold(name))),
      uncollected: meant.filter(({ collected }) => collected === false),
      visible,
      unreadable,
    };
  }

  /** Narrows finding types to the selected ones, exactly as written, in a fixed order. */
  types(available: readonly string[]): string[] {
    const names = this.#criteria["Selected Finding Types"] ?? [];
    const distinct = [...new Set(available)].sort();
    return isAll(names) ? distinct : distinct.filter((type) => names.includes(type));
  }

  /** Selected finding types that are not among the offered ones; they may be offered later. */
  unoffered(offered: readonly string[]): string[] {
    const names = this.#criteria["Selected Finding Types"] ?? [];
    const known = new Set(offered);
    return isAll(names) ? [] : names.filter((type) => !known.has(type));
  }

  /**
   * Which criterion leaves a finding out, by the name of its field; null when none does. What a criterion cannot judge is not left out.
   *
   * @param createdAt - epoch milliseconds; null when it has no usable time
   * @param firstRun - epoch milliseconds of the first run with this state
   */
  criterionLeavingOut(
    finding: Finding,
    { createdAt, firstRun }: { createdAt: number | null; firstRun: number },
  ): CriterionName | null {
    const lowest = this.#criteria["Lowest Severity To Fetch"];
    const hours = this.#criteria["Max Hours Backwards"];
    if (lowest != null) {
      const { Severity: word, ExposurePercentage, ImpactPercentage } = finding;
      const severity = isUnknownWord(word) ? "unknown" : severityOf(word, ExposurePercentage, ImpactPercentage);
      if (severity !== "unknown" && rankOf(severity) > rankOf(severityOf(lowest))) return "Lowest Severity To Fetch";
    }
    if (hours == null || createdAt === null) return null;
    return createdAt < firstRun - hours * HOUR_MS ? "Max Hours Backwards" : null;
  }
}

function isAll(names: readonly string[]): boolean {
  return names.length === 0 || names.some((name) => fold(name) === "all");
}

function fold(text: string): string {
  return text.toWellFormed().trim().toLowerCase();
}
