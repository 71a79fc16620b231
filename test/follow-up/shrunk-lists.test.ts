import { beforeEach, describe, expect, test } from "@jest/globals";
import { sizesAfter } from "../../src/follow-up/proof/list-sizes.ts";
import { Host, HOUR, named, Tenant } from "./tenant.ts";

const TYPE = "Kerberoasting";
const OTHER = "ASREPRoasting";

let tenant: Tenant;
let host: Host;

beforeEach(() => {
  tenant = new Tenant();
  host = new Host(tenant);
});

const nextDay = (days = 1) => host.runAfter(24 * days);

/** A list of findings about single objects. The host has alerts about the first ones only. */
function list(type: string, prefix: string, { length, alerts }: { length: number; alerts: number }): void {
  tenant.single.add(type);
  const targets = named(prefix, length);
  host.add(type, ...targets.slice(0, alerts));
  tenant.listed.set(type, new Set(targets));
}

function giveBack(type: string, ...targets: string[]): void {
  for (const target of targets) tenant.listed.get(type)?.add(target);
}

/** What is asked for in so many days. */
async function askedIn(days: number): Promise<string[]> {
  const asked: string[] = [];
  for (let day = 0; day < days; day++) asked.push(...(await nextDay()).asked);
  return [...new Set(asked)];
}

/** So many days in which the pause holds and nothing is asked for. */
async function paused(days: number): Promise<void> {
  for (let day = 0; day < days; day++) expect(await nextDay()).toMatchObject({ asked: [], closingPaused: ["E"] });
}

