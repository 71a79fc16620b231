/**
 * How deep objects and lists may be nested in the data of a response. No record of this API comes near, and what works on
 * values level by level, such as JSON.stringify, overflows the stack at a few thousand levels.
 */
export const DEEPEST_LEVEL = 100;

/** Stands in the place of an object or a list that is nested too deep. */
const CUT_OFF = "…";

type Holder = Record<string, unknown> | unknown[];

/**
 * Replaces each object and list below the deepest level, in place, so that no later code meets deeper ones.
 *
 * @returns how many were replaced
 */
export function cutOffDeepValues(value: unknown): number {
  let level = isHolder(value) ? [value] : [];
  for (let depth = 1; depth < DEEPEST_LEVEL && level.length > 0; depth++) level = level.flatMap(holdersIn);
  return level.reduce((count, holder) => count + cutOff(holder), 0);
}

function holdersIn(holder: Holder): Holder[] {
  if (Array.isArray(holder)) return holder.filter(isHolder);
  const inner: Holder[] = [];
  // A response has many small objects, and the list that Object.values makes of each is most of the work.
  for (const key in holder) if (isHolder(holder[key])) inner.push(holder[key]);
  return inner;
}

function cutOff(holder: Holder): number {
  const deep = Object.entries(holder).filter(([, value]) => isHolder(value));
  // Any of these keys is the holder's own already, so that `__proto__` is a property like others.
  for (const [key] of deep) Reflect.set(holder, key, CUT_OFF);
  return deep.length;
}

function isHolder(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}
