import type { Environment } from "../service/records/environments.ts";

export interface EnvironmentTypes {
  environment: Environment;
  /** In a fixed order. */
  findingTypes: string[];
}

export interface Scope {
  chosen: Environment[];
  /** Selected names and ids that no visible environment has. */
  unknown: string[];
  /** Selected environments without data yet. */
  uncollected: Environment[];
}

/**
 * Narrows the visible environments to the selected ones, by name or id, letter case ignored. `All` anywhere in the
 * selection, or an empty one, selects every one. Environments that share a name are all meant by it.
 */
export function scopeOf(visible: Environment[], selected: readonly string[]): Scope {
  const known = new Map(visible.map((environment) => [environment.id, environment]));
  const wanted = new Set(selected.map(fold));
  const all = isAll(selected);
  const keysOf = ({ id, name }: Environment): string[] => [fold(id), fold(name ?? "")];
  const meant = [...known.values()].filter((environment) => all || keysOf(environment).some((key) => wanted.has(key)));
  const existing = new Set([...known.values()].flatMap(keysOf));
  return {
    chosen: meant.filter(({ collected }) => collected !== false),
    unknown: all ? [] : selected.filter((name) => !existing.has(fold(name))),
    uncollected: meant.filter(({ collected }) => collected === false),
  };
}

/** Narrows the finding types of an environment to the selected ones, exactly as written. */
export function selectTypes(available: string[], selected: readonly string[]): string[] {
  const distinct = [...new Set(available)].sort();
  return isAll(selected) ? distinct : distinct.filter((type) => selected.includes(type));
}

/** Selected finding types that no environment offers; they may come to be offered later. */
export function unofferedTypes(available: string[], selected: readonly string[]): string[] {
  return isAll(selected) ? [] : selected.filter((type) => !available.includes(type));
}

function isAll(selected: readonly string[]): boolean {
  return selected.length === 0 || selected.some((name) => fold(name) === "all");
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}
