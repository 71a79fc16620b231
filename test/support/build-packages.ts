import { builtGoogleSecopsZip, builtNpmFolder, builtPackage, builtPackages } from "./package.ts";
import { builtProgram } from "./program.ts";

// Suites build what is missing. At the start of a run, several of them would build the same beside each other.
await builtPackages();
await Promise.all([builtPackage(), builtGoogleSecopsZip(), builtNpmFolder(), builtProgram()]);
