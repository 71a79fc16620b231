import { main } from "../test/mutation/run-stryker.ts";

process.exitCode = await main(process.argv);
