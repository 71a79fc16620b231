/** The resources that a poll does not use, together, so that one file of a bundle has them all. */
export { objectsOf } from "./objects.ts";
export { pathsOf } from "./paths.ts";
export { entitiesOf } from "./entities.ts";
export { graphOf } from "./graph.ts";
export { ssoOf } from "./sso.ts";
export { tokensOf } from "./tokens.ts";
export { clientTasksOf } from "./client-tasks.ts";
