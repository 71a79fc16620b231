import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

/** What a tool answered. */
export interface Answer {
  data: Record<string, unknown>;
  text: string;
  isError: boolean;
  bytes: number;
}

/** A client of a server in this process. It checks each answer against the schema of its tool. */
// oxlint-disable-next-line typescript/no-deprecated -- as in src/cli/mcp/server.ts
export async function clientOf(server: Server): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(near);
  await client.listTools();
  return client;
}

/** Calls a tool. */
export async function answerFrom(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
  const [content] = result.content;
  return {
    data: result.structuredContent ?? {},
    text: content?.type === "text" ? content.text : "",
    isError: result.isError === true,
    bytes: Buffer.byteLength(JSON.stringify(result)),
  };
}

/** @returns the path of a profile for the tenant */
export function profileFor({ url, tokenId, tokenKey }: Tenant, fields: object = { tokenId, tokenKey }): string {
  const path = join(mkdtempSync(join(temporaryFolder(), "p")), "profile.json");
  writeFileSync(path, JSON.stringify({ server: url, ...fields }), { mode: 0o600 });
  return path;
}
