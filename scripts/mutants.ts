import { main } from "../test/mutation/run-mutants.ts";

process.exitCode = await main(process.argv);
