import { createHash } from "node:crypto";
import type { Manifest } from "../../manifest/manifest.ts";
import type { BuiltPackage, PackageFile } from "../target.ts";
import { zip } from "../zip.ts";
import { platformJson, stemOf } from "./platform.ts";
import { type PlaybookOverview, playbookOverview, type PlaybookWidget } from "./playbook-overview.ts";
import {
  type ActionStep,
  type BranchStep,
  type Condition,
  type Playbook,
  readPlaybook,
  type Step,
} from "./playbook-source.ts";
import type { ActionWidget } from "./widgets.ts";

/** Below the output folder. */
export const PLAYBOOKS_PATH = "google-secops/playbooks.zip";

/*
 * Codes of the platform's playbooks, as its content packages use them (chronicle/content-hub, packages/mp).
 */
const PLAYBOOK = 0;
const EDIT = 2;
const BY_USER_OR_API = 1;
const PRODUCT_TRIGGER = 3;
const EVERY_ALERT_TRIGGER = 8;
const EQUAL = 0;
const ACTION_STEP = 0;
const CONDITION_STEP = 4;
const PLACEHOLDER_FIELD = 7;
const operators: Readonly<Record<Condition["is"], number>> = { equal: 0, "not-empty": 8 };

/** Longest run of an action that the platform asks again, and the shortest pause between two runs, in seconds. */
const ASYNC_TIMEOUT = "3600";
const ASYNC_INTERVAL = "30";

interface StepParameter {
  ParentStepIdentifier: string;
  ParentWorkflowIdentifier: string;
  Name: string;
  Value: string | null;
}

/** A step in the platform's form; only what the project reads is spelled out. */
export interface PlatformStep extends Record<string, unknown> {
  Identifier: string;
  InstanceName: string;
  ActionName: string;
  Integration: string | null;
  AutoSkipOnFailure: boolean;
  ParentStepIdentifiers: string[];
  PreviousResultCondition: string | null;
  Parameters: StepParameter[];
}

/** A playbook as the platform imports and exports it. */
export interface PlatformPlaybook {
  CategoryName: string;
  OverviewTemplatesDetails: PlaybookOverview[];
  WidgetTemplates: PlaybookWidget[];
  Definition: Record<string, unknown> & {
    Identifier: string;
    Name: string;
    Description: string;
    Steps: PlatformStep[];
    Triggers: Record<string, unknown>[];
    OverviewTemplates: PlaybookOverview["OverviewTemplate"][];
  };
}

/** The playbooks as one zip to import, each in its root; null when there are none. */
export async function playbookZip(
  manifest: Manifest,
  sources: readonly PackageFile[],
  widgets: readonly ActionWidget[],
): Promise<BuiltPackage | null> {
  if (sources.length === 0) return null;
  const built = sources.map(({ path, content }) =>
    platformPlaybook(readPlaybook(Buffer.from(content).toString("utf8"), path, manifest), manifest, widgets),
  );
  return { path: PLAYBOOKS_PATH, content: await zipOfPlaybooks(built) };
}

/** A zip that the platform imports. */
export function zipOfPlaybooks(playbooks: readonly PlatformPlaybook[]): Promise<Buffer> {
  return zip(
    playbooks.map((playbook) => ({
      path: `${stemOf(playbook.Definition.Name)}.json`,
      content: platformJson(playbook),
    })),
  );
}

/** A playbook in the platform's form. Its identifiers depend on names alone, so that an import finds the former one. */
export function platformPlaybook(
  playbook: Playbook,
  manifest: Manifest,
  widgets: readonly ActionWidget[],
): PlatformPlaybook {
  const key = `${manifest.identifier}/${playbook.name}`;
  const scope: PlaybookScope = { manifest, key, playbookId: identifier(key) };
  const idOf = (part: string): string => identifier(`${key}/${part}`);
  const overview = playbookOverview(playbook, widgets, { playbookId: scope.playbookId, idOf });
  return {
    CategoryName: "Content Hub",
    OverviewTemplatesDetails: [overview],
    WidgetTemplates: overview.OverviewTemplate.Widgets,
    Definition: {
      Identifier: scope.playbookId,
      OriginalWorkflowIdentifier: idOf("original"),
      Name: playbook.name,
      Description: playbook.description,
      IsEnable: playbook.enabled ?? true,
      Version: 0,
      Priority: 2,
      Category: 1,
      IsAutomatic: false,
      IsArchived: false,
      Creator: manifest.vendor,
      VersionCreator: null,
      VersionComment: null,
      TemplateName: null,
      PlaybookType: PLAYBOOK,
      IsDebugMode: false,
      DebugAlertIdentifier: null,
      DebugBaseAlertIdentifier: null,
      SimulationClone: false,
      DefaultAccessLevel: EDIT,
      CreationSource: BY_USER_OR_API,
      Permissions: [],
      Environments: ["*"],
      OverviewTemplates: [overview.OverviewTemplate],
      Steps: platformSteps(playbook.steps, null, scope),
      Triggers: [trigger(playbook, scope)],
    },
  };
}

interface PlaybookScope {
  manifest: Manifest;
  /** What all identifiers of the playbook begin from. */
  key: string;
  playbookId: string;
}

/** The step before, and the branch of it that leads on: its number, or null when it has one way out. */
interface Parent {
  id: string;
  branch: string | null;
}

