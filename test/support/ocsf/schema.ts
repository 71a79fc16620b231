import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";

interface Attribute {
  /** A type of JSON, `json` for any value, or the name of an object. */
  type: string;
  array?: true;
  required?: true;
  /** The attribute with the caption of this one's value. */
  sibling?: string;
  /** Captions by value. */
  enum?: Record<string, string>;
}

interface Thing {
  attributes: Record<string, Attribute>;
  constraints?: { at_least_one?: string[]; just_one?: string[] };
}

interface CompiledClass {
  class: Thing;
  objects: Record<string, Thing>;
}

const file = join(import.meta.dirname, "detection-finding-1.8.0.json");
const compiled = JSON.parse(readFileSync(file, "utf8")) as CompiledClass;

const ajv = new Ajv({ allErrors: true });
const validate = ajv.compile({
  ...schemaOf(compiled.class),
  definitions: Object.fromEntries(
    // Its attributes are for the producer to choose.
    Object.entries(compiled.objects).map(([name, thing]) => [
      name,
      name === "object" ? { type: "object" } : schemaOf(thing),
    ]),
  ),
});

function schemaOf({ attributes, constraints = {} }: Thing): object {
  const entries = Object.entries(attributes);
  const { at_least_one: some = [], just_one: one = [] } = constraints;
  return {
    type: "object",
    additionalProperties: false,
    properties: Object.fromEntries(
      entries.map(([name, attribute]) => [
        name,
        attribute.array === true ? { type: "array", items: valueOf(attribute) } : valueOf(attribute),
      ]),
    ),
    required: entries.filter(([, { required }]) => required).map(([name]) => name),
    ...(some.length > 0 && { anyOf: some.map((name) => ({ required: [name] })) }),
    ...(one.length > 0 && { oneOf: one.map((name) => ({ required: [name] })) }),
  };
}

function valueOf({ type, enum: captions }: Attribute): object {
  if (captions !== undefined) {
    const values = Object.keys(captions);
    return { enum: type === "integer" ? values.map(Number) : values };
  }
  if (type === "json") return {};
  return ["string", "integer", "boolean", "float"].includes(type)
    ? { type: type === "float" ? "number" : type }
    : { $ref: `#/definitions/${type}` };
}

/** Captions that do not belong to the value beside them, and identifiers that contradict each other. */
function contradictions(value: unknown, { attributes }: Thing, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
    const { type = "", sibling, enum: captions } = attributes[name] ?? {};
    const caption = sibling === undefined ? undefined : (value as Record<string, unknown>)[sibling];
    const isWrong = captions !== undefined && caption !== undefined && captions[String(inner)] !== caption;
    const thing = compiled.objects[type];
    const below =
      thing === undefined ? [] : [inner].flat().flatMap((each) => contradictions(each, thing, `${path}/${name}`));
    return [...(isWrong ? [`${path}/${String(sibling)} is not the caption of ${name}`] : []), ...below];
  });
}

/** What is wrong with an event of the class Detection Finding, by the compiled schema; empty when nothing is. */
export function ocsfProblems(event: unknown): string[] {
  const problems = validate(event)
    ? []
    : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const texts =
    JSON.stringify(event).match(/\\ud[89a-f][0-9a-f]{2}/i) === null ? [] : ["a text holds half a character"];
  return [...problems, ...contradictions(event, compiled.class), ...texts];
}

/** The paths of all attributes of an event, with `[]` behind a list. What is below `unmapped` and `data` is not the schema's. */
export function attributePaths(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => attributePaths(each, `${path}[]`));
  if (typeof value !== "object" || value === null || /(^|\.)(unmapped|data)$/.test(path)) return [path];
  return Object.entries(value).flatMap(([name, inner]) =>
    attributePaths(inner, path === "" ? name : `${path}.${name}`),
  );
}
