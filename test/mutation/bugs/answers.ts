import { bugsIn, type Mutant } from "../mutant.ts";

/** Answers to an analyst: what the service said, and nothing that it did not say. */
export const answers: readonly Mutant[] = [
  ...bugsIn("src/service/resources/paths.ts", [
    {
      name: "a gateway that does not know the route of a path says that there is no path",
      find: `/^path not found\\.?$/i`,
      replace: `/path/i`,
    },
    {
      name: "a 404 of a web server says that there is no path",
      find: `wrapped && messages.length > 0`,
      replace: `messages.length > 0`,
    },
  ]),
  ...bugsIn("src/investigation/paths/prove-path.ts", [
    {
      name: "a gateway says that an object is unknown",
      find: ` || !error.wrapped) return false;`,
      replace: `) return false;`,
    },
    {
      name: "a path of relationships that give no control is an attack path",
      find: `query: PathQuery = { onlyTraversable: true }`,
      replace: `query: PathQuery = {}`,
    },
    {
      name: "a finding about a relationship that gives no control is closed",
      find: `startId, endId, { onlyTraversable: false }`,
      replace: `startId, endId`,
    },
    {
      name: "a finding is open because a long way over relationships that give no control joins its ends",
      find: `relationship?.length === 1 ? {`,
      replace: `relationship !== null ? {`,
    },
  ]),
  ...bugsIn("src/investigation/paths/path-wall.ts", [
    {
      name: "a finding about a relationship that gives no control leads into Tier Zero",
      find: ` && !isWithoutControl(entry) && tierZero.length > 0`,
      replace: ` && tierZero.length > 0`,
    },
  ]),
  ...bugsIn("src/investigation/cuts/rank-cuts.ts", [
    {
      name: "a relationship that gives no control is a detour for other findings",
      find: `const areWays = !isWithoutControl(entry);`,
      replace: `const areWays = true;`,
    },
  ]),
  ...bugsIn("src/investigation/cuts/open-findings.ts", [
    {
      name: "a finding without a severity of its own is cut last",
      find: `severityOf(finding.Severity, finding.ExposurePercentage, finding.ImpactPercentage)`,
      replace: `severityOf(finding.Severity)`,
    },
  ]),
  ...bugsIn("src/investigation/paths/path-pairs.ts", [
    {
      name: "selected entities are paired in an order that nobody chose",
      find: `if (!start.selected && !end.selected)`,
      replace: `if (start.values.length === end.values.length)`,
    },
  ]),
  ...bugsIn("src/investigation/paths/prove-pairs.ts", [
    {
      name: "a pair that failed counts as checked",
      find: `[...answers.values()].filter(isAnswered).length`,
      replace: `answers.size`,
    },
  ]),
  ...bugsIn("src/investigation/tier-zero/nearest-tier-zero.ts", [
    {
      name: "a Tier Zero object that was tried is not marked as such",
      find: `new Set([...ends, ...tagged].map(inCapitals))`,
      replace: `new Set(tagged.map(inCapitals))`,
    },
  ]),
  ...bugsIn("src/investigation/assets/entity-facts.ts", [
    {
      name: "an entity gets the facts of the last object of its name",
      find: `isOnly ? { objectId, properties } : null`,
      replace: `{ objectId, properties }`,
    },
  ]),
  ...bugsIn("src/investigation/assets/read-asset.ts", [
    {
      name: "an asset is outside of Tier Zero although the search says the opposite",
      find: `own === true ? own : (searched ?? own)`,
      replace: `own`,
    },
    {
      name: "an asset that only the general route knows has no lists but those of this route",
      find: `{ ...unreadLists(routes[0], related), ...related }`,
      replace: `related`,
    },
    {
      name: "an asset is outside of Tier Zero because nobody says anything",
      find: `tierZero === null ? {} : { tierZero }`,
      replace: `{ tierZero: tierZero === true }`,
    },
  ]),
  ...bugsIn("src/service/resources/entities.ts", [
    {
      name: "an object that the service says nothing about counts as read",
      find: `Object.keys(entity.counts).length === 0`,
      replace: `Object.keys(entity.counts).length < 0`,
    },
  ]),
  ...bugsIn("src/service/errors/error-body.ts", [
    {
      name: "any list of errors is the word of the service",
      find: `wrapper?.http_status === answer.status`,
      replace: `wrapper !== null`,
    },
  ]),
  ...bugsIn("src/service/responses/nesting.ts", [
    {
      name: "values that are nested too deep are passed on",
      find: `depth < DEEPEST_LEVEL`,
      replace: `depth < 1_000_000`,
    },
    {
      name: "values that are nested too deep in lists are passed on",
      find: `return holder.filter(isHolder);`,
      replace: `return [];`,
    },
  ]),
];
