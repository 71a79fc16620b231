import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { integer, visible } from "../../../../../widgets/shared/text.ts";
import type { CaseChange, CaseView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { cutText } from "../../format.ts";
import { Badge, capitalised, SeverityBadge } from "../../parts/badge.tsx";
import { Button, IconButton, useTask } from "../../parts/button.tsx";
import { Field, Select } from "../../parts/field.tsx";
import { Form } from "../../parts/form.tsx";
import { Facts, PageHead, Section } from "../../parts/layout.tsx";
import { Cut } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../toast.ts";
import { PRIORITIES } from "../../../contract/cases.ts";

const priorities = Array.from(PRIORITIES, ([value, name]) => ({ value: String(value), text: capitalised(name) }));

interface CaseProps {
  view: CaseView;
  replace: (view: CaseView) => void;
}

function useChange({ view, replace }: CaseProps) {
  return useTask(async (change: CaseChange, done: string) => {
    replace(await call("PATCH /cases/:id", { path: { id: String(view.id) }, body: change }));
    toast(done);
  });
}

/** Title, state and what can be done with a case. */
export function CaseHead(props: CaseProps & { onAction: () => void; onPlaybook: () => void }): JSX.Element {
  const { view } = props;
  const change = useChange(props);
  const isOpen = view.status === "open";
  return (
    <PageHead
      up={{ href: "/cases", text: "Cases" }}
      title={
        <>
          <span class="muted number">#{view.id}</span> <bdi>{visible(view.title)}</bdi>
        </>
      }
      actions={
        <>
          <Button icon="bolt" look="primary" onPress={props.onAction}>
            Run action
          </Button>
          <Button icon="playbooks" onPress={props.onPlaybook}>
            Run playbook
          </Button>
          <Button
            isBusy={change.isBusy}
            onPress={() => {
              if (isOpen) change.run({ status: "closed" }, "The case was closed. New alerts open another case.");
              else change.run({ status: "open" }, "The case was reopened.");
            }}
          >
            {isOpen ? "Close case" : "Reopen case"}
          </Button>
        </>
      }
    >
      <span class="about-line">
        <SeverityBadge severity={view.severity} />
        <Badge look={isOpen ? "accent" : "plain"}>{isOpen ? "Open" : "Closed"}</Badge>
        <span>{visible(view.environmentName)}</span>
        <span>
          updated <Time at={view.updatedAt} />
        </span>
      </span>
    </PageHead>
  );
}

/** What a person decides about a case: priority, tags, comments. */
export function CaseSide(props: CaseProps): JSX.Element {
  const { view } = props;
  const change = useChange(props);
  return (
    <aside class="case-side" aria-label="About this case">
      <Section title="About">
        <Facts
          of={[
            [
              "Priority",
              <Select
                label="Priority"
                value={String(view.priority)}
                options={priorities}
                onChange={(value) => {
                  if (value !== null) change.run({ priority: Number(value) }, "The priority was changed.");
                }}
              />,
            ],
            ["Opened", <Time at={view.openedAt} />],
            ["Alerts", view.alerts],
            ["Events", integer(view.events)],
          ]}
        />
        <p class="because">{visible(view.because)}</p>
      </Section>
      <Tags {...props} />
      <Comments {...props} />
    </aside>
  );
}

function Tags(props: CaseProps): JSX.Element {
  const [text, setText] = useState("");
  const { view, replace } = props;
  const change = useChange(props);
  const add = useTask(async (tag: string) => {
    replace(await call("PATCH /cases/:id", { path: { id: String(view.id) }, body: { addTags: [tag] } }));
    setText("");
    toast("The tag was added.");
  });
  return (
    <Section title="Tags">
      <ul class="row tags" aria-label="Tags">
        {view.tags.map((tag) => (
          <li key={tag} class="badge tag accent">
            {visible(tag)}
            <IconButton
              icon="close"
              label={`Remove tag ${visible(tag)}`}
              onPress={() => {
                change.run({ removeTags: [tag] }, "The tag was removed.");
              }}
            />
          </li>
        ))}
        {view.tags.length === 0 && <li class="muted">None yet.</li>}
      </ul>
      <Form
        class="inline-form"
        onSubmit={() => {
          if (text.trim() !== "") add.run(text.trim());
        }}
      >
        <input
          type="text"
          aria-label="New tag"
          placeholder="New tag"
          maxLength={60}
          value={text}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
          }}
        />
        <Button submit size="small" isBusy={add.isBusy}>
          Add
        </Button>
      </Form>
    </Section>
  );
}

function Comments({ view, replace }: CaseProps): JSX.Element {
  const [text, setText] = useState("");
  const add = useTask(async () => {
    replace(await call("POST /cases/:id/comments", { path: { id: String(view.id) }, body: { text: text.trim() } }));
    setText("");
  });
  return (
    <Section title="Comments">
      <Cut text={cutText(view.comments, view.totals.comments, "newest", "comments")} />
      <ul class="comments">
        {view.comments.map((comment) => (
          <li key={comment.id}>
            <p class="muted small">
              {visible(comment.by)}, <Time at={comment.at} />
            </p>
            <p class="comment-text">{comment.text.split("\n").map(visible).join("\n")}</p>
          </li>
        ))}
      </ul>
      <Form
        onSubmit={() => {
          if (text.trim() !== "") add.run();
        }}
      >
        <Field label="Comment">
          {(control) => (
            <textarea
              {...control}
              rows={2}
              value={text}
              onInput={({ currentTarget }) => {
                setText(currentTarget.value);
              }}
            />
          )}
        </Field>
        <div>
          <Button submit size="small" isBusy={add.isBusy}>
            Add comment
          </Button>
        </div>
      </Form>
    </Section>
  );
}
