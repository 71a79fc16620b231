import { describe, expect, it } from "@jest/globals";
import type { EnvironmentList } from "../../src/service/attack-path-service.ts";
import { checkConnection } from "../../src/investigation/check-connection.ts";
import { TimeoutError } from "../../src/service/errors/errors.ts";
import { fakeService } from "../support/fake-service.ts";

function serviceThat(list: () => Promise<EnvironmentList>) {
  return fakeService({ environments: { list }, requestsSent: 0 });
}

describe("checkConnection", () => {
  it("counts an environment once that the service lists twice", async () => {
    const one = { id: "S-1-5-21-1-2-3", name: "A.TEST", collected: true };
    const other = { id: "S-1-5-21-4-5-6", name: "B.TEST", collected: false };
    const list = () => Promise.resolve({ environments: [one, other, one], unreadable: 0 });
    const { report } = await checkConnection(serviceThat(list));
    expect(report).toMatchObject({ environments: 2, collected: 1 });
  });

  it("does not count as collected what the service does not call so", async () => {
    const one = { id: "S-1-5-21-1-2-3", name: "A.TEST", collected: true };
    const other = { id: "S-1-5-21-4-5-6", name: "B.TEST" };
    const list = () => Promise.resolve({ environments: [one, other], unreadable: 0 });
    const { report } = await checkConnection(serviceThat(list));
    expect(report).toMatchObject({ environments: 2, collected: null });
  });

  it.each([true, false])("says that the service was reached only if the answer is its own (%s)", async (wrapped) => {
    const list = () => Promise.reject(new TimeoutError("Too slow.", { whoActs: "service", status: 408, wrapped }));
    const { report } = await checkConnection(serviceThat(list));
    expect(report).toMatchObject({ reached: wrapped, authenticated: false });
  });
});