describe("when lists become shorter by more than the pause allows", () => {
  test("the few alerts about what vanished are never closed until it was listed again", async () => {
    list(TYPE, "K", { length: 40, alerts: 4 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 20));
    await paused(20);
    giveBack(TYPE, "K0");
    await nextDay();
    tenant.lose(TYPE, "K0");
    expect(await askedIn(3)).toEqual([`close ${TYPE}-K0`]);
  });

  test("nothing that vanishes within eight days is closed, and what vanishes later is", async () => {
    list(TYPE, "K", { length: 40, alerts: 40 });
    host.alerts = host.alerts.slice(30);
    await host.run();
    tenant.lose(TYPE, ...named("K", 20));
    for (let day = 0; day < 6; day++) expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    tenant.lose(TYPE, "K30");
    await paused(4);
    tenant.lose(TYPE, "K31");
    expect(await askedIn(6)).toEqual([`close ${TYPE}-K31`]);
  });

  test("it counts that they did so step by step", async () => {
    list(TYPE, "K", { length: 40, alerts: 1 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 7).slice(1));
    await nextDay(3);
    tenant.lose(TYPE, ...named("K", 14));
    await paused(4);
  });

  test("it does not count that they do so within more than eight days", async () => {
    list(TYPE, "K", { length: 40, alerts: 1 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 8).slice(1));
    await nextDay();
    tenant.lose(TYPE, ...named("K", 14));
    expect(await askedIn(1)).toEqual([]);
    tenant = new Tenant();
    host = new Host(tenant);
    list(TYPE, "K", { length: 40, alerts: 1 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 8).slice(1));
    expect(await askedIn(9)).toEqual([]);
    tenant.lose(TYPE, ...named("K", 14));
    expect(await askedIn(3)).toEqual([`close ${TYPE}-K0`]);
  });

  test("everything is closed as usual once they are as long as before", async () => {
    list(TYPE, "K", { length: 40, alerts: 2 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 20).slice(1));
    await paused(2);
    giveBack(TYPE, ...named("K", 20).slice(1));
    expect(await nextDay()).toMatchObject({ asked: [], closingPaused: [] });
    tenant.lose(TYPE, "K0");
    expect(await askedIn(3)).toEqual([`close ${TYPE}-K0`]);
  });

  test("it counts although the job did not run for eight days", async () => {
    list(TYPE, "K", { length: 40, alerts: 2 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 20));
    expect(await nextDay(9)).toMatchObject({ asked: [], closingPaused: ["E"] });
    await paused(12);
  });

  test("it counts for what was marked as deleted at the beginning of such a pause, too", async () => {
    list(TYPE, "K", { length: 40, alerts: 1 });
    await host.run();
    tenant.deleted.set("K0", new Date(tenant.now + HOUR).toISOString());
    tenant.lose(TYPE, ...named("K", 20).slice(1));
    await nextDay(9);
    await paused(12);
  });

  test("a list that has grown does not make up for another", async () => {
    list(TYPE, "K", { length: 40, alerts: 1 });
    list(OTHER, "A", { length: 60, alerts: 1 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 20).slice(1));
    await nextDay();
    giveBack(TYPE, ...named("K", 70));
    await nextDay();
    tenant.lose(OTHER, ...named("A", 45));
    await paused(3);
  });

  test("a type that was not known meanwhile does not hide it", async () => {
    list(TYPE, "K", { length: 40, alerts: 1 });
    await host.run();
    tenant.removed.add(TYPE);
    await nextDay();
    await nextDay();
    tenant.removed.delete(TYPE);
    tenant.lose(TYPE, ...named("K", 20));
    await paused(12);
  });

  test("the lists of all types count together", async () => {
    list(TYPE, "K", { length: 30, alerts: 2 });
    list(OTHER, "A", { length: 10, alerts: 2 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 7));
    tenant.lose(OTHER, ...named("A", 7));
    await paused(4);
  });

  test("a list that cannot be read, or whose type is not known any more, may have lost everything", async () => {
    for (const trouble of ["unreadable", "removed"] as const) {
      tenant = new Tenant();
      host = new Host(tenant);
      list(TYPE, "K", { length: 30, alerts: 2 });
      list(OTHER, "A", { length: 10, alerts: 2 });
      await host.run();
      tenant.lose(OTHER, "A0");
      tenant[trouble].add(TYPE);
      expect(await askedIn(4)).toEqual([]);
    }
  });

  test("a type that is withdrawn does not count any more", async () => {
    list(TYPE, "K", { length: 30, alerts: 2 });
    list(OTHER, "A", { length: 10, alerts: 2 });
    await host.run();
    tenant.removed.add(TYPE);
    await askedIn(8);
    tenant.lose(OTHER, "A0");
    expect(await askedIn(3)).toEqual([`close ${OTHER}-A0`]);
  });

  test("accepted findings that are still listed do not count as lost", async () => {
    list(TYPE, "K", { length: 40, alerts: 2 });
    await host.run();
    for (const target of named("K", 30).slice(2)) tenant.accepted.add(target);
    tenant.lose(TYPE, "K0");
    expect(await askedIn(3)).toEqual([`close ${TYPE}-K0`]);
  });

  test("the admin can allow it once, and the pause does not hold for it any more", async () => {
    list(TYPE, "K", { length: 40, alerts: 3 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 20).filter((target) => target !== "K2"));
    await paused(3);
    host.settings = { ...host.settings, allowsMassClosing: true };
    expect((await nextDay()).asked).toEqual([`close ${TYPE}-K0`, `close ${TYPE}-K1`]);
    host.settings = { ...host.settings, allowsMassClosing: false };
    host.alerts = host.alerts.slice(2);
    tenant.lose(TYPE, "K2");
    expect(await askedIn(3)).toEqual([`close ${TYPE}-K2`]);
  });

  test("nothing is known of it without the job's state", async () => {
    list(TYPE, "K", { length: 40, alerts: 1 });
    await host.run();
    tenant.lose(TYPE, ...named("K", 20));
    host.state = null;
    expect(await askedIn(3)).toEqual([`close ${TYPE}-K0`]);
  });
});

test("of the steps of one day, the largest size counts until the last of them", () => {
  const noon = 20_000.5 * 24 * HOUR;
  const once = sizesAfter({ current: 400 }, 390, noon);
  const former = [{ size: 400, until: noon + 2 * HOUR }];
  expect(sizesAfter(once, 100, noon + 2 * HOUR)).toEqual({ current: 100, former });
});

test("the job remembers at most ten sizes of a list that becomes shorter in each run", async () => {
  list(TYPE, "K", { length: 400, alerts: 1 });
  for (let run = 0; run < 300; run++) {
    tenant.lose(TYPE, `K${399 - run}`);
    await host.runAfter(1);
  }
  const former = JSON.stringify(host.state).split('"until"').length - 1;
  expect(former).toBeGreaterThan(5);
  expect(former).toBeLessThanOrEqual(10);
});
