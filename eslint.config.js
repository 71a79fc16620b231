import eslint from "@eslint/js";
import importX from "eslint-plugin-import-x";
import { createTypeScriptImportResolver } from "eslint-import-resolver-typescript";
import tseslint from "typescript-eslint";

/** The direction of imports: each entry says what the target must not know. */
const zones = [
  { target: "./src", from: ["./sandbox", "./scripts", "./bench", "./test", "./actions", "./connectors"] },
  { target: "./src/service", from: "./src", except: ["./service", "./generated"] },
  { target: "./src/runtime", from: "./src", except: ["./runtime", "./manifest", "./generated"] },
  { target: "./src/manifest", from: "./src", except: ["./manifest", "./generated"] },
  { target: "./src/ingestion", from: ["./src/investigation", "./src/targets"] },
  { target: "./src/investigation", from: ["./src/ingestion", "./src/targets"] },
  { target: "./actions", from: ["./connectors", "./src/targets", "./sandbox", "./scripts"] },
  { target: "./connectors", from: ["./actions", "./src/targets", "./sandbox", "./scripts"] },
  { target: "./sandbox/tenant", from: ["./src", "./actions", "./connectors", "./sandbox/soar"] },
  { target: "./sandbox/soar", from: ["./src/service", "./src/ingestion", "./src/investigation", "./sandbox/tenant"] },
  // The bench measures what was built: it drives the package, and none of its parts.
  { target: "./bench", from: ["./src/service", "./src/ingestion", "./src/investigation", "./actions", "./connectors"] },
].map((zone) => ({ ...zone, message: "The direction of imports is described in the README, under Structure." }));

export default tseslint.config(
  { ignores: ["dist/**", "src/generated/**", "coverage/**", ".sandbox/**", "node_modules/**"] },
  eslint.configs.recommended,
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { "import-x": importX },
    settings: { "import-x/resolver-next": [createTypeScriptImportResolver()] },
    rules: {
      "import-x/no-restricted-paths": ["error", { zones }],
      "import-x/no-cycle": "error",
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      complexity: ["error", 15],
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      // An action without parameters has an empty bag of them.
      "@typescript-eslint/no-generated-empty-object-type": "off",
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
    },
  },
  { files: ["src/**/*.ts", "actions/**/*.ts", "connectors/**/*.ts"], rules: { "no-console": "error" } },
  {
    files: ["test/**/*.ts"],
    rules: { "max-lines": "off", "@typescript-eslint/no-non-null-assertion": "off" },
  },
  { files: ["**/*.js"], languageOptions: { globals: { process: "readonly", console: "readonly" } } },
);
