import type { JSX } from "preact";
import type { PackageContents, PackageInspection } from "../../contract/index.ts";
import { Foreign } from "./badge.tsx";
import { type Column, Table } from "./table.tsx";

const kinds: readonly { key: keyof PackageContents; title: string }[] = [
  { key: "connectors", title: "Connectors" },
  { key: "jobs", title: "Jobs" },
  { key: "actions", title: "Actions" },
  { key: "playbooks", title: "Playbooks" },
  { key: "widgets", title: "Widgets" },
  { key: "mappings", title: "Ontology mappings" },
  { key: "groupingRules", title: "Grouping rules" },
];

/** What a package brings. */
export function Contents({ contents }: { contents: PackageContents }): JSX.Element {
  return (
    <div class="contents">
      {kinds
        .filter(({ key }) => contents[key].length > 0)
        .map(({ key, title }) => (
          <div key={key}>
            <h3>
              {title} <span class="muted number">{contents[key].length}</span>
            </h3>
            <ul>
              {contents[key].map((name) => (
                <li key={name}>
                  <Foreign text={name} />
                </li>
              ))}
            </ul>
          </div>
        ))}
    </div>
  );
}

type Licence = PackageInspection["licences"][number];
const columns: readonly Column<Licence>[] = [
  { header: "Component", isMain: true, cell: ({ name }) => <Foreign text={name} /> },
  { header: "Version", width: "30%", cell: ({ version }) => version },
  { header: "Licence", width: "30%", cell: ({ licence }) => licence },
];

export function Licences({ licences }: { licences: readonly Licence[] }): JSX.Element {
  return (
    <details>
      <summary>Licences of the package and what it bundles ({licences.length})</summary>
      <Table caption="Licences" columns={columns} rows={licences} keyOf={({ name, version }) => `${name} ${version}`} />
    </details>
  );
}
