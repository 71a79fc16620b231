import { bugsIn, type Mutant } from "../mutant.ts";

/** From findings to events and alerts. */
export const mapping: readonly Mutant[] = [
  ...bugsIn("src/ingestion/mapping/alert.ts", [
    {
      name: "an accepted finding raises the severity",
      find: `events.filter(({ accepted }) => !accepted)`,
      replace: `[...events]`,
    },
    {
      name: "an alert of accepted findings has no known severity",
      find: `open.length === 0 ? "low" : `,
      replace: ``,
    },
    {
      name: "an alert id depends on the order of the findings",
      find: `events.map(({ occurrence }) => occurrence).sort()`,
      replace: `events.map(({ occurrence }) => occurrence)`,
    },
    {
      name: "an alert id depends on the time of the run",
      find: `id: alertId(environment.id, findingType, events),`,
      replace: `id: alertId(environment.id, findingType, events) + String(now),`,
    },
    {
      name: "the same ids in two environments give the same alert id",
      find: `JSON.stringify([environmentId, findingType, `,
      replace: `JSON.stringify([findingType, `,
    },
    {
      name: "an alert ends with the event that was listed last",
      find: `Math.max(latest, end)`,
      replace: `end`,
    },
    {
      name: "two domains of the same name share a case",
      find: `sourceGroupingIdentifier: environment.id,`,
      replace: `sourceGroupingIdentifier: environment.name ?? environment.id,`,
    },
  ]),
  ...bugsIn("src/ingestion/mapping/event.ts", [
    {
      name: "an event ends before it starts",
      find: `Math.max(start, updated ?? start)`,
      replace: `updated ?? start`,
    },
    {
      name: "percentages stay fractions",
      find: `Math.round(fraction * 1e6) / 1e4`,
      replace: `fraction`,
    },
  ]),
  ...bugsIn("src/runtime/severity.ts", [
    {
      name: "severities are compared by alphabet",
      find: `for (const severity of severities) rank = Math.min(rank, rankOf(severity));`,
      replace: `rank = rankOf([...severities].sort()[0]);`,
    },
  ]),
  ...bugsIn("src/findings/severity.ts", [
    {
      name: "every severity that the service names is low",
      find: `if (known !== undefined) return known;`,
      replace: `if (known !== undefined) return "low";`,
    },
    {
      name: "an exposure of zero hides the impact",
      find: `value !== undefined && value > 0`,
      replace: `value !== undefined`,
    },
    {
      name: "an exposure at the threshold is not critical",
      find: `share >= 0.95`,
      replace: `share > 0.95`,
    },
  ]),
  ...bugsIn("src/ingestion/mapping/flatten.ts", [
    {
      name: "a field of the service replaces one of ours",
      find: ` || (Object.hasOwn(flat, name) && flat[name] !== undefined)) return;`,
      replace: `) return;`,
    },
    {
      name: "a field called constructor is lost",
      find: `Object.hasOwn(flat, name)`,
      replace: `name in flat`,
    },
    {
      name: "a field called __proto__ is lost",
      find: `Object.defineProperty(flat, name, { value, enumerable: true, configurable: true, writable: true });`,
      replace: `flat[name] = value;`,
    },
    {
      name: "a user is a second entity by its object id",
      find: `role === "user" || role === "host"`,
      replace: `role === "host"`,
    },
    {
      name: "the service's own fields are not bounded",
      find: `if (left < 0) return;`,
      replace: ``,
    },
    {
      name: "an infinite number becomes null in an event",
      find: `Number.isFinite(value)`,
      replace: `!Number.isNaN(value)`,
    },
  ]),
  ...bugsIn("src/findings/principal.ts", [
    {
      name: "the principal of a list finding has no object id",
      find: `firstText(finding.ToPrincipal, finding.Principal),`,
      replace: `firstText(finding.ToPrincipal),`,
    },
  ]),
  ...bugsIn("src/text.ts", [
    {
      name: "lone surrogates reach the host",
      find: `.toWellFormed()`,
      replace: ``,
    },
  ]),
];
