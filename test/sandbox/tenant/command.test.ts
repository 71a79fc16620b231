import { expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { bundledScript } from "../../support/bundled-script.ts";
import { startTenant } from "../../support/tenant.ts";

const program = await bundledScript("sandbox/tenant/command.ts");
const { url } = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } });
const { port } = new URL(url);

it.concurrent.each([
  [["--port", port], `Port ${port} is in use. Stop the program that uses it, or choose another port with --port`],
  [["--port", "99999"], "It must be a number from 0 to 65535."],
  [["--fault", '{"path": "[", "effect": {"kind": "html"}}'], "The path of a fault must be a regular expression."],
])("npm run tenant with %j says what is wrong, without a stack trace", async (args, told) => {
  const child = spawn(process.execPath, [program, ...args]);
  const exit = once(child, "exit") as Promise<[number]>;
  const error = await text(child.stderr);
  expect([(await exit)[0], error]).toEqual([1, expect.stringContaining(told)]);
  expect(error).not.toContain("    at ");
});
