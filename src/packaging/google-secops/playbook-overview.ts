import type { ActionStep, Playbook, Step } from "./playbook-source.ts";
import type { ActionWidget } from "./widgets.ts";

/*
 * Shapes and codes of a playbook's view, as the playbooks of chronicle/content-hub use them (packages/mp, data models
 * "overview" and "widget").
 */
const PLAYBOOK_VIEW = 0;
const FULL_WIDTH = 2;
const ENTITIES_HIGHLIGHTS = 10;
const CASES_AND_ALERTS = 2;

/** The platform's own roles. A view is shown to those it names. */
const ROLES = ["Administrator", "Tier1", "Tier2", "Tier3", "SocManager", "CISO"];

/** What the HTML of a widget has in place of a step's name. */
const STEP_NAME = "{stepInstanceName}";

/** A widget in the view of a playbook. */
export interface PlaybookWidget extends Record<string, unknown> {
  Title: string;
  /** The contents: JSON in a text. */
  DataDefinitionJson: string;
  ConditionsGroup: unknown;
}

/** What an alert with this playbook shows to people with these roles. */
export interface PlaybookOverview {
  OverviewTemplate: Record<string, unknown> & { Widgets: PlaybookWidget[] };
  Roles: string[];
}

/** The ids in a view, which must stay the same from build to build. */
interface Ids {
  playbookId: string;
  /** A UUID that depends on the playbook and this text. */
  idOf: (part: string) => string;
}

/**
 * The view of a playbook: the widget of each step whose action has one, then the entities, which the platform's default
 * view shows and this one replaces.
 *
 * A widget names its step in its own placeholders instead of linking to the package's widget: the platform gives that one
 * an id when it is imported, so no file can know it.
 */
export function playbookOverview(
  playbook: Playbook,
  widgets: readonly ActionWidget[],
  { playbookId, idOf }: Ids,
): PlaybookOverview {
  const templateId = idOf("overview");
  const shown = actionSteps(playbook.steps).flatMap((step) => {
    const widget = step.integration === undefined ? widgetOf(step, widgets) : undefined;
    return widget === undefined ? [] : [stepWidget(step, widget)];
  });
  return {
    OverviewTemplate: {
      Identifier: templateId,
      Name: playbook.name,
      Creator: null,
      PlaybookDefinitionIdentifier: playbookId,
      Type: PLAYBOOK_VIEW,
      AlertRuleType: null,
      Roles: [],
      Widgets: [...shown, entitiesHighlights].map((widget, index) => ({
        ...widget,
        Identifier: idOf(`widget/${widget.Title}`),
        Order: index + 1,
        TemplateIdentifier: templateId,
        ActionWidgetTemplateIdentifier: null,
        StepIdentifier: null,
        StepIntegration: null,
        BlockStepIdentifier: null,
        BlockStepInstanceName: null,
        PresentIfEmpty: false,
        IntegrationName: null,
      })),
    },
    Roles: ROLES,
  };
}

const entitiesHighlights = {
  Title: "Entities Highlights",
  Description: "The highlighted fields of each entity.",
  Type: ENTITIES_HIGHLIGHTS,
  GridColumns: FULL_WIDTH,
  DataDefinitionJson: JSON.stringify({
    highlightFieldConfigs: [],
    targetScope: 0,
    type: ENTITIES_HIGHLIGHTS,
    widgetDefinitionScope: CASES_AND_ALERTS,
  }),
  ConditionsGroup: { LogicalOperator: 0, Conditions: [] },
};

function stepWidget(step: ActionStep, { definition, html }: ActionWidget) {
  const named = (text: string): string => text.replaceAll(STEP_NAME, step.name);
  const { LogicalOperator, Conditions } = definition.ConditionsGroup;
  return {
    Title: step.name,
    Description: definition.Description,
    Type: definition.Type,
    GridColumns: definition.DefaultSize,
    DataDefinitionJson: JSON.stringify({ ...definition.DataDefinition, htmlContent: named(html) }),
    ConditionsGroup: {
      LogicalOperator,
      Conditions: Conditions.map((condition) => ({ ...condition, FieldName: named(condition.FieldName) })),
    },
  };
}

function widgetOf(step: ActionStep, widgets: readonly ActionWidget[]): ActionWidget | undefined {
  return widgets.find(({ definition }) => definition.ActionIdentifier === step.action);
}

function actionSteps(steps: readonly Step[]): ActionStep[] {
  return steps.flatMap((step) =>
    "action" in step ? [step] : actionSteps([...step.branches.flatMap((branch) => branch.steps), ...step.otherwise]),
  );
}
