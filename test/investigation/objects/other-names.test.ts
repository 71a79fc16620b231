import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { findObjectById, findObject } from "../../../src/investigation/objects/find-object.ts";
import type { SearchResult } from "../../../src/service/resources/objects.records.ts";
import { directory, object } from "../../support/fake-service.ts";

const domains = [
  object("D-CORP", "CORP.HALDEN.TEST", "Domain"),
  object("D-EU", "EU.CORP.HALDEN.TEST", "Domain"),
  object("D-AD", "AD.CONTOSO.TEST", "Domain"),
  object("D-LONG", "INTERNATIONALSALES.TEST", "Domain"),
  object("T-1", "HALDEN.ONMICROSOFT.TEST", "AZTenant"),
];
const people = [
  object("S-ADA", "ADA@CORP.HALDEN.TEST"),
  object("S-BEN", "BEN@EU.CORP.HALDEN.TEST"),
  object("S-BOB-CORP", "BOB@CORP.HALDEN.TEST"),
  object("S-BOB-EU", "BOB@EU.CORP.HALDEN.TEST"),
  object("S-CARL", "CARL@AD.CONTOSO.TEST"),
  object("S-SALLY", "SALLY@INTERNATIONALSALES.TEST"),
  object("S-ADAM", "SUB.ADAM@CORP.HALDEN.TEST"),
  object("S-CLOUD", "CLOUDIA@HALDEN.ONMICROSOFT.TEST", "AZUser"),
  object("S-GMSA", "GMSA$@CORP.HALDEN.TEST"),
  object("S-SRV01", "SRV01.CORP.HALDEN.TEST", "Computer"),
  object("S-DC01-CORP", "DC01.CORP.HALDEN.TEST", "Computer"),
  object("S-DC01-EU", "DC01.EU.CORP.HALDEN.TEST", "Computer"),
];
const known = [...domains, ...people];
const idsOf = (objects: readonly { objectId: string }[]) => objects.map(({ objectId }) => objectId);

