import { describe, expect, it } from "@jest/globals";
import { listIn, objectIn, readResponseBody } from "../../../src/service/responses/response-body.ts";
import { TooLargeError } from "../../../src/service/errors/errors.ts";

const context = {
  endpoint: { method: "GET", path: "/api/v2/x" },
  asked: Infinity,
  redact: (text: string) => text,
} as const;
const read = (body: string) => readResponseBody({ status: 200, headers: {}, body }, context);

describe("a body that is small on the wire and has millions of values", () => {
  it.each([
    ["lists in lists", "[".repeat(4_000_001)],
    ["objects in objects", '{"a":'.repeat(4_000_001)],
    ["empty lists", `[${"[],".repeat(2_000_001)}1]`],
    ["numbers", `[${"1,".repeat(4_000_001)}1]`],
    ["a text that does not end, behind them", `[${"1,".repeat(4_000_001)}"\\`],
  ])("is discarded before it is parsed: %s", (_, data) => {
    expect(() => read(`{"data":${data}}`)).toThrow(TooLargeError);
  });

  it("is read when they stand in a text", () => {
    const text = '[{,\\"'.repeat(1_000_000);
    expect(read(JSON.stringify({ data: [text] })).data).toEqual([text]);
  });
});

describe("a response that is discarded", () => {
  const { endpoint } = context;
  const answer = (body: string) => ({ status: 200, headers: { "x-request-id": "gate-77" }, body });

  it.each(["", "{", "{}", '{"data":5}', "[]"])(
    "names the request id of the response, whatever is wrong: %j",
    (body) => {
      for (const dataOf of [listIn, objectIn]) {
        const readAnswer = () => dataOf(readResponseBody(answer(body), context), endpoint);
        expect(readAnswer).toThrow("(GET /api/v2/x, request id gate-77)");
        expect(readAnswer).toThrow(expect.objectContaining({ requestId: "gate-77" }));
      }
    },
  );
});
