import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { counted } from "../../../../../src/text.ts";
import { integer, visible } from "../../../../../widgets/shared/text.ts";
import type { CaseView, CutsView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { Explanation } from "../../parts/explanation.tsx";
import { Select } from "../../parts/field.tsx";
import { Section } from "../../parts/layout.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, More, Table } from "../../parts/table.tsx";
import { usePart } from "../../paged.ts";
import { useResource } from "../../resource.ts";

type Of = "case" | "environment";
type Edge = CutsView["edges"][number];
type CutObject = CutsView["objects"][number];

/** Which relationships and objects most open findings run through, and what would close without them. */
export function CaseCuts({ view }: { view: CaseView }): JSX.Element {
  const [of, setOf] = useState<Of>("case");
  return (
    <div class="stack">
      <div class="filters">
        <Select
          label="Findings"
          value={of}
          options={[
            { value: "case", text: "Of this case" },
            { value: "environment", text: `All that are open in ${visible(view.environmentName)} now` },
          ]}
          onChange={(value) => {
            setOf(value === "environment" ? "environment" : "case");
          }}
        />
      </div>
      <Cuts key={of} caseId={view.id} of={of} />
    </div>
  );
}

function Cuts({ caseId, of }: { caseId: number; of: Of }): JSX.Element {
  const cuts = useResource(
    (signal) => call("GET /cases/:id/cuts", { path: { id: String(caseId) }, query: { of }, signal }),
    [caseId, of],
  );
  return (
    <Loaded of={cuts} what="Asking for the shortest paths">
      {(found) => <Ranked cuts={found} />}
    </Loaded>
  );
}

function Ranked({ cuts }: { cuts: CutsView }): JSX.Element {
  const { findings, isComplete, edges, objects, notes } = cuts;
  if (edges.length === 0)
    return (
      <Empty title={isComplete ? "Nothing to cut." : "Not known."}>
        {visible(notes.join(" ") || "No open finding has a path.")}
      </Empty>
    );
  const kinds = [...new Set(edges.map(({ relation }) => relation))];
  const tables = [
    <Places<Edge>
      key="edges"
      title="Relationships to remove"
      rows={edges}
      columns={[{ header: "Relationship", isMain: true, cell: edgeText }, ...countColumns(findings)]}
    />,
    <Places<CutObject>
      key="objects"
      title="Objects to secure"
      rows={objects}
      columns={[
        { header: "Object", isMain: true, cell: ({ name }) => visible(name) },
        { header: "Kind", width: "100px", cell: ({ kind }) => visible(kind) },
        ...countColumns(findings),
      ]}
    />,
  ];
  const isObjectBest = (objects[0]?.closes ?? 0) > (edges[0]?.closes ?? 0);
  return (
    <>
      {isObjectBest ? tables.reverse() : tables}
      <Section title="How to remove them safely">
        {kinds.map((kind) => (
          <Explanation key={kind} kind={kind} />
        ))}
      </Section>
      {notes.map((note) => (
        <p key={note} class="muted">
          {visible(note)}
        </p>
      ))}
    </>
  );
}

const STEP = 10;

function Places<T extends Edge | CutObject>(props: {
  title: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
}): JSX.Element {
  const { title, rows, columns } = props;
  const places = useMemo(() => rows.map((place, key) => ({ place, key })), [rows]);
  const shown = usePart(places, STEP);
  return (
    <Section title={title}>
      <Table
        caption={title}
        columns={columns.map((column) => ({ ...column, cell: ({ place }: { place: T }) => column.cell(place) }))}
        rows={shown.rows}
        keyOf={({ key }) => key}
      />
      {rows.length > STEP && <More of={shown} what="places" />}
    </Section>
  );
}

function edgeText({ from, relation, to }: Edge): JSX.Element {
  return (
    <>
      {visible(from)} <span class="relation">{visible(relation)}</span> {visible(to)}
    </>
  );
}

function countColumns<T extends Pick<Edge, "closes" | "through">>(findings: number): Column<T>[] {
  return [
    {
      header: "Closes",
      width: "190px",
      cell: ({ closes }) => `at most ${integer(closes)} of ${counted(findings, "finding")}`,
    },
    { header: "Runs through", width: "110px", align: "end", cell: ({ through }) => integer(through) },
  ];
}
