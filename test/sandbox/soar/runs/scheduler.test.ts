import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import { openHost, type Host } from "../../../../sandbox/soar/index.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FIELDS } from "../fake-package.ts";
import { IDENTIFIER, installed, runEnded } from "../running.ts";

const folder = temporaryFolder();
const EVERY_MS = 600_000;
let clock: FakeClock;
let data: string;
let host: Host;
let id: string;
let round = 0;
beforeEach(async () => {
  clock = new FakeClock();
  data = join(folder, `host-${(round += 1)}`);
  host = openHost({ data, clock });
  await installed(host, folder, "result();");
  ({ id } = host.connectors.add({ integration: IDENTIFIER, name: "Findings", parameters: FIELDS }));
});
afterEach(() => host.close());

const next = () => host.connectors.view(id).nextRunAt;

async function runAfter(ms: number): Promise<string> {
  const ended = runEnded(host);
  clock.advance(ms);
  return (await ended).by;
}

describe("the schedule", () => {
  it("runs nothing that is disabled, and nothing before the host is started", () => {
    expect(host.connectors.view(id)).toMatchObject({ enabled: false, nextRunAt: null, runEveryMs: EVERY_MS });
    expect(host.connectors.enable(id, true)).toMatchObject({ enabled: true, nextRunAt: null });
    expect(clock.busy).toBe(false);
  });

  it("runs an enabled connector at once, and then at its interval from start to start", async () => {
    host.start();
    host.connectors.enable(id, true);
    expect(next()).toBe(clock.now());
    expect(await runAfter(0)).toBe("Schedule");
    expect(next()).toBe(clock.now() + EVERY_MS);
    clock.advance(EVERY_MS - 1);
    expect(host.records.list().total).toBe(1);
    await runAfter(1);
    expect(host.records.list().total).toBe(2);
    host.connectors.enable(id, false);
    expect([next(), clock.busy]).toEqual([null, false]);
  });

  it("counts from a run that a person started, and follows a changed interval", async () => {
    host.start();
    host.connectors.enable(id, true);
    await runAfter(0);
    clock.advance(EVERY_MS / 2);
    await host.runConnector(id);
    expect(next()).toBe(clock.now() + EVERY_MS);
    host.connectors.change(id, {
      integration: IDENTIFIER,
      name: "Findings",
      parameters: { ...FIELDS, "Run Every": 1 },
    });
    expect(next()).toBe(clock.now() + 60_000);
  });

  it("goes on after a restart where it stood", async () => {
    host.start();
    host.connectors.enable(id, true);
    await runAfter(0);
    const planned = next();
    await host.close();
    clock.advance(60_000);
    host = openHost({ data, clock });
    host.start();
    expect(next()).toBe(planned);
  });

  it("starts with a stored interval that is no number of minutes", () => {
    const connector = host.store.connector(id);
    host.store.reconfigure("connectors", { ...connector, parameters: { ...FIELDS, "Run Every": "" } }, []);
    host.connectors.enable(id, true);
    host.start();
    expect(host.connectors.list()).toMatchObject([{ runEveryMs: 3_600_000, nextRunAt: clock.now() }]);
  });

  it("refuses an interval of more than a year, and plans with a year when a longer one is stored", () => {
    const parameters = { ...FIELDS, "Run Every": 999_999_999_999 };
    const input = { integration: IDENTIFIER, name: "Other", parameters };
    const reason = 'Parameter "Run Every" must be at most 525600';
    expect(() => host.connectors.add(input)).toThrow(reason);
    expect(() => host.connectors.change(id, input)).toThrow(reason);
    host.store.reconfigure("connectors", { ...host.store.connector(id), parameters }, []);
    expect(host.connectors.view(id).runEveryMs).toBe(365 * 86_400_000);
  });

  it("goes on at its interval when the clock was set back since the last run", async () => {
    host.start();
    host.connectors.enable(id, true);
    await runAfter(0);
    clock.set(-26 * 3_600_000);
    host.connectors.enable(id, false);
    host.connectors.enable(id, true);
    expect(next()).toBe(clock.now() + EVERY_MS);
    await runAfter(EVERY_MS);
    const [last] = host.records.list().rows;
    expect(host.records.last(id)).toEqual(last);
    expect(last!.startedAt).toBe(clock.now());
    expect(next()).toBe(clock.now() + EVERY_MS);
  });

  it("ends with the host", async () => {
    host.start();
    host.connectors.enable(id, true);
    await host.close();
    expect(clock.busy).toBe(false);
    host = openHost({ data, clock });
  });
});
