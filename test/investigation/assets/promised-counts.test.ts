import { describe, expect, it } from "@jest/globals";
import { completeCounts } from "../../../src/investigation/assets/promised-counts.ts";

describe("completeCounts", () => {
  it("keeps what was counted, also under names that are not expected", () => {
    expect(completeCounts("Container", { controllers: 0, novelty: 7 })).toEqual({ controllers: 0, novelty: 7 });
  });

  it("says null, not 0, for a count that the service should have given", () => {
    const counts = completeCounts("User", { sessions: 3 });
    expect(counts).toMatchObject({ sessions: 3, adminRights: null, groupMembership: null });
  });

  it("completes nested counts", () => {
    expect(completeCounts("AZKeyVault", { Readers: { KeyReaders: 2 } })).toEqual({
      Readers: { KeyReaders: 2, CertificateReaders: null, SecretReaders: null, AllReaders: null },
      inbound_object_control: null,
    });
    expect(completeCounts("AZTenant", {})).toEqual({
      descendents: { descendent_counts: null },
      inbound_object_control: null,
    });
    expect(
      completeCounts("AZTenant", { descendents: { descendent_counts: { AZUser: 4 } }, inbound_object_control: 1 }),
    ).toEqual({
      descendents: { descendent_counts: { AZUser: 4 } },
      inbound_object_control: 1,
    });
  });

  it.each([1.5, -1, 2 ** 60])("takes %d, which is no count, for a count that could not be read", (controllers) => {
    expect(completeCounts("Container", { controllers })).toEqual({ controllers: null });
    expect(completeCounts("AZKeyVault", { Readers: { KeyReaders: controllers } })).toMatchObject({
      Readers: { KeyReaders: null },
    });
  });

  it("takes a group for no count, and a count for no group", () => {
    const counts = { sessions: {}, adminRights: { inbound: 2 } };
    expect(completeCounts("User", counts)).toMatchObject({ sessions: null, adminRights: null });
    expect(completeCounts("AZTenant", { descendents: { descendent_counts: 3 } })).toMatchObject({
      descendents: { descendent_counts: null },
    });
  });
});
