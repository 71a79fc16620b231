import type { RunRecord } from "../history.ts";
import type { World } from "../world.ts";

/** Whether environment and type are listed, collected and selected for the whole of a run. */
export function isInScope(world: World, environment: string, type: string, run: RunRecord): boolean {
  const { plan, start, end } = run;
  if (plan.types !== null && !plan.types.includes("All") && !plan.types.includes(type)) return false;
  return isSelected(world, environment, run) && world.isListedThroughout(environment, type, start - world.lagMs, end);
}

export function isSelected(world: World, id: string, { plan, start, end }: RunRecord): boolean {
  const selected = plan.environments?.map(fold) ?? ["all"];
  if (selected.includes("all") || selected.includes(fold(id))) return true;
  const environment = world.scenario.environments.find((candidate) => candidate.id === id);
  // Where the name is a number, no text can select it.
  if (environment === undefined || environment.odd === "name is a number") return false;
  // A name that changes while a run is on may be read before or after, also one that changes back.
  const changes = environment.renames.map(({ at }) => at).filter((at) => at > start - world.lagMs && at < end);
  return [start - world.lagMs, start, ...changes, end].every((moment) =>
    selected.includes(fold(world.nameOf(environment, moment) ?? "\n")),
  );
}

function fold(text: string): string {
  return text.trim().toLowerCase();
}
