import { readdirSync } from "node:fs";
import { join, relative } from "node:path";
import eslint from "@eslint/js";
import importX from "eslint-plugin-import-x";
import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript";
import tseslint from "typescript-eslint";

const shared = [
  "./clock.ts",
  "./deadline.ts",
  "./hash.ts",
  "./json.ts",
  "./logger.ts",
  "./secret-pattern.ts",
  "./text.ts",
];

/** What runs beside a package and never in one, with the scripts that start it. Nothing else imports it. */
const commands = [
  { from: "./src/deploy", scripts: ["deploy-google-secops.ts"] },
  { from: "./src/cli", scripts: ["cli.ts"] },
];
const sources = readdirSync(join(import.meta.dirname, "src")).map((name) => `./src/${name}`);
const commandZones = commands.flatMap(({ from, scripts }) => [
  {
    target: [...sources.filter((path) => path !== from), "./actions", "./connectors", "./jobs", "./sandbox", "./bench"],
    from,
  },
  { target: `./scripts/!(${scripts.join("|")})`, from },
]);

/** The direction of imports: each entry says what the target must not know. */
const zones = [
  { target: "./src", from: ["./sandbox", "./scripts", "./bench", "./test", "./actions", "./connectors", "./jobs"] },
  // Clock, JSON, hashes, logger, deadline and texts are the few things that the service and the runtime share. They know nothing else of ours.
  { target: shared.map((file) => `./src/${file}`), from: "./src", except: shared },
  { target: "./src/service", from: "./src", except: ["./service", "./generated", ...shared] },
  {
    target: "./src/service/errors",
    from: ["./src/service/http", "./src/service/lists", "./src/service/responses", "./src/service/resources"],
  },
  { target: "./src/service/http", from: ["./src/service/lists", "./src/service/responses", "./src/service/resources"] },
  // Of the service, the runtime knows the interface that requests are sent through: the program around a run may have its own.
  {
    target: "./src/runtime",
    from: "./src",
    except: ["./runtime", "./manifest", "./generated", "./service/transport.ts", ...shared],
  },
  { target: "./src/manifest", from: "./src", except: ["./manifest", "./generated", ...shared] },
  { target: "./src/ingestion", from: ["./src/investigation", "./src/follow-up", "./src/packaging"] },
  { target: "./src/investigation", from: ["./src/ingestion", "./src/follow-up", "./src/packaging"] },
  // It judges what ingestion has delivered, and proves absence with what investigation knows of paths.
  { target: "./src/follow-up", from: ["./src/packaging"] },
  // Other formats are made of what the host contract says, and of nothing else. Only the command line knows them.
  { target: "./src/output", from: "./src", except: ["./output", "./runtime/protocol.ts", ...shared] },
  { target: "./src/!(cli|output)/**", from: "./src/output" },
  {
    target: "./actions",
    from: ["./connectors", "./jobs", "./src/packaging", "./src/output", "./sandbox", "./scripts"],
  },
  {
    target: "./connectors",
    from: ["./actions", "./jobs", "./src/packaging", "./src/output", "./sandbox", "./scripts"],
  },
  {
    target: "./jobs",
    from: ["./actions", "./connectors", "./src/packaging", "./src/output", "./sandbox", "./scripts"],
  },
  { target: "./sandbox/tenant", from: ["./src", "./actions", "./connectors", "./jobs", "./sandbox/soar"] },
  {
    target: "./sandbox/soar",
    from: [
      "./src/service",
      "./src/ingestion",
      "./src/investigation",
      "./src/follow-up",
      "./sandbox/tenant",
      "./sandbox/console/server",
      "./sandbox/console/browser",
    ],
  },
  // The browser knows the server by its contract only.
  { target: "./sandbox/console/browser", from: ["./sandbox/console/server", "./sandbox/soar", "./sandbox/tenant"] },
  // The browser sees the server through the contract, and shares its look with the widgets.
  {
    target: "./sandbox/console/browser",
    from: ["./src", "./actions", "./connectors", "./jobs", "./sandbox"],
    except: [
      "./text.ts",
      "./runtime/protocol.ts",
      "./manifest/manifest.ts",
      "./soar/rows.ts",
      "./console/contract",
      "./console/browser",
    ],
  },
  { target: ["./sandbox/console/server", "./sandbox/soar"], from: "./sandbox/console/browser" },
  // The bench measures what was built: it drives the package, and none of its parts.
  {
    target: "./bench",
    from: [
      "./src/service",
      "./src/ingestion",
      "./src/investigation",
      "./src/follow-up",
      "./actions",
      "./connectors",
      "./jobs",
    ],
  },
  // The plugin needs the simulated tenant for its tests, and nothing else of the lab.
  {
    target: ["./scripts/**", "./test/!(bench|sandbox)/**"],
    from: ["./sandbox/soar", "./sandbox/console", "./sandbox/conformance", "./bench"],
  },
  ...commandZones,
].map((zone) => ({ ...zone, message: "The direction of imports is described in CONTRIBUTING.md, under Structure." }));