describe("findObject, for names as other products write them", () => {
  it.each([
    ["corp\\ada", "S-ADA", "DOMAIN\\user"],
    ["CORP\\\\ada", "S-ADA", "a backslash that a product escaped"],
    ["corp.halden.test\\Ada", "S-ADA", "the DNS name of the domain"],
    ["EU\\bob", "S-BOB-EU", "a user name that two domains have"],
    ["CONTOSO\\carl", "S-CARL", "a NetBIOS name that is a later label of the domain"],
    ["INTERNATIONALSA\\sally", "S-SALLY", "a NetBIOS name that Windows cut off"],
    ["CORP\\SRV01$", "S-SRV01", "a machine account"],
    ["CORP\\SRV01", "S-SRV01", "a host with its domain"],
    ["CORP\\GMSA$", "S-GMSA", "a service account whose name ends like that of a machine"],
    ["srv01$", "S-SRV01", "a machine account without its domain"],
    ["SRV01$@CORP.HALDEN.TEST", "S-SRV01", "a machine account as Kerberos writes it"],
    ["srv01", "S-SRV01", "a short host name"],
    ["ada", "S-ADA", "a user name"],
    ["gmsa$", "S-GMSA", "the user name of a service account"],
    ["cloudia", "S-CLOUD", "the user name of a cloud user"],
    ["ada@corp", "S-ADA", "a user name with the NetBIOS name behind it"],
    ["ada@halden.example", "S-ADA", "an e-mail address of another domain"],
  ])("finds %s as %s: %s", async (text, objectId) => {
    expect(await findObject(directory(known), text)).toMatchObject({ status: "found", object: { objectId } });
  });

  it.each([
    ["bob", ["S-BOB-CORP", "S-BOB-EU"]],
    ["bob@mail.example", ["S-BOB-CORP", "S-BOB-EU"]],
    ["dc01", ["S-DC01-CORP", "S-DC01-EU"]],
    ["DC01$", ["S-DC01-CORP", "S-DC01-EU"]],
  ])("calls %s ambiguous, and names the objects that it can mean", async (text, ids) => {
    const found = await findObject(directory(known), text);
    expect({ status: found.status, ids: idsOf(found.candidates) }).toEqual({ status: "ambiguous", ids });
  });

  it.each<[text: string, similar: string | null, reason: string]>([
    ["CORP\\ben", "S-BEN", "the domain is known, and its child domain has the user"],
    ["ben@corp.halden.test", "S-BEN", "the address is a full name in a known domain"],
    ["ada@halden.onmicrosoft.test", "S-ADA", "the address is in a known tenant"],
    ["SRV01\\ada", "S-ADA", "a local account of a host"],
    ["NT AUTHORITY\\ada", "S-ADA", "an account of the operating system"],
    ["HALDEN\\cloudia", null, "a logon name never means a cloud user"],
    ["ad", "S-ADA", "a part of a user name"],
    ["adam@mail.example", "S-ADAM", "a part of a user name, in an address"],
  ])("does not find %s, and at most names %s as similar: %s", async (text, similar) => {
    const found = await findObject(directory(known), text);
    expect(found.status).toBe("not_found");
    if (similar === null || text.startsWith("adam")) expect(found.candidates).toEqual([]);
    else expect(idsOf(found.candidates)).toContain(similar);
  });

  it("prefers the object that has the whole text as its name or id", async () => {
    const objects = directory([
      ...known,
      object("S-MAIL", "ADA@HALDEN.EXAMPLE", "AZUser"),
      object("S-ODD", "ADA", "GPO"),
    ]);
    expect(await findObject(objects, "ada@halden.example")).toMatchObject({ object: { objectId: "S-MAIL" } });
    expect(await findObject(objects, "ada")).toMatchObject({ object: { objectId: "S-ODD" } });
  });

  it("takes only object ids where that is asked for", async () => {
    for (const text of ["ada", "CORP\\ada", "ada@corp.halden.test"])
      expect(await findObjectById(directory(known), text)).toMatchObject({ status: "not_found" });
    expect(await findObjectById(directory(known), "s-ada")).toMatchObject({ status: "found" });
  });

  describe("behind a page of objects that the token may not see", () => {
    const hidden = Array.from({ length: 300 }, (_, index) => object(`H-${index}`, `ADAM${index}@HIDDEN.TEST`));
    const isHidden = ({ objectid }: SearchResult): boolean => objectid.startsWith("H-");

    it("finds the object that has the name", async () => {
      const found = await findObject(directory([...hidden, ...known], { isHidden }), "ada");
      expect(found).toMatchObject({ status: "found", object: { objectId: "S-ADA" } });
    });

    it("finds another object that has the name, so that it is ambiguous", async () => {
      const all = [...known, ...hidden, object("S-ADA-EU", "ADA@EU.CORP.HALDEN.TEST")];
      const found = await findObject(directory(all, { isHidden }), "ada");
      expect({ status: found.status, ids: idsOf(found.candidates) }).toEqual({
        status: "ambiguous",
        ids: ["S-ADA", "S-ADA-EU"],
      });
    });
  });

  it("cannot tell when the search for another form cannot be read to its end", async () => {
    const objects = {
      search: ({ text, skip = 0 }: { text: string; skip?: number }) =>
        Promise.resolve(text === "ADA@" ? { records: people.slice(skip, 1), total: 9 } : { records: [], total: null }),
    };
    await expect(findObject(objects, "CORP\\ada")).rejects.toMatchObject({ code: "protocol" });
  });

  it.each([
    ["ada", 3],
    ["srv01", 3],
    ["CORP\\ada", 3],
    ["CORP\\SRV01$", 5],
    ["ada@halden.example", 5],
    ["CONTOSO\\carl", 8],
    ["CORP\\nobody", 5],
    ["nobody@halden.example", 3],
    ["nobody", 2],
    ["S-1-5-21-1-2-3-4", 1],
  ])("asks a service that gives no count for %s in %i requests", async (text, requests) => {
    const objects = directory(known);
    await findObject(objects, text);
    expect(objects.asked).toBe(requests);
  });
});

const account = fc.constantFrom("A", "B", "AB", "A.B", "A$", "SRV");
const domain = fc.constantFrom("CORP.TEST", "EU.CORP.TEST", "AD.CORP.EXAMPLE", "OTHER.TEST");
const holder = fc.record({ account, domain, kind: fc.constantFrom("User", "Computer", "Group", "AZUser") });
const nameOf = ({ account, domain, kind }: { account: string; domain: string; kind: string }) =>
  kind === "Computer" ? `${account.replace("$", "")}.${domain}` : `${account}@${domain}`;
