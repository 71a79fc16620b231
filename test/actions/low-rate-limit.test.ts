import { beforeAll, describe, expect, it } from "@jest/globals";
import { Deadline } from "../../src/deadline.ts";
import { modules } from "../../src/generated/modules.ts";
import { silent } from "../../src/logger.ts";
import type { ActionName, ActionParameters } from "../../src/manifest/types.ts";
import type { ActionContext, ActionOutcome } from "../../src/runtime/modules.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import type { Answer, Transport } from "../../src/service/transport.ts";
import { FakeClock } from "../support/fake-clock.ts";

const DOMAIN = "S-1-5-21-1-2-3";
const ADMINS = { objectid: `${DOMAIN}-512`, type: "Group", name: "DOMAIN ADMINS@A.TEST" };
const USERS = Array.from({ length: 10 }, (_, index) => ({
  objectid: `${DOMAIN}-${1101 + index}`,
  type: "User",
  name: `USER${100 + index}@A.TEST`,
}));
const OBJECTS = [ADMINS, ...USERS];
const LATENCY_MS = 30;
const BETWEEN_RUNS_MS = 1_000;

type Headers = Answer["headers"];

function answerTo(target: string): Answer {
  const { pathname, searchParams } = new URL(target, "https://tenant.test");
  const json = (data: unknown, count?: number): Answer => {
    return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify({ data, count }) };
  };
  if (pathname.endsWith("/available-domains"))
    return json([{ id: DOMAIN, name: "A.TEST", type: "active-directory", collected: true }]);
  if (pathname.endsWith("/search")) {
    const [text, skip] = [searchParams.get("q") ?? "", Number(searchParams.get("skip"))];
    return json(OBJECTS.filter(({ objectid, name }) => objectid === text || name.includes(text)).slice(skip));
  }
  if (pathname.endsWith("/shortest-path")) {
    const ends = [searchParams.get("start_node"), searchParams.get("end_node")];
    const nodes = ends.map((objectId, key) => [key, { objectId, label: objectId, kind: "Base" }] as const);
    const edges = [{ source: "0", target: "1", label: "GenericAll", kind: "GenericAll" }];
    return json({ nodes: Object.fromEntries(nodes), edges });
  }
  const [id = "", list] = pathname.split("/").slice(4);
  if (list !== undefined) return json([{ objectID: `${DOMAIN}-513`, name: "DOMAIN USERS@A.TEST", label: "Group" }], 1);
  return json({ props: { objectid: id }, kinds: ["User"], groupMembership: 1, adminRights: 1 });
}

/** A service that answers so many requests in any second, and refuses the others. */
function limited(clock: FakeClock, perSecond: number, headers: Headers): Transport {
  const answered: number[] = [];
  return {
    async send({ target, signal, onHead }) {
      await clock.sleep(LATENCY_MS, signal);
      const isRefused = answered.filter((at) => clock.now() - at < 1_000).length >= perSecond;
      if (!isRefused) answered.push(clock.now());
      const answer = isRefused ? { status: 429, headers, body: "Limit exceeded" } : answerTo(target);
      onHead(answer);
      return answer;
    },
    close: () => undefined,
  };
}

/** Runs an action as a host does: again and again until it is done, with a pause between two runs. */
async function runToEnd<N extends ActionName>(
  name: N,
  parameters: ActionParameters<N>,
  perSecond: number,
  { headers = {}, runMs = 60_000 }: { headers?: Headers; runMs?: number } = {},
) {
  const clock = new FakeClock();
  const transport = limited(clock, perSecond, headers);
  const { default: action } = await modules.actions[name]();
  const outcomes: ActionOutcome<N>[] = [];
  let state: Json = null;
  do {
    const deadline = new Deadline({ clock, at: clock.now() + runMs });
    const context: ActionContext<N> = {
      ...{ run: { id: "r", deadline: null, test: false }, clock, random: () => 0.5, deadline, log: silent },
      ...{ progress: () => undefined, transport, parameters, state, context: {} },
      instance: {
        Server: "https://tenant.test",
        "Token ID": "11111111-2222-4333-8444-555555555555",
        "Token Key": "key",
      },
    };
    const before = outcomes.length;
    const run = action.run(context).then((outcome) => outcomes.push(outcome));
    while (outcomes.length === before) await clock.drainOnce();
    await run;
    deadline.release();
    state = JSON.parse(JSON.stringify(outcomes.at(-1)?.state ?? null)) as Json;
    clock.advance(BETWEEN_RUNS_MS);
  } while (outcomes.at(-1)?.status === "in_progress" && outcomes.length < 30);
  return outcomes;
}

const ids = USERS.map(({ objectid }) => objectid);
const names = USERS.map(({ name }) => name);

beforeAll(async () => {
  for (const load of Object.values(modules.actions)) await load();
});

describe.each([1, 2, 5, 8])("under a limit of %d requests a second, an action", (perSecond) => {
  it.each<[string, Headers]>([
    ["nothing more", {}],
    ["a Retry-After", { "retry-after": "1" }],
    ["the limit", { "x-ratelimit-limit": String(perSecond) }],
  ])("reads every asset when the refusals say %s", async (_, headers) => {
    const outcomes = await runToEnd("Fetch Assets", { "Object IDs": ids }, perSecond, { headers });
    expect(outcomes.at(-1)).toMatchObject({ status: "completed", value: true });
  });

  it("looks up every name", async () => {
    const outcomes = await runToEnd("Get Object Id", { "Object Names": names }, perSecond);
    expect(outcomes.at(-1)).toMatchObject({ status: "completed", value: true });
  });

  it("checks every path between names", async () => {
    const parameters = { "Start Node": names, "End Node": [ADMINS.name] };
    const outcomes = await runToEnd("Does Path Exist", parameters, perSecond);
    expect(outcomes.at(-1)).toMatchObject({
      status: "completed",
      json: { paths: names.map(() => ({ exists: true })) },
    });
  });

  it("finds out how near each start is to Tier Zero", async () => {
    const parameters = { "Start Node": names.slice(0, 3), "End Node": null };
    const outcomes = await runToEnd("Does Path Exist", parameters, perSecond);
    const starts = [1, 2, 3].map(() => ({ exists: true, hops: 1 }));
    expect(outcomes.at(-1)).toMatchObject({ status: "completed", json: { nearTierZero: { starts } } });
  });
});

describe("an action", () => {
  it("gets on in short runs, too", async () => {
    const outcomes = await runToEnd("Fetch Assets", { "Object IDs": ids }, 1, { runMs: 12_000 });
    expect(outcomes.at(-1)).toMatchObject({ status: "completed", value: true });
  });

  it("needs one run where no request is refused", async () => {
    expect(await runToEnd("Fetch Assets", { "Object IDs": ids }, 1_000)).toHaveLength(1);
  });
});