/** Folders under test/ that hold tests. */
const tests = join(import.meta.dirname, "test");
const folders = readdirSync(tests, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith(".test.ts"))
  .map(({ parentPath }) => relative(tests, parentPath));
/** A folder inside a suite's folder belongs to the suite. */
const suites = [...new Set(folders)].filter(
  (folder) =>
    folder !== "" && folder !== "support" && !folders.some((other) => other !== "" && folder.startsWith(`${other}/`)),
);

/** A suite knows its own folder and test/support; what two suites need belongs there. Nothing else knows the tests. */
const testZones = [
  // The deliberate bugs are tried on the simulator.
  ...suites.map((suite) => ({
    target: `./test/${suite}`,
    from: "./test",
    except: [suite, "support", ...(suite === "mutation" ? ["simulation"] : [])],
  })),
  { target: "./test/support", from: "./test", except: ["support"] },
  { target: ["./sandbox", "./bench"], from: "./test" },
  // The simulator and the deliberate bugs are tests with a command line of their own.
  { target: "./scripts", from: "./test", except: ["simulation", "mutation"] },
].map((zone) => ({
  ...zone,
  message: "Only a suite's own files import them; what suites share lies in test/support.",
}));

/** Methods of texts and numbers for which src/text.ts has something better. */
function restricted(methods, better) {
  return methods.map((property) => ({ property, message: `Use ${better} of src/text.ts.` }));
}

export default tseslint.config(
  { ignores: ["dist/**", "src/generated/**", "coverage/**", ".sandbox/**", "node_modules/**"] },
  eslint.configs.recommended,
  {
    files: ["**/*.{ts,tsx}"],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { "import-x": importX },
    settings: { "import-x/resolver-next": [createTypeScriptImportResolver()] },
    rules: {
      "import-x/no-restricted-paths": ["error", { zones: [...zones, ...testZones] }],
      "import-x/no-cycle": "error",
      "import-x/no-duplicates": ["error", { "prefer-inline": true }],
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      complexity: ["error", 15],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      // The rest of an object without some of its fields.
      "@typescript-eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
      // An action without parameters has an empty bag of them.
      "@typescript-eslint/no-generated-empty-object-type": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
    },
  },
  // Each part has its own TypeScript projects, and names the packages that it imports.
  ...[
    {
      files: ["{actions,connectors,jobs,scripts,src,test,widgets}/**/*.{ts,tsx}"],
      project: ["tsconfig.json", "widgets/tsconfig.json"],
      packageDir: ".",
    },
    {
      files: ["{sandbox,bench}/**/*.{ts,tsx}", "test/{sandbox,bench}/**/*.ts"],
      project: ["sandbox/console/browser/tsconfig.json", "sandbox/tsconfig.json"],
      packageDir: "sandbox",
    },
  ].map(({ files, project, packageDir }) => ({
    files,
    languageOptions: { parserOptions: { project, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "import-x/no-extraneous-dependencies": ["error", { packageDir: join(import.meta.dirname, packageDir) }],
    },
  })),
  { files: ["src/**/*.ts", "actions/**/*.ts", "connectors/**/*.ts", "jobs/**/*.ts"], rules: { "no-console": "error" } },
  {
    files: ["src/**/*.ts"],
    rules: { "no-restricted-properties": ["error", ...restricted(["toLocaleString"], "grouped")] },
  },
  // Two different objects must not become one: in plain capitals, straße and STRASSE are the same.
  {
    files: ["actions/**/*.ts", "src/{investigation,follow-up}/**/*.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...restricted(["toLocaleString"], "grouped"),
        ...restricted(
          ["toUpperCase", "toLowerCase", "toLocaleUpperCase", "toLocaleLowerCase"],
          "isSameText or inCapitals",
        ),
      ],
    },
  },
  {
    files: ["src/{cli,deploy}/**/*.ts", "sandbox/console/server/**/*.ts", "sandbox/console/browser/format.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        ...["NewExpression[callee.name='Date']", "MemberExpression[object.name='Date'][property.name='parse']"].map(
          (selector) => ({ selector, message: "luxon handles dates here: docs/decisions.md, Dates and times." }),
        ),
      ],
    },
  },
  {
    files: ["test/**/*.ts"],
    rules: { "max-lines": "off", "@typescript-eslint/no-non-null-assertion": "off" },
  },
  {
    files: ["test/**/*.test.ts"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: ["**/sandbox/tenant/index.ts"],
              importNames: ["startTenant"],
              message: "test/support/tenant.ts starts a tenant and closes it when the suite is over.",
            },
          ],
        },
      ],
    },
  },
  {
    files: ["**/*.js", "docs/examples/*.mjs"],
    languageOptions: { globals: { process: "readonly", console: "readonly", crypto: "readonly" } },
  },
);
