import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Message } from "../../src/runtime/protocol.ts";
import { bundledScript } from "../support/bundled-script.ts";
import { messageIn } from "../support/messages.ts";
import { pingRequest, SECRET } from "./harness.ts";

let plugin: string;
beforeAll(async () => {
  plugin = await bundledScript("test/runtime/fixtures/plugin.ts");
});

function start(behaviour: string): ChildProcess & { stdout: NodeJS.ReadableStream; stderr: NodeJS.ReadableStream } {
  const child = spawn(process.execPath, [plugin], { stdio: "pipe" });
  child.stdin.end(
    JSON.stringify(pingRequest({ instance: { Server: behaviour, "Token ID": "an id", "Token Key": SECRET } })),
  );
  return child;
}

async function end(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, "close")) as [number | null];
  return code;
}

async function collect(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}

async function runToEnd(behaviour: string): Promise<{ code: number | null; messages: Message[]; stderr: string }> {
  const child = start(behaviour);
  const [stdout, stderr, code] = await Promise.all([collect(child.stdout), collect(child.stderr), end(child)]);
  const messages = stdout.split("\n").slice(0, -1).map(messageIn);
  return { code, messages, stderr };
}

describe("main", () => {
  it("loses nothing of a long output when the process ends", async () => {
    const child = start("flood");
    // A reader that comes late finds the pipe full.
    await new Promise((resolve) => child.stdout.once("readable", resolve));
    const [stdout, code] = await Promise.all([collect(child.stdout), end(child)]);
    const lines = stdout.split("\n").slice(0, -1);
    expect(code).toBe(0);
    expect(lines).toHaveLength(20_001);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ type: "result", message: "flooded" });
  });

  it("lets a run wind up when the host ends it with SIGTERM", async () => {
    const child = start("wait");
    const messages: Message[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const message = messageIn(line);
      messages.push(message);
      if (message.type === "log") child.kill("SIGTERM");
    }
    expect(messages.at(-1)).toMatchObject({ type: "result", status: "failed", value: false });
    expect(messages.at(-1)).toHaveProperty(
      "message",
      expect.stringContaining("wound up: The host stopped the run before it finished."),
    );
    expect(child.exitCode ?? (await end(child))).toBe(0);
  });

  it.each(["stray", "rejection"])(
    "makes a failed result of an error that nobody caught (%s), without the secret",
    async (behaviour) => {
      const { code, messages, stderr } = await runToEnd(behaviour);
      expect(code).toBe(0);
      expect(messages).toHaveLength(1);
      expect(messages[0]).toMatchObject({ type: "result", status: "failed" });
      expect(messages[0]).toHaveProperty("message", expect.stringContaining("[redacted]"));
      expect(stderr).toContain("plugin.mjs");
      expect(stderr).not.toContain(SECRET);
    },
  );

  it("fails instead of ending without a result when a run waits for something that cannot happen", async () => {
    const { code, messages } = await runToEnd("stuck");
    expect(code).toBe(0);
    expect(messages).toMatchObject([{ type: "result", status: "failed", value: false }]);
  });

  it("ends although something is left open", async () => {
    const { code, messages } = await runToEnd("open");
    expect(code).toBe(0);
    expect(messages).toHaveLength(1);
  });

  it("ends with another exit code when the host closes standard output", async () => {
    const child = start("flood");
    child.stdout.once("data", () => {
      (child.stdout as unknown as { destroy(): void }).destroy();
    });
    const [stderr, code] = await Promise.all([collect(child.stderr), end(child)]);
    expect(code).toBe(1);
    expect(stderr).toContain("The host closed standard output before the result was written.");
  });
});
