import fs from "node:fs";
import TestEnvironment from "./test/support/jest-environment.js";
function cpu() { const f = fs.readFileSync("/proc/self/stat","utf8").split(") ")[1].split(" "); return f.slice(11,15).map(Number); }
export default class extends TestEnvironment {
  constructor(c, x) { super(c, x); this.path = x.testPath; this.t0 = cpu(); this.w0 = Date.now(); }
  async teardown() { const t = cpu(); const d = t.map((v,i)=>(v-this.t0[i])/100); fs.appendFileSync("/tmp/cpu-core.csv", [(d[0]+d[1]).toFixed(2),(d[2]+d[3]).toFixed(2),((Date.now()-this.w0)/1000).toFixed(1),this.path.replace(/.*\/test\//,"")].join("\t")+"\n"); await super.teardown(); }
}
