import type { Schema } from "ts-json-schema-generator";
import { isNullableKey, type NullableFields } from "../service/responses/nullables.ts";

/** How the types of nullable wrappers are called, such as NullableInt32. */
export const WRAPPER = /^Nullable(\w+)$/;

type Schemas = Readonly<Record<string, Schema>>;

/** The fields of a record type that are declared as nullable wrappers, and those of the objects and lists in it. */
export function nullablesIn(schemas: Schemas, type: string): NullableFields {
  const fields = Object.entries(schemas[type]?.properties ?? {}).flatMap(([name, property]) => {
    const inside = typeNameOf(property);
    if (inside === undefined) return [];
    const key = WRAPPER.exec(inside)?.[1]?.toLowerCase();
    const declared = key !== undefined && isNullableKey(key) ? key : nullablesIn(schemas, inside);
    return typeof declared === "object" && Object.keys(declared).length === 0 ? [] : [[name, declared] as const];
  });
  return Object.fromEntries(fields);
}

/** The type of a property, or of the items of a list. */
function typeNameOf(property: NonNullable<Schema["items"]>): string | undefined {
  if (typeof property !== "object" || Array.isArray(property)) return undefined;
  return property.$ref?.split("/").at(-1) ?? (property.items === undefined ? undefined : typeNameOf(property.items));
}
