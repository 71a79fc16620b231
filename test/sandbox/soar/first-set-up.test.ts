import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { knownToken, prepareHost, type Preparation } from "../../../sandbox/console/prepare.ts";
import { openHost, type Host, type RunPlugin } from "../../../sandbox/soar/index.ts";
import type { ResultMessage } from "../../../src/runtime/protocol.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { fakePackage } from "./fake-package.ts";
import { IDENTIFIER } from "./running.ts";

const folder = temporaryFolder();
const archive = await fakePackage(folder, "");
const TOKEN = { Server: "https://tenant.example.test", "Token ID": "first" };
const INSTANCE = { ...TOKEN, "Token Key": "one-key" };
const pong: ResultMessage = { type: "result", status: "completed", message: "Pong.", value: true };

let data: string;
let host: Host;
let round = 0;
beforeEach(() => {
  data = join(folder, `host-${(round += 1)}`);
  open(async function* () {
    yield await Promise.resolve(pong);
  });
});
afterEach(() => host.close());

function open(run: RunPlugin): void {
  host = openHost({ data, run });
}

const prepare = (instance = INSTANCE, fields: Preparation["fields"] = {}, signal?: AbortSignal) =>
  prepareHost(host, { archive, name: "Tenant", instance, fields }, signal);

const keys = () =>
  [...host.store.instances(), ...host.store.connectors()].map(({ parameters }) => parameters["Token Key"]);

describe("a host", () => {
  it("that is new gets the package, a tested instance, and its connector with the given fields", async () => {
    expect(await prepare(INSTANCE, { "Run Every": "60", "Selected Finding Types": null })).toEqual([]);
    expect(host.instances.list()).toMatchObject([{ name: "Tenant", lastTest: { ok: true } }]);
    const [connector] = host.connectors.list();
    expect(connector).toMatchObject({ enabled: true, runEveryMs: 3_600_000, parameters: TOKEN });
  });

  it("that a person has emptied stays empty", async () => {
    await prepare();
    await host.integrations.remove(IDENTIFIER);
    expect(await prepare()).toEqual([
      "Nothing is configured in this folder, so nothing is polled. Set it up in the console, or start with --fresh.",
    ]);
    expect(await host.integrations.list()).toEqual([]);
  });

  it("takes a new key of its token", async () => {
    await prepare();
    expect(await prepare({ ...INSTANCE, "Token Key": "new-key" })).toEqual([]);
    expect(new Set(keys())).toEqual(new Set(["new-key"]));
  });

  it("says which token it polls with when another one is named", async () => {
    await prepare();
    expect(await prepare({ ...INSTANCE, "Token ID": "second" })).toEqual([
      "This folder polls https://tenant.example.test with token first, not https://tenant.example.test with token second. Change it under Instances and Connectors, or start with --fresh.",
    ]);
    expect(new Set(keys())).toEqual(new Set(["one-key"]));
  });

  it("says which fields it does not change, and nothing about those that it has already", async () => {
    const fields = { "Run Every": "60", "Selected Environments": "CORP", "Selected Finding Types": null };
    await prepare(INSTANCE, fields);
    expect(await prepare(INSTANCE, fields)).toEqual([]);
    expect(await prepare(INSTANCE, { ...fields, "Run Every": "5", "Selected Environments": "LAB" })).toEqual([
      "Not changed, because this folder was set up before: Run Every, Selected Environments. Change it under Connectors, or start with --fresh.",
    ]);
  });

  it("that is being set up stops its test when it is told to end", async () => {
    const stop = new AbortController();
    await host.close();
    open(async function* ({ signal }) {
      stop.abort();
      if (signal?.aborted !== true) await new Promise(() => undefined);
      yield await Promise.resolve({ type: "no_result", status: "interrupted", message: "Stopped.", stderr: [] });
    });
    await prepare(INSTANCE, {}, stop.signal);
    expect(host.instances.list()).toMatchObject([{ lastTest: { ok: false, message: "Stopped." } }]);
  });
});

describe("the token of a folder", () => {
  it("is not known without a host", async () => {
    expect(await knownToken(join(folder, "none"), TOKEN)).toEqual({ isSetUp: false, key: null });
  });

  it("comes with its key, and another one only with the fact that the host is set up", async () => {
    await prepare();
    expect(await knownToken(data, TOKEN)).toEqual({ isSetUp: true, key: "one-key" });
    expect(await knownToken(data, { ...TOKEN, "Token ID": "second" })).toEqual({ isSetUp: true, key: null });
  });
});
