import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { statSync } from "node:fs";
import { join } from "node:path";
import { openHost } from "../../../sandbox/soar/index.ts";
import type { FaultEffect, Tenant } from "../../../sandbox/tenant/index.ts";
import { systemClock } from "../../../src/clock.ts";
import { manifest } from "../../../src/generated/manifest.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { builtPackage, type BuiltPackage } from "../../support/package.ts";
import { readToEnd, runPlugin, startHere, type Program } from "../../support/plugin-run.ts";
import { builtProgram } from "../../support/program.ts";
import {
  actionRequest,
  connectorFields,
  connectorRequest,
  exampleParameters,
  instanceParameters,
} from "../../support/requests.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { startTenant } from "../../support/tenant.ts";
import { CANARY, tracesIn } from "../../support/canary.ts";
import { childProcesses, filesIn } from "../../support/remains.ts";

const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 3 };
const token = { id: "00000000-0000-4000-8000-000000000001", key: CANARY };

let built: BuiltPackage;
let program: Program;
let tenant: Tenant;
beforeAll(async () => {
  built = await builtPackage();
  program = await builtProgram();
}, 120_000);
beforeEach(async () => {
  tenant = await startTenant({ tokens: [token], dataset });
});

/** A service, or a proxy before it, that repeats whatever it can. */
const echo = `the key is ${CANARY}`;
const effects: [string, FaultEffect | null][] = [
  ["well", null],
  ["with a refusal that repeats the key", { kind: "status", status: 401, message: echo }],
  ["with a fault that repeats the key", { kind: "status", status: 500, body: "text", message: echo }],
  [
    "with a redirect that repeats the key",
    { kind: "redirect", location: `https://x.example/${encodeURIComponent(CANARY)}` },
  ],
  ["with JSON that repeats the key", { kind: "body", transform: () => JSON.stringify({ data: echo }) }],
  ["with broken JSON that repeats the key", { kind: "body", transform: () => `{"data": "${echo}` }],
  ["with a dropped connection", { kind: "drop" }],
];

it.each([
  ["as it is", CANARY],
  ["in a URL", `https://x/?q=${encodeURIComponent(CANARY)}`],
  ["in a JSON text in a JSON text", JSON.stringify(JSON.stringify({ key: CANARY }))],
  ["in base64", Buffer.from(CANARY).toString("base64")],
  ["in base64 behind a name", Buffer.from(`i:${CANARY}`).toString("base64")],
  ["in base64 behind a longer name", Buffer.from(`id:${CANARY}`).toString("base64")],
  ["in hexadecimal", Buffer.from(CANARY).toString("hex")],
  ["cut off", `key=${CANARY.slice(0, 20)}…`],
])("the canary is found where it stands %s", (_, text) => {
  expect(tracesIn(text)).not.toEqual([]);
});

describe("the token key", () => {
  const requests = (): [string, unknown][] => {
    const fields = connectorFields(tenant);
    const action = (name: string, parameters: JsonObject): unknown =>
      actionRequest(name, instanceParameters(tenant), { parameters, test: true });
    return [
      ["connector", connectorRequest(fields)],
      ["test run of the connector", connectorRequest(fields, null, { test: true })],
      ["connector with a damaged state", connectorRequest(fields, { version: 1, tenant: CANARY, x: CANARY })],
      ...manifest.actions.map(({ name }): [string, unknown] => [name, action(name, exampleParameters(name))]),
      ["an action that does not exist", action(CANARY, {})],
      ["a key in the wrong field", action("Ping", { "Token Key": CANARY })],
      ["a key as Server", connectorRequest({ ...fields, Server: `https://user:${CANARY}@x` })],
    ];
  };

  it.each(effects)("stands in nothing that any run writes, when the service answers %s", async (_, effect) => {
    if (effect !== null) tenant.control.fault({ effect });
    const written = await Promise.all(
      requests().map(async ([name, request]) => {
        // What a process writes besides shows in a run of the connector, and in every run that nothing happens to.
        const isProcess = effect === null || name === "connector";
        const { stdout, stderr } = await (isProcess
          ? runPlugin(built.plugin, request)
          : readToEnd(startHere(request, systemClock, program)));
        return { name, result: stdout.includes('"type":"result"'), traces: tracesIn(stdout + stderr) };
      }),
    );
    expect(written).toEqual(written.map(({ name }) => ({ name, result: true, traces: [] })));
  });

  it.each(["{", "[]", '{"protocol": 2, ', '{"protocol": 1, "parameters": {"Token Key": ', "\u0000"])(
    "stands in nothing that is written about a request that cannot be read (%j)",
    async (start) => {
      const { stdout, stderr } = await runPlugin(built.plugin, `${start}${JSON.stringify(CANARY)}`);
      expect(tracesIn(stdout + stderr)).toEqual([]);
    },
  );

  it("goes over the wire never as itself", async () => {
    const seen: string[] = [];
    tenant.control.fault({
      effect: {
        kind: "run",
        run: (_, { path, query, headers }) => void seen.push(JSON.stringify({ path, query: [...query], headers })),
      },
    });
    await runPlugin(built.plugin, connectorRequest(connectorFields(tenant)));
    expect(seen.length).toBeGreaterThan(4);
    expect(tracesIn(seen.join("\n"))).toEqual([]);
  });
});

describe("the token key, with the local host", () => {
  const folder = temporaryFolder();

  it("is in no file of the host, and in no argument or environment variable of the processes that it starts", async () => {
    const processes: Buffer[] = [];
    tenant.control.fault({
      effect: {
        kind: "run",
        run: () => {
          processes.push(...childProcesses());
        },
      },
    });
    const host = openHost({ data: folder });
    const { id } = await host.install(built.zip);
    const connector = host.configureConnector(id, "Attack Path Findings", connectorFields(tenant));
    const instance = host.configureInstance(id, "Main", instanceParameters(tenant));
    const reports = [await host.runConnector(connector.id), await host.runAction(instance.id, "Ping", {})];
    tenant.control.fault({ effect: { kind: "status", status: 500, message: echo } });
    reports.push(await host.runConnector(connector.id), await host.runAction(instance.id, "Ping", {}));
    await host.close();

    expect(reports.map(({ status }) => status)).toEqual(["completed", "completed", "failed", "failed"]);
    expect(tracesIn(JSON.stringify(reports))).toEqual([]);
    const files = filesIn(folder);
    expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(["host.db", "host.key", "host.log"]));
    expect(files.filter(({ content }) => tracesIn(content).length > 0)).toEqual([]);
    for (const name of ["host.key", "host.log"]) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    expect(processes.length).toBeGreaterThan(0);
    expect(processes.flatMap(tracesIn)).toEqual([]);
  });
});
