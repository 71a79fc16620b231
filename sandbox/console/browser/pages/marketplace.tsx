import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { BuiltPackage, Integration } from "../../contract/index.ts";
import { call } from "../api.ts";
import { bytes } from "../format.ts";
import { Badge } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { PageHead, Section } from "../parts/layout.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useResource } from "../resource.ts";
import { type PageProps, setQuery } from "../router.ts";
import { DropZone } from "../parts/drop-zone.tsx";
import { InspectionDialog, type Source } from "./inspection-dialog.tsx";
import { IntegrationCard } from "./integration-card.tsx";

/** What is installed, and what can be: a zip is looked into before anything of it is installed. */
export function MarketplacePage({ query }: PageProps): JSX.Element {
  const packages = useResource((signal) => call("GET /packages", { signal }), [], {
    on: ({ type }) => type === "packages",
  });
  const [dropped, setDropped] = useState<File | null>(null);
  const built = query.get("inspect");
  const source: Source | null = dropped ?? built;
  const close = (): void => {
    setDropped(null);
    setQuery({ inspect: null });
  };
  return (
    <>
      <PageHead title="Marketplace">
        Install a package, upgrade it, or roll it back. Nothing of a zip runs before you install it.
      </PageHead>
      <DropZone label="Package" onFile={setDropped} />
      <Loaded of={packages} what="Loading packages">
        {({ built: builds, integrations }) => (
          <>
            <Section title="Built packages">
              {builds.length === 0 ? (
                <Empty icon="marketplace" title="No package has been built">
                  <code>npm run package</code> builds one into <code>dist/</code>.
                </Empty>
              ) : (
                <Builds builds={builds} integrations={integrations} />
              )}
            </Section>
            <h2 class="list-title">Installed</h2>
            {integrations.length === 0 && (
              <Empty icon="instances" title="Nothing is installed yet">
                Inspect a built package above, or drop a zip.
              </Empty>
            )}
            {integrations.map((integration) => (
              <IntegrationCard key={integration.identifier} integration={integration} changed={packages.reload} />
            ))}
          </>
        )}
      </Loaded>
      {source !== null && <InspectionDialog source={source} onClose={close} onInstalled={packages.reload} />}
    </>
  );
}

function Builds({ builds, integrations }: { builds: BuiltPackage[]; integrations: Integration[] }): JSX.Element {
  const inUse = integrations.flatMap(({ versions }) => versions.filter((version) => version.inUse));
  const columns: Column<BuiltPackage>[] = [
    { header: "File", isMain: true, cell: ({ file }) => <span class="mono">{file}</span> },
    {
      header: "Version",
      width: "160px",
      cell: ({ version, sha256 }) => (
        <span class="row">
          {version} {inUse.some((used) => used.sha256 === sha256) && <Badge look="good">In use</Badge>}
        </span>
      ),
    },
    { header: "Size", width: "100px", align: "end", cell: (row) => bytes(row.bytes) },
    { header: "Built", width: "120px", cell: ({ builtAt }) => <Time at={builtAt} /> },
    {
      header: "Action",
      width: "130px",
      align: "end",
      cell: ({ file }) => (
        <Button
          size="small"
          label={`Inspect ${file}`}
          onPress={() => {
            setQuery({ inspect: file });
          }}
        >
          Inspect
        </Button>
      ),
    },
  ];
  return <Table caption="Built packages" columns={columns} rows={builds} keyOf={({ file }) => file} />;
}
