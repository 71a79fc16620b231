import { describe, expect, it } from "@jest/globals";
import type { FindingsPage } from "../../../src/service/connect.ts";
import { isEmpty } from "../../../src/service/resources/findings.ts";
import { answering } from "../support/answering.ts";
import { errorOf } from "../support/clients.ts";

const tenant = answering();
const stream = { environmentId: "S-1-5", findingType: "T0Owns" };

async function read(): Promise<FindingsPage[]> {
  const pages: FindingsPage[] = [];
  for await (const page of tenant.service.findings.pages(stream)) pages.push(page);
  return pages;
}

describe("findings of another stream than was asked for", () => {
  it.each([
    [{ id: 2, Finding: "T0Logins", DomainSID: "S-1-5" }, "belongs to another finding type"],
    [{ id: 2, Finding: "T0Owns", DomainSID: "S-1-6" }, "belongs to another environment"],
  ])("are replaced by empty ones, and their places say why: %j", async (stranger, problem) => {
    const own = { id: 1, Finding: "T0Owns", DomainSID: "S-1-5" };
    tenant.respond({ count: 2, data: [own, stranger] });
    const [page] = await read();
    expect(page?.findings).toEqual([own, {}]);
    expect(page?.findings.map(isEmpty)).toEqual([false, true]);
    expect(page?.invalidValues).toEqual([{ position: 1, path: "", problem }]);
  });

  it("still count as different records, so that the list is read to its end", async () => {
    tenant.respond({ count: 3, data: [1, 2, 3].map((id) => ({ id, Finding: "T0Logins" })) });
    expect((await read()).flatMap(({ findings }) => findings)).toEqual([{}, {}, {}]);
  });

  it("are not detected where the record names no stream, or writes its ids in another letter case", async () => {
    const findings = [
      { id: 1 },
      { id: 2, Finding: "t0owns", DomainSID: "s-1-5" },
      { id: 3, Finding: "", DomainSID: "" },
    ];
    tenant.respond({ count: 4, data: [...findings, { id: 4, Finding: null, DomainSID: 7 }] });
    expect((await read())[0]?.findings).toEqual([...findings, { id: 4 }]);
  });

  it("are not detected where the environment is no directory domain, unless both ids are those of cloud tenants", async () => {
    const [cloud, other] = ["8f0c1c9e-0000-4000-8000-000000000001", "8f0c1c9e-0000-4000-8000-000000000002"];
    const findings = [
      { id: 1, DomainSID: "CORP.ONMICROSOFT.COM" },
      { id: 2, DomainSID: cloud },
    ];
    tenant.respond({ count: 3, data: [...findings, { id: 3, DomainSID: other }] });
    const pages: FindingsPage[] = [];
    for await (const page of tenant.service.findings.pages({ ...stream, environmentId: cloud })) pages.push(page);
    expect(pages[0]?.findings).toEqual([...findings, {}]);
  });

  it("are detected in a directory domain by a SID or a GUID, and not by a name", async () => {
    const named = { id: 1, DomainSID: "CORP.TEST" };
    tenant.respond({ count: 2, data: [named, { id: 2, DomainSID: "8f0c1c9e-0000-4000-8000-000000000001" }] });
    expect((await read())[0]?.findings).toEqual([named, {}]);
  });

  it("are no probe: neither the record nor the count is that of the stream", async () => {
    tenant.respond({ count: 5, data: [{ id: 9, Finding: "T0Logins" }] });
    await expect(tenant.service.findings.newest(stream)).resolves.toBeNull();
    tenant.respond({ count: 5, data: [{ id: 9, Finding: "T0Owns" }] });
    await expect(tenant.service.findings.newest(stream)).resolves.toMatchObject({ total: 5 });
  });
});

describe("a sparkline of another environment", () => {
  it("is an error, and no evidence", async () => {
    tenant.respond({ data: [{ DomainSID: "s-1-5" }, { DomainSID: "S-1-6" }] });
    await expect(errorOf(tenant.service.findings.sparkline(stream))).resolves.toMatchObject({
      code: "protocol",
      message: expect.stringContaining("is about another environment"),
    });
    tenant.respond({ data: [{ DomainSID: "s-1-5" }, {}] });
    await expect(tenant.service.findings.sparkline(stream)).resolves.toHaveLength(2);
  });
});
