import { findingTypes, incomplete, laterPages, once, pages, unpaged, type FaultRow } from "../row.ts";

const ofEnvironments: FaultRow[] = [
  {
    fault: "two environments of one name",
    begin: ({ tenant }) => {
      for (const { id } of tenant.data.environments) tenant.control.renameEnvironment(id, "CORP.TEST");
    },
    expected: { status: "completed", delivered: 72, says: /72 new findings in 6 alerts from 2 environments/ },
  },
  {
    fault: "an environment renamed",
    before: 1,
    begin: ({ tenant, environmentId }) => {
      tenant.control.renameEnvironment(environmentId, "RENAMED.TEST");
    },
    expected: { status: "completed", delivered: 0, says: /Nothing new in 2 environments/ },
  },
  {
    fault: "an environment removed",
    before: 1,
    begin: ({ tenant, environmentId }) => {
      tenant.control.removeEnvironment(environmentId);
    },
    expected: { status: "completed", delivered: 0, says: /Nothing new in 1 environment/ },
  },
  {
    fault: "an environment removed, and it is the selected one",
    before: 1,
    begin: ({ tenant, environmentId }) => {
      tenant.control.removeEnvironment(environmentId);
    },
    under: () => ({ fields: { "Selected Environments": "UNIFORM-0001.TEST" } }),
    expected: {
      status: "failed",
      delivered: 0,
      says: /no environment can be polled\. .*names UNIFORM-0001\.TEST, which the token cannot see\. It sees: UNIFORM-0002\.TEST\./,
    },
  },
  {
    fault: "one of two selected environments removed",
    before: 1,
    begin: ({ tenant, environmentId }) => {
      tenant.control.removeEnvironment(environmentId);
    },
    under: () => ({ fields: { "Selected Environments": "UNIFORM-0001.TEST, UNIFORM-0002.TEST" } }),
    expected: {
      status: "completed",
      delivered: 0,
      says: /names UNIFORM-0001\.TEST, which the token cannot see\. It sees: UNIFORM-0002\.TEST\. Nothing new in 1 environment\./,
    },
  },
  {
    fault: "an environment removed while the run reads",
    begin: (stage) => {
      const { tenant, environmentId } = stage;
      tenant.control.fault({
        ...findingTypes(stage),
        effect: {
          kind: "run",
          run: (control) => {
            control.removeEnvironment(environmentId);
          },
        },
      });
    },
    expected: {
      status: "partial",
      delivered: 36,
      says: incomplete(/Not found: resource not found\./, /UNIFORM-0001\.TEST/),
    },
  },
];

export const tenantChanges: FaultRow[] = [
  ...ofEnvironments.map(unpaged),
  {
    fault: "a finding deleted between two pages",
    begin: (stage) => {
      const { tenant, environmentId, findingType } = stage;
      tenant.control.fault({
        ...once(laterPages)(stage),
        effect: { kind: "run", run: (control) => void control.removeFinding(environmentId, findingType, 2) },
      });
    },
    expected: { status: "completed", delivered: 72, says: /72 new findings/ },
  },
  {
    fault: "a finding type appears",
    before: 1,
    begin: ({ tenant, environmentId }) => {
      tenant.control.addFindings(environmentId, "T0NewlyInvented", 4);
    },
    expected: { status: "completed", delivered: 4, says: /4 new findings/ },
  },
  {
    fault: "a finding type disappears while the run reads",
    begin: (stage) => {
      const { tenant, environmentId, findingType } = stage;
      tenant.control.fault({
        ...once(pages)(stage),
        effect: {
          kind: "run",
          run: (control) => {
            control.removeFindingType(environmentId, findingType);
          },
        },
      });
    },
    expected: { status: "completed", delivered: 60, says: /60 new findings/ },
  },
  {
    fault: "a finding type that needs percent-encoding",
    begin: ({ tenant, environmentId }) => {
      tenant.control.addFindings(environmentId, "T0 Weird/Näme?&#%41+;=", 3);
    },
    expected: { status: "completed", delivered: 75, says: /75 new findings/ },
  },
];
