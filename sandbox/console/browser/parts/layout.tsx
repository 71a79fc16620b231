import type { ComponentChildren, JSX } from "preact";

/** The top of a page: where one is, what it is about, and what can be done there. */
export function PageHead(props: {
  title: ComponentChildren;
  /** The page above, such as the list that this is an entry of. */
  up?: { href: string; text: string };
  children?: ComponentChildren;
  actions?: ComponentChildren;
}): JSX.Element {
  return (
    <header class="page-head">
      <div class="page-title">
        {props.up !== undefined && (
          <nav aria-label="Breadcrumb">
            <a href={props.up.href}>
              <span aria-hidden="true">← </span>
              {props.up.text}
            </a>
          </nav>
        )}
        <h1 tabIndex={-1}>{props.title}</h1>
        {props.children !== undefined && <div class="page-about">{props.children}</div>}
      </div>
      {props.actions !== undefined && <div class="actions">{props.actions}</div>}
    </header>
  );
}

/** A part of a page with a heading of its own. */
export function Section(props: {
  title: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
  /** Without a frame around it. */
  isPlain?: boolean;
}): JSX.Element {
  return (
    <section class={props.isPlain === true ? "section plain-section" : "section"}>
      <header class="section-head">
        <h2>{props.title}</h2>
        {props.actions !== undefined && <div class="actions">{props.actions}</div>}
      </header>
      <div class="section-body">{props.children}</div>
    </section>
  );
}

/** Names with their values. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ComponentChildren])[] }): JSX.Element {
  return (
    <dl class="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A number that stands out. */
export function Stat(props: { label: string; value: ComponentChildren; href?: string }): JSX.Element {
  const inside = (
    <>
      <span class="stat-value">{props.value}</span>
      <span class="stat-label">{props.label}</span>
    </>
  );
  return props.href === undefined ? (
    <div class="stat">{inside}</div>
  ) : (
    <a class="stat" href={props.href}>
      {inside}
    </a>
  );
}
