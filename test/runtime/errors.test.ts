import { describe, expect, it } from "@jest/globals";
import { InputError, InterruptedError, isReadable, ParameterError, RequestError } from "../../src/runtime/errors.ts";

describe("an error for people", () => {
  it.each([
    ["RequestError", () => new RequestError("No.")],
    ["ParameterError", () => new ParameterError("Server", "is missing.")],
    ["InterruptedError", () => new InterruptedError("No.")],
    ["InputError", () => new InputError("No.")],
  ])("is known as such, and as %s", (name, make) => {
    const error = make();
    expect(isReadable(error)).toBe(true);
    // Logs and standard error show an error by its name.
    expect(String(error)).toBe(`${name}: ${error.message}`);
  });
});
