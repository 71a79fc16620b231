"use strict";
// Old syntax on purpose: whatever Node.js a machine has must read this far to say that it is too old.
var versions = require("process").versions;
var write = require("fs").writeSync;

if (parseInt(versions.node, 10) >= 20) {
  // The launcher takes a Node.js that does not write this line for one that does not work, and tries the next one.
  write(1, '{"type":"ready"}\n');
  import("./plugin.mjs");
} else {
  write(2, "Node.js 20 or later is needed, and this is " + versions.node);
  require("process").exit(1);
}
