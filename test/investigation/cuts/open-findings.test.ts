import { expect, it } from "@jest/globals";
import { eventOf } from "../../../src/ingestion/mapping/event.ts";
import { readOpenFindings } from "../../../src/investigation/cuts/open-findings.ts";
import type { FindingsPage } from "../../../src/service/attack-path-service.ts";
import type { Finding } from "../../../src/service/resources/findings.records.ts";
import { fakeService } from "../../support/fake-service.ts";
import { environment, MAPPED_AT, newFinding, ORIGIN, relationship } from "../../support/mapped-findings.ts";

/** A service that lists these findings, all of one type. */
function serviceWith(findings: Finding[]) {
  async function* pages(): AsyncGenerator<FindingsPage> {
    const page = {
      findings,
      invalidValues: [],
      total: findings.length,
      skip: 0,
      isMoved: false,
      inOrder: true,
      order: 0,
    };
    yield await Promise.resolve(page);
  }
  const types = () => Promise.resolve({ types: ["T0GenericAll"] });
  return fakeService({ findings: { types, pages } as unknown as ReturnType<typeof fakeService>["findings"] });
}

it("names the finding types as not read when entries of their list are not names", async () => {
  const service = serviceWith([]);
  const types = () => Promise.resolve({ types: [], unreadable: 2 });
  const read = await readOpenFindings({ findings: { ...service.findings, types } }, environment.id, () => undefined);
  expect(read.unread).toEqual([
    { name: "finding types", error: expect.objectContaining({ code: "protocol" }) as unknown as Error },
  ]);
});

it("names a finding type as not read when its list has entries of another one, and counts them as nothing", async () => {
  const service = serviceWith([{ ...relationship, id: 1 }, {}, {}]);
  const { findings, withoutPath, unread } = await readOpenFindings(service, environment.id, () => undefined);
  expect([findings.length, withoutPath]).toEqual([1, 0]);
  expect(unread).toEqual([
    { name: "T0GenericAll", error: expect.objectContaining({ code: "protocol" }) as unknown as Error },
  ]);
});

it("gives a finding the severity that it has in its alert, whatever the service says of it", async () => {
  const said: [word: string, exposure: number, impact: number][] = [
    ["medium ", 0.01, 0.01],
    ["Critical", 0.01, 0.01],
    ["", 0.96, 0.01],
    ["", 0, 0.85],
    ["informational", 0.5, 0.01],
    ["", 0, 0],
  ];
  const findings = said.map(([Severity, ExposurePercentage, ImpactPercentage], index): Finding => ({
    ...relationship,
    id: index,
    Severity,
    ExposurePercentage,
    ImpactPercentage,
  }));
  const read = await readOpenFindings(serviceWith(findings), environment.id, () => undefined);
  const severities = read.findings.map(({ severity }) => severity);
  expect(severities).toEqual(["moderate", "critical", "critical", "high", "moderate", "unknown"]);
  const terms = { environmentName: environment.name, origin: ORIGIN, now: MAPPED_AT };
  expect(severities).toEqual(findings.map((finding) => eventOf(newFinding(finding), terms).severity));
});
