import { main } from "../test/simulation/command/command.ts";

process.exitCode = await main(process.argv);