function trigger({ trigger: source }: Playbook, { key, playbookId }: PlaybookScope): Record<string, unknown> {
  const product = "product" in source ? source.product : null;
  return {
    Identifier: identifier(`${key}/trigger`),
    IsEnabled: true,
    DefinitionIdentifier: playbookId,
    Type: product === null ? EVERY_ALERT_TRIGGER : PRODUCT_TRIGGER,
    WorkflowName: null,
    LogicalOperator: 0,
    Conditions: product === null ? [] : [{ FieldName: "", Value: product, MatchType: EQUAL, CustomOperatorName: null }],
    Environments: ["*"],
  };
}

function platformSteps(steps: readonly Step[], parent: Parent | null, scope: PlaybookScope): PlatformStep[] {
  const [step, ...rest] = steps;
  if (step === undefined) return [];
  const id = identifier(`${scope.key}/step/${step.name}`);
  if ("action" in step)
    return [actionStep(step, id, parent, scope), ...platformSteps(rest, { id, branch: null }, scope)];
  return [
    branchStep(step, id, parent, scope),
    ...step.branches.flatMap(({ steps }, index) => platformSteps(steps, { id, branch: String(index + 1) }, scope)),
    ...platformSteps(step.otherwise, { id, branch: String(step.branches.length + 1) }, scope),
  ];
}

function actionStep(step: ActionStep, id: string, parent: Parent | null, scope: PlaybookScope): PlatformStep {
  const integration = step.integration ?? scope.manifest.identifier;
  const script = `${integration}_${step.action}`;
  const own =
    step.integration === undefined ? scope.manifest.actions.find(({ name }) => name === step.action) : undefined;
  return platformStep(step.name, id, parent, scope, {
    Name: script,
    Description: own?.description ?? "",
    ActionProvider: "Scripts",
    ActionName: script,
    Integration: integration,
    Type: ACTION_STEP,
    AutoSkipOnFailure: step.continueOnFailure ?? false,
    Parameters: {
      ...(own?.resumable === true ? { AsyncActionTimeout: ASYNC_TIMEOUT, AsyncPollingInterval: ASYNC_INTERVAL } : {}),
      FallbackIntegrationInstance: null,
      IntegrationInstance: "AutomaticEnvironment",
      RetryConfiguration: JSON.stringify({ Enabled: false, IntervalInSeconds: 30, NumberOfRetries: 1 }),
      ScriptName: script,
      ScriptParametersEntityFields: JSON.stringify(step.parameters),
    },
  });
}

function branchStep(step: BranchStep, id: string, parent: Parent | null, scope: PlaybookScope): PlatformStep {
  const conditional = step.branches.map(({ name, conditions }, index) => ({
    LogicalOperator: 0,
    Conditions: conditions.map(({ field, is, value = "" }) => ({
      Operator: operators[is],
      FieldName: field,
      Type: PLACEHOLDER_FIELD,
      Value: value,
      CustomOperatorName: null,
    })),
    Order: index + 1,
    IsDefaultBranch: false,
    Name: name,
  }));
  const otherwise = { LogicalOperator: 0, Conditions: [], Order: conditional.length + 1, IsDefaultBranch: true };
  const branches = [...conditional, { ...otherwise, Name: "Otherwise" }];
  return platformStep(step.name, id, parent, scope, {
    Name: "Condition",
    Description: "",
    ActionProvider: "Flow",
    ActionName: "IfFlowCondition",
    Integration: "Flow",
    Type: CONDITION_STEP,
    AutoSkipOnFailure: false,
    Parameters: { Branches: JSON.stringify(branches), ErrorFallbackBranch: null },
  });
}

/** What is said of a step of one kind; its parameters by name. */
interface StepDetails {
  Name: string;
  Description: string;
  ActionProvider: "Scripts" | "Flow";
  ActionName: string;
  Integration: string;
  Type: number;
  AutoSkipOnFailure: boolean;
  Parameters: Record<string, string | null>;
}

function platformStep(
  name: string,
  id: string,
  parent: Parent | null,
  { key, playbookId }: PlaybookScope,
  { Parameters, ...details }: StepDetails,
): PlatformStep {
  const everyStep = {
    AssignedUsers: null,
    HasApprovalLink: null,
    MessageToAssignee: null,
    PendingActionTimeout: null,
    SelectedScopeName: "All entities",
  };
  return {
    ...details,
    Identifier: id,
    OriginalStepIdentifier: identifier(`${key}/step/${name}/original`),
    ParentWorkflowIdentifier: playbookId,
    ParentStepIdentifiers: parent === null ? [] : [parent.id],
    ParentStepIdentifier: parent?.id ?? "",
    PreviousResultCondition: JSON.stringify(parent?.branch ? { [parent.id]: parent.branch } : {}),
    InstanceName: name,
    IsAutomatic: true,
    IsSkippable: false,
    Parameters: Object.entries({ ...everyStep, ...Parameters }).map(([Name, Value]) => ({
      ParentStepIdentifier: id,
      ParentWorkflowIdentifier: playbookId,
      Name,
      Value,
    })),
    IsDebugMockData: false,
    StepDebugData: null,
    ParentStepContainerId: null,
    IsTouchedByAi: false,
    StartLoopStepIdentifier: null,
    ParallelActions: [],
  };
}

/** A UUID that depends on the text alone (RFC 9562, version 5), in a name space of this project. */
function identifier(text: string): string {
  const space = Buffer.from("0b1c6f5e8d0a4b7b9a5e3f2d7c6b1a90", "hex");
  const bytes = createHash("sha1").update(space).update(text).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}
