import type { ConnectionOptions, Handler } from "../command.ts";
import { profileAccess } from "../credentials.ts";
import { ExitCode } from "../exit-codes.ts";
import { CredentialsError, UsageError } from "../failures.ts";
import { serve } from "../mcp/serve.ts";

type Options = Pick<ConnectionOptions, "server" | "tokenId" | "bearer" | "profile" | "verbose">;

const ADVICE =
  "Keep the credentials in a profile: attack-path-analysis profile add <name> --server <address> --token-id <id>. Then start: attack-path-analysis mcp --profile <name>.";

export const mcp: Handler = async (cli, command) => {
  const options = command.opts<Options>();
  refuseSecretInput(options);
  cli.output.refuseClosed();
  const access = await profileAccess(options, cli);
  if (access === null)
    throw new CredentialsError(
      `No profile is named, and none is in use. Standard input belongs to the assistant, so the token key cannot be read from it. ${ADVICE}`,
    );
  if (access.credentials.kind !== "token") {
    throw new CredentialsError(
      `The profile holds a bearer token, which expires while the server runs. The tools need an API token. ${ADVICE}`,
    );
  }
  if (cli.terminal.input.isTTY === true)
    cli.output.note("Waiting for an assistant on standard input, which is a terminal. To end, press Ctrl-D.");
  await serve(cli, { server: access.server, credentials: access.credentials }, options);
  return ExitCode.yes;
};

/** @throws UsageError for options after which other commands ask for a secret */
function refuseSecretInput({ server, tokenId, bearer }: Options): void {
  const given = [
    server !== undefined && "--server",
    tokenId !== undefined && "--token-id",
    bearer === true && "--bearer",
  ];
  const first = given.find((option) => option !== false);
  if (first === undefined) return;
  throw new UsageError(
    `mcp does not take ${first}: standard input belongs to the assistant, so the token key cannot be read from it. ${ADVICE}`,
  );
}