const world = fc.record({
  holders: fc.array(holder, { maxLength: 8 }),
  domains: fc.uniqueArray(domain, { maxLength: 4 }),
});
const written = fc.oneof(
  account.map((name) => ({ name, place: null, text: name.toLowerCase() })),
  fc.tuple(account, fc.constantFrom("CORP", "EU", "TEST", "HOST7", "CORP.TEST")).map(([name, place]) => ({
    name,
    place,
    text: `${place}\\${name}`,
  })),
  fc.tuple(account, fc.constantFrom("MAIL.EXAMPLE", "CORP.TEST", "EU.CORP.TEST")).map(([name, place]) => ({
    name,
    place,
    text: `${name}@${place}`,
  })),
);

/** Worked out in another way than the search does it: by the name of the object alone. */
function carries({ name = "", type }: SearchResult, wanted: string): boolean {
  const [own] = name.includes("@") ? name.split("@") : type === "Computer" ? [name] : [""];
  if (name.includes("@")) return own === wanted;
  const labels = wanted.replace("$", "").split(".");
  return labels.every((label, index) => name.split(".")[index] === label);
}

describe("findObject, for any directory and any form of a name", () => {
  const objectsOf = ({ holders, domains: names }: { holders: Parameters<typeof nameOf>[0][]; domains: string[] }) => [
    ...holders.map((each, index) => object(`O-${index}`, nameOf(each), each.kind)),
    ...names.map((name, index) => object(`D-${index}`, name, "Domain")),
  ];

  it("never takes a name for an object that does not carry it, and calls it ambiguous only for several that do", async () => {
    await fc.assert(
      fc.asyncProperty(world, written, fc.integer({ min: 1, max: 5 }), async (made, { name, text }, pageLimit) => {
        const all = objectsOf(made);
        const found = await findObject(directory(all, { pageLimit }), text);
        const meant = found.status === "found" ? [found.object] : found.status === "ambiguous" ? found.candidates : [];
        for (const { objectId } of meant) {
          const chosen = all.find(({ objectid }) => objectid === objectId)!;
          expect(chosen.name === text.toUpperCase() || carries(chosen, name)).toBe(true);
        }
        if (found.status === "ambiguous") expect(new Set(idsOf(meant)).size).toBeGreaterThan(1);
      }),
      { numRuns: 500 },
    );
  });

  it("never leaves the domain that the text names, where the service knows that domain", async () => {
    await fc.assert(
      fc.asyncProperty(world, written, async (made, { place, text }) => {
        const calls = (dns: string): boolean => dns === place || dns.split(".")[0] === place;
        if (place === null || !made.domains.some(calls)) return;
        const found = await findObject(directory(objectsOf(made)), text);
        if (found.status !== "found") return;
        const name = found.object.name ?? "";
        const dns = made.domains.concat(["CORP.TEST", "EU.CORP.TEST", "AD.CORP.EXAMPLE"]).filter(calls);
        expect(dns.some((end) => name.endsWith(`@${end}`) || name.endsWith(`.${end}`))).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("does not read all names that contain a short one, and still finds the object, and one that is hidden behind them", async () => {
    const hosts = Array.from({ length: 20_000 }, (_, index) =>
      object(`H-${index}`, `SRV${index}.CORP.TEST`, "Computer"),
    );
    const objects = directory([...hosts, object("S-1", "SRV.CORP.TEST", "Computer")]);
    expect(await findObject(objects, "srv")).toMatchObject({ status: "found", object: { objectId: "S-1" } });
    expect(objects.asked).toBeLessThan(60);
    const both = directory([
      ...hosts,
      object("S-1", "SRV.CORP.TEST", "Computer"),
      object("S-2", "SRV@CORP.TEST", "User"),
    ]);
    expect(await findObject(both, "srv")).toMatchObject({ status: "ambiguous" });
  });

  it("finds the only object of an account name by its bare form, whatever else the directory holds", async () => {
    await fc.assert(
      fc.asyncProperty(world, holder, async (made, wanted) => {
        const one = object("ONE", nameOf(wanted), wanted.kind);
        const others = objectsOf(made).filter((other) => !carries(other, wanted.account));
        if (!carries(one, wanted.account)) return;
        expect(await findObject(directory([...others, one]), wanted.account.toLowerCase())).toMatchObject({
          status: "found",
          object: { objectId: "ONE" },
        });
      }),
    );
  });
});
