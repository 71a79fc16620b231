import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";
import { integer } from "../../../../widgets/shared/text.ts";

export interface Tab {
  id: string;
  label: string;
  count?: number;
}

interface TabsProps {
  label: string;
  tabs: readonly Tab[];
  selected: string;
  onSelect: (id: string) => void;
  children: ComponentChildren;
}

const steps: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowRight: (index, last) => (index === last ? 0 : index + 1),
  ArrowLeft: (index, last) => (index === 0 ? last : index - 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** One panel at a time; the arrow keys go from tab to tab. Keep `selected` in the query, so that the URL leads there. */
export function Tabs({ label, tabs, selected, onSelect, children }: TabsProps): JSX.Element {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>("[aria-selected=true]");
    // Only the list scrolls: a page that was just opened stays at its top.
    if (tab != null && list.current !== null)
      list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2;
  }, [selected]);
  const move = (event: KeyboardEvent & { currentTarget: HTMLElement }): void => {
    const index = tabs.findIndex((tab) => tab.id === selected);
    const next = tabs[steps[event.key]?.(index, tabs.length - 1) ?? -1];
    if (next === undefined) return;
    event.preventDefault();
    onSelect(next.id);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.id}"]`)?.focus();
  };
  return (
    <div>
      <div ref={list} class="tab-list" role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${id}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === selected}
            aria-controls={`${id}-panel`}
            tabIndex={tab.id === selected ? 0 : -1}
            onClick={() => {
              onSelect(tab.id);
            }}
          >
            {tab.label}
            {tab.count !== undefined && <span class="tab-count">{integer(tab.count)}</span>}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} tabIndex={-1}>
        {children}
      </div>
    </div>
  );
}
