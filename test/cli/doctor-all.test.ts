import { describe, expect, it } from "@jest/globals";
import { examineAll, type TenantReport } from "../../src/cli/doctor/all.ts";
import { type CheckResult, failed, ok, skipped, warning } from "../../src/cli/doctor/check.ts";
import type { CheckReport, Diagnosis } from "../../src/cli/doctor/doctor.ts";
import type { Output } from "../../src/cli/output.ts";
import { ProfileStore } from "../../src/cli/profiles/store.ts";
import { Deadline } from "../../src/deadline.ts";
import { Secret } from "../../src/service/credentials.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const deadline = new Deadline({ clock: new FakeClock(), at: null, stops: [] });
const output = { protect: () => undefined } as unknown as Output;

async function storeOf(...names: string[]): Promise<ProfileStore> {
  const store = new ProfileStore(`${temporaryFolder()}/profile.json`);
  const credentials = { kind: "token", id: "1", key: new Secret("a2V5") } as const;
  for (const name of names) await store.add(name, { server: `https://${name}.test`, credentials });
  return store;
}

async function reportsOf(
  store: ProfileStore,
  examine: (server: string) => Promise<Diagnosis>,
): Promise<TenantReport[]> {
  const reports: TenantReport[] = [];
  for await (const report of examineAll({ output }, store, deadline, ({ server }) => examine(server)))
    reports.push(report);
  return reports;
}

function check(name: string, result: CheckResult, required = true): CheckReport {
  const { status, summary, fix = null, facts = {} } = result;
  return { name, title: `The ${name}`, status, required, summary, fix, facts };
}

const diagnosis = (canRun: boolean, ...checks: CheckReport[]): Diagnosis => ({ canRun, checks, exchanges: [] });

describe("the tenants of all profiles", () => {
  it.each<[string, Diagnosis, Partial<TenantReport>]>([
    [
      "nothing wrong",
      diagnosis(
        true,
        check("analysis", ok("Ended.", { completedAt: "2030-01-01T00:00:00Z" })),
        check("token-age", ok("Old.", { createdAt: "2029-01-01T00:00:00Z" })),
      ),
      {
        state: "ok",
        problem: null,
        exitCode: 0,
        lastAnalysis: "2030-01-01T00:00:00Z",
        tokenCreatedAt: "2029-01-01T00:00:00Z",
      },
    ],
    [
      "something that does not stop the connector",
      diagnosis(
        true,
        check("analysis", skipped("Unknown.")),
        check("x", warning("Slow.", "Hurry.")),
        check("y", failed("Off.", "Turn it on."), false),
      ),
      { state: "warnings", problem: "The x: Slow. Hurry.", exitCode: 0, lastAnalysis: null, tokenCreatedAt: null },
    ],
    [
      "something that does",
      diagnosis(false, check("x", warning("Slow.", "Hurry.")), check("y", failed("Off.", "Turn it on."), false), {
        ...check("z", failed("Down.", "")),
        fix: null,
      }),
      { state: "cannot run", problem: "The z: Down.", exitCode: 1, canRun: false },
    ],
  ])("are reported with %s", async (_, found, expected) => {
    const [report] = await reportsOf(await storeOf("acme"), () => Promise.resolve(found));
    expect(report).toMatchObject({ profile: "acme", server: "https://acme.test", checks: found.checks, ...expected });
  });

  it("are examined four at a time, and reported in the order of the profiles", async () => {
    const open: (() => void)[] = [];
    const begun: string[] = [];
    const done = reportsOf(await storeOf("a", "b", "c", "d", "e", "f"), async (server) => {
      begun.push(server);
      await new Promise<void>((resolve) => open.push(resolve));
      return diagnosis(true);
    });
    while (open.length < 4) await settle();
    for (let rounds = 0; rounds < 20; rounds++) await settle();
    expect(begun.sort()).toEqual(["https://a.test", "https://b.test", "https://c.test", "https://d.test"]);
    // The last ones are done first.
    for (let ended = 0; ended < 6; ended++) {
      while (open.length === 0) await settle();
      open.pop()?.();
    }
    expect((await done).map(({ profile }) => profile)).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  it("end with an error that is a bug", async () => {
    const broken = reportsOf(await storeOf("a"), () => Promise.reject(new TypeError("broken")));
    await expect(broken).rejects.toThrow(TypeError);
  });
});
