import { once } from "node:events";
import { Writable } from "node:stream";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { manifest } from "../../generated/manifest.ts";
import type { Secret } from "../../service/credentials.ts";
import { type Cli, type ConnectionOptions } from "../command.ts";
import type { Output } from "../output/output.ts";
import { loggerFor } from "../output/request-log.ts";
import { actionTool } from "./action-tool.ts";
import { explainTool } from "./explain-tool.ts";
import { findingsTool } from "./findings-tool.ts";
import { createServer } from "./server.ts";
import type { Tool } from "./tool.ts";

/** A tenant, and the API token to ask it with. */
export interface TokenAccess {
  readonly server: string;
  readonly credentials: { readonly kind: "token"; readonly id: string; readonly key: Secret };
}

/** Serves standard input and output until the assistant closes standard input, or until Ctrl-C or SIGTERM. */
export async function serve(cli: Cli, access: TokenAccess, options: Pick<ConnectionOptions, "verbose">): Promise<void> {
  const { terminal, output, stop } = cli;
  output.protect(access.credentials.key.reveal());
  const server = serverOf(cli, access, stop, options);
  const written = writingTo(output);
  const failed = once(written, "error").then(([error]) => {
    throw error as Error;
  });
  const transport = new StdioServerTransport(terminal.input, written);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  server.onerror = ({ message }) => {
    output.note(message);
  };
  await server.connect(transport);
  const left = [once(terminal.input, "end"), once(terminal.input, "close")];
  try {
    await Promise.race([...left, aborted(stop), closed, failed]);
  } finally {
    // Ends the calls, too.
    await server.close();
  }
}

/** The server with every tool: one for each action, and those of the command line. */
export function serverOf(
  { clock, random, output }: Pick<Cli, "clock" | "random" | "output">,
  { server, credentials }: TokenAccess,
  stop: AbortSignal,
  options: Pick<ConnectionOptions, "verbose">,
): ReturnType<typeof createServer> {
  const key = credentials.key.reveal();
  const instance = { Server: server, "Token ID": credentials.id, "Token Key": key };
  const tools: readonly Tool[] = [
    ...manifest.actions.map((action) => actionTool(action, { instance, clock, random })),
    findingsTool({ server, credentials, clock, random }),
    explainTool,
  ];
  const { identifier: name, version } = manifest;
  return createServer({ name, version, tools, clock, stop, secret: key, log: loggerFor(options, output) });
}

/** Standard output as a stream whose writes wait for a slow reader and hold no secret. */
function writingTo(output: Output): Writable {
  return new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      output.write(text).then(
        () => {
          done();
        },
        (error: unknown) => {
          done(error as Error);
        },
      );
    },
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => {
      resolve();
    });
  });
}
