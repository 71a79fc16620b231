import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** A module that its importer never gets to use here. */
interface UnusedModule {
  /** As the import names it. */
  name: RegExp;
  /** Path of the file that imports it. */
  importer: RegExp;
  /** What the bundle holds instead. */
  contents: string;
}

const axios = /[\\/]axios[\\/]lib[\\/]/;
const winston = /[\\/]winston(-transport)?[\\/]/;
const mcp = /[\\/]@modelcontextprotocol[\\/]sdk[\\/]/;
const nothing = "export default {};";

const unused: readonly UnusedModule[] = [
  // The client reads JSON over HTTP/1.1 from its own connection pool and follows no redirect. It never uses what axios has for
  // multipart bodies (with their database of MIME types), fetch, HTTP/2, redirects and proxies; Node would load and evaluate
  // all of it at each start.
  { name: /^form-data$/, importer: axios, contents: "export default null;" },
  { name: /^\.\/fetch\.js$/, importer: axios, contents: "export const getFetch = () => null;" },
  { name: /[\\/]Http2Sessions\.js$/, importer: axios, contents: "export default class Http2Sessions {}" },
  { name: /^(http2|follow-redirects|https-proxy-agent)$/, importer: axios, contents: nothing },
  // Kerberos for proxies, an option that is never set: it needs native code, and comes without its licence text.
  {
    name: /^proxy-agent-negotiate$/,
    importer: /[\\/]https-proxy-agent[\\/]/,
    contents: 'export const createNegotiateAuth = () => { throw new Error("Kerberos is not bundled"); };',
  },
  // winston's own copies of what Node has, for other platforms and versions.
  { name: /^readable-stream$/, importer: winston, contents: 'module.exports = require("node:stream");' },
  {
    name: /^readable-stream\/lib\/_stream_writable\.js$/,
    importer: winston,
    contents: 'module.exports = require("node:stream").Writable;',
  },
  // Its own debug output, which nobody switches on, and colours, which no host wants.
  { name: /^@dabh\/diagnostics$/, importer: winston, contents: "module.exports = () => () => undefined;" },
  { name: /^@colors\/colors/, importer: /[\\/]logform[\\/]/, contents: "module.exports = {};" },
  // Messages go to the host, not into files or to other servers.
  { name: /^\.\/(file|http)$/, importer: /[\\/]winston[\\/]transports[\\/]/, contents: nothing },
  // The server asks its clients for no input that a schema would check, and describes no tool with an older version of Zod.
  {
    name: /[\\/]ajv-provider\.js$/,
    importer: mcp,
    contents: "export class AjvJsonSchemaValidator {}",
  },
  { name: /^zod\/v3$/, importer: mcp, contents: nothing },
  // Colours of a debug output that nobody switches on; the package is there only beside development tools.
  { name: /^supports-color$/, importer: /[\\/]debug[\\/]/, contents: nothing },
];

/** In n8n, which sends the requests. A node must not read the environment, and this module would. */
const inN8n: readonly UnusedModule[] = [
  {
    name: /[\\/]http-transport\.ts$/,
    importer: /[\\/]service[\\/]connect\.ts$/,
    contents: 'export const httpTransport = () => { throw new Error("This package sends its requests through n8n"); };',
  },
];

/** esbuild plugin that leaves out what no package needs. */
export function leaveOutUnused(): Plugin {
  const { name, setup } = leaveOut("unused", unused);
  return {
    name,
    async setup(build) {
      await setup(build);
      build.onLoad({ filter: /[\\/]axios[\\/]lib[\\/]utils\.js$/ }, async ({ path }) => ({
        contents: withoutFormData(await readFile(path, "utf8")),
      }));
    },
  };
}

/**
 * axios looks at the global FormData as it loads, and Node answers by loading all of its fetch: 15 ms for a class that nothing here sends.
 * It recognises one without that, too.
 */
function withoutFormData(axiosUtils: string): string {
  const slim = axiosUtils.replace("typeof G.FormData !== 'undefined' ? G.FormData : undefined", "undefined");
  if (slim === axiosUtils) throw new Error("axios no longer looks at FormData where it did: see src/packaging/slim.ts");
  return slim;
}

/** esbuild plugin that leaves out what n8n does itself. */
export function leaveOutForN8n(): Plugin {
  return leaveOut("in-n8n", inN8n);
}

function leaveOut(label: string, modules: readonly UnusedModule[]): Plugin {
  return {
    name: `leave-out-${label}`,
    setup(build) {
      modules.forEach(({ name, importer, contents }, index) => {
        const namespace = `${label}-${index}`;
        build.onResolve({ filter: name }, (imported) =>
          importer.test(imported.importer) ? { path: imported.path, namespace } : undefined,
        );
        build.onLoad({ filter: /.*/, namespace }, () => ({ contents }));
      });
    },
  };
}
