import { expect, it } from "@jest/globals";
import { needs } from "./tools.ts";

const missing = () => undefined;

it("a tool that is there is handed to the suite", () => {
  expect(needs("python3", () => "/usr/bin/python3", true).found).toBe("/usr/bin/python3");
});

it("a missing tool fails a run in CI and names the Debian package", () => {
  expect(() => needs("chromium", missing, true)).toThrow(
    "chromium is not installed (Debian package chromium). CI runs every test, so install it.",
  );
});

it("a missing tool fails no other run", () => {
  expect(needs("chromium", missing, false).found).toBe("");
});
