import { describe, expect, it } from "@jest/globals";
import type { GroupingRule, Manifest, Mapping, Parameter } from "../../../src/manifest/manifest.ts";
import { contentHub } from "../../../src/packaging/google-secops/content-hub.ts";
import { packageFiles } from "../../../src/packaging/google-secops/index.ts";
import type { BuildContext } from "../../../src/packaging/target.ts";
import { zip } from "../../../src/packaging/zip.ts";
import { entriesOf } from "../../support/google-secops-package.ts";

const parameter = (name: string, changes: Partial<Parameter> = {}): Parameter => ({
  name,
  type: "string",
  description: `What ${name} is.`,
  mandatory: false,
  secret: false,
  default: null,
  ...changes,
});

const schema = {
  type: "object",
  required: ["answer", "details"],
  properties: { answer: { type: "string", description: "the answer." }, details: { type: "integer" } },
};

/** A manifest with one of each kind. */
const manifest: Manifest = {
  manifestVersion: 1,
  identifier: "small_example",
  name: "Small Example",
  version: "1.1.0",
  vendor: "Example Vendor",
  product: "Example",
  description: "An example.",
  categories: ["Security"],
  documentationUrl: "https://docs.test/example",
  service: { requestsPerSecond: 7, concurrentRequests: 2 },
  instance: {
    parameters: [parameter("Server", { mandatory: true }), parameter("Key", { mandatory: true, secret: true })],
  },
  connectors: [
    {
      name: "Example Connector",
      entry: "connectors/example.ts",
      description: "Reads examples.",
      mappings: ["mappings/example.json"],
      groupingRule: "grouping-rules/example.json",
      fields: [
        parameter("Product Field Name", { mandatory: true, default: "product" }),
        parameter("Limit", { type: "integer", default: 5 }),
        parameter("Names", { type: "list" }),
        parameter("Verbose", { type: "boolean", default: false }),
        parameter("Run Every", { type: "integer", readBy: "host" }),
      ],
    },
  ],
  actions: [
    {
      name: "Look Up",
      entry: "actions/look-up.ts",
      description: "Looks up names.",
      resumable: true,
      reads: ["entities", "findings"],
      shows: ["tables", "insight", "entities"],
      parameters: [
        parameter("Names | Ids", { type: "list", mandatory: true }),
        parameter("Depth", { type: "integer", default: 3 }),
        parameter("All", { type: "boolean", default: true }),
        parameter("Password", { secret: true }),
      ],
      result: { value: "`true` when found", schema },
    },
    {
      name: "Say Hello",
      entry: "actions/say-hello.ts",
      description: "Says hello.",
      parameters: [],
      result: { value: "`true`", valueWhenFailed: false, schema: { type: "object", properties: {} } },
    },
  ],
  mappings: ["mappings/example.json"],
  groupingRules: [],
  jobs: [
    {
      name: "Clean Up",
      entry: "jobs/clean-up.ts",
      description: "Cleans up.",
      parameters: [
        parameter("Server", { mandatory: true }),
        parameter("Key", { mandatory: true, secret: true }),
        parameter("Close", { type: "boolean", default: false }),
      ],
      result: { value: "`true`", schema },
    },
  ],
  playbooks: [],
};

const mapping: Mapping = {
  source: "example",
  product: "Example",
  rules: [
    { target: "SourceUserName", field: "user", fallbackFields: ["login"], kind: "entity" },
    { target: "DestinationUserName", field: "owner", kind: "entity" },
    { target: "DestinationHostName", field: "host", kind: "indicator" },
    { target: "StartTime", field: "time", transform: "epoch-ms", kind: "metadata" },
  ],
  family: {
    name: "Example Family",
    description: "How examples are drawn.",
    relations: [{ source: "SourceUserName", relation: "Linked", destination: "DestinationHostName" }],
  },
};

const CHANGELOG = `# Changelog

## 1.1.0 - 2027-01-02

### Added

- **Look Up** finds \`names\`.

### Deprecated

- Say Hello.

## 1.0.0

### Removed

- Nothing.
`;

const project = {
  manifest,
  mappings: new Map([["mappings/example.json", mapping]]),
  groupingRules: new Map<string, GroupingRule>(),
};
const context: BuildContext = {
  rootDir: "/nowhere",
  project: project,
  bundle: {
    files: [
      { path: "plugin.mjs", content: Buffer.from("export default 1;") },
      { path: "plugin/part-ABCDEFGH.mjs", content: Buffer.from("export default 2;") },
    ],
    sources: new Map(),
    outputs: {},
  },
  packages: { packages: [], direct: [] },
  playbooks: [],
  widgets: [],
  documents: [
    { path: "CHANGELOG.md", content: CHANGELOG },
    { path: "LICENSE", content: "A licence." },
    { path: "README.md", content: "Not for the platform." },
    { path: "THIRD-PARTY-LICENSES.txt", content: "More licences." },
    { path: "sbom.cdx.json", content: "{}" },
  ],
};

/** Hashes and pictures are not for reading. */
function legible(content: string | Uint8Array): string {
  return Buffer.from(content)
    .toString("utf8")
    .replace(/("ImageBase64": )"[^"]+"/g, '$1"<picture>"')
    .replace(/(image_base64: ).*(\n +\S+)*(?=\n\s+\w+:)/g, "$1<picture>")
    .replace(/("SVGImage": )".*"/, '$1"<picture>"')
    .replace(/([_-]runtime[_-])[0-9a-f]{8}\b/g, "$1<build>")
    .replace(/[0-9a-f]{64}/g, "<hash>");
}

/** What is made of the manifest; modules and pictures are the same for every manifest. */
const GENERATED = /\.(def|actiondef|connectordef|jobdef|json|yaml|toml)$|^((Actions|Connectors)Scripts|JobsScrips)\//;

describe("a package of a small manifest", () => {
  it("holds for the platform what the manifest says", async () => {
    const files = await packageFiles(context, [{ path: "other.whl", content: await zip([]) }]);
    expect(files.map(({ path }) => path.replace(/_[0-9a-f]{8}-/, "_<build>-")).sort()).toMatchSnapshot("paths");
    for (const { path, content } of files.filter(({ path }) => GENERATED.test(path)))
      expect(legible(content)).toMatchSnapshot(path);
  });

  it("holds the plugin in a wheel with its licences", async () => {
    const wheel = (await packageFiles(context, [])).find(({ path }) => path.endsWith(".whl"));
    const entries = [...(await entriesOf(wheel?.content ?? ""))].filter(([path]) => !/\.cjs$|RECORD$/.test(path));
    expect(entries.map(([path, { content }]) => [legible(path), legible(content)])).toMatchSnapshot();
  });

  it("has the same in the source form", async () => {
    const files = (await contentHub.build(context)).map(({ path, content }) => ({
      path: path.replace("small_example/", ""),
      content,
    }));
    expect(contentHub.folder?.(manifest)).toBe("small-example-1.1.0-content-hub");
    expect(files.map(({ path }) => path.replace(/_[0-9a-f]{8}-/, "_<build>-")).sort()).toMatchSnapshot("paths");
    for (const { path, content } of files.filter(({ path }) => GENERATED.test(path)))
      expect(legible(content)).toMatchSnapshot(path);
  });

  it("cannot be made without its documents", async () => {
    const documents = context.documents.filter(({ path }) => path !== "sbom.cdx.json");
    await expect(packageFiles({ ...context, documents }, [])).rejects.toThrow("sbom.cdx.json is missing.");
  });
});
