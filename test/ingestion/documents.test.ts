import { describe, expect, it } from "@jest/globals";
import type { StoredDocument } from "../../src/ingestion/checkpoint.ts";
import { boundedDocuments, Documents } from "../../src/ingestion/documents.ts";
import { RateLimitedError, ServerError } from "../../src/service/errors.ts";

const NOW = Date.UTC(2026, 0, 2);
const HOUR = 3_600_000;

/** Texts of a service that answers each document with its own name, unless told otherwise. */
function texts(stored: ReadonlyMap<string, StoredDocument>, answers: Record<string, Error> = {}) {
  const asked: string[] = [];
  const read = (findingType: string, kind: string): Promise<string> => {
    asked.push(kind);
    const answer = answers[kind];
    return answer === undefined ? Promise.resolve(`${kind} of ${findingType} `) : Promise.reject(answer);
  };
  return { documents: new Documents({ read }, stored, NOW), asked };
}

async function storedAt(readAt: number): Promise<Map<string, StoredDocument>> {
  const { documents } = texts(new Map());
  await documents.read("T0Owns");
  const [, packed] = documents.toStore("T0Owns") ?? [0, ""];
  return new Map([["T0Owns", [readAt, packed]]]);
}

const READ = {
  title: "title of T0Owns",
  shortDescription: "short_description of T0Owns ",
  shortRemediation: "short_remediation of T0Owns ",
  longRemediation: "long_remediation of T0Owns ",
};

describe("the texts of a finding type", () => {
  it("are asked for once in a run, however many alerts need them", async () => {
    const { documents, asked } = texts(new Map());
    const both = await Promise.all([documents.read("T0Owns"), documents.read("T0Owns")]);
    expect([both, asked.length]).toEqual([[READ, READ], 4]);
  });

  it.each([
    ["come from the state within a day", 23 * HOUR, 0],
    ["are asked for again after a day", 25 * HOUR, 4],
    ["are asked for again when the state's time lies ahead", -HOUR, 4],
  ])("%s", async (_, age, requests) => {
    const { documents, asked } = texts(await storedAt(NOW - age));
    expect([await documents.read("T0Owns"), asked.length]).toEqual([READ, requests]);
  });

  it("are asked for again when what the state holds is damaged", async () => {
    const { documents, asked } = texts(new Map([["T0Owns", [NOW, "bm90IGJyb3RsaQ=="]]]));
    expect([await documents.read("T0Owns"), asked.length]).toEqual([READ, 4]);
  });

  it("hold no finding back when one of them cannot be read, and are not kept then", async () => {
    const fault = new ServerError("down", { whoActs: "service" });
    const { documents } = texts(new Map(), { long_remediation: fault });
    expect(await documents.read("T0Owns")).toEqual({ ...READ, longRemediation: "" });
    expect(documents.failures).toEqual([{ findingType: "T0Owns", kind: "long_remediation", error: fault }]);
    expect(documents.toStore("T0Owns")).toBeUndefined();
  });

  it("end the run with what ends it", async () => {
    const { documents } = texts(new Map(), { title: new RateLimitedError("wait", { whoActs: "service" }, null) });
    await expect(documents.read("T0Owns")).rejects.toThrow("wait");
  });

  it("take a bounded part of the state, the newest first, and a large one does not push out the others", () => {
    const documents = new Map<string, StoredDocument>([
      ["huge", [9, "x".repeat(30_000)]],
      ...Array.from({ length: 30 }, (_, age): [string, StoredDocument] => [`T${age}`, [8 - age, "x".repeat(1_000)]]),
    ]);
    const kept = [...boundedDocuments(documents).keys()];
    expect(kept).toEqual(Array.from({ length: 23 }, (_, age) => `T${age}`));
  });
});
