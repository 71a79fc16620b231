/** `npm run faults`: runs the built plugin under every fault and writes the table of outcomes into the README. */
import { writeReadme } from "../test/faults/readme.ts";

console.log(await writeReadme());
