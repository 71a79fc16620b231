import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { integer } from "../../../widgets/shared/text.ts";
import { isLive } from "./live.ts";
import { overview } from "./overview.ts";
import { IconButton } from "./parts/button.tsx";
import { Icon, type IconName } from "./parts/icon.tsx";
import { type Theme, theme } from "./theme.ts";

interface Entry {
  href: string;
  text: string;
  icon: IconName;
  count?: () => number | undefined;
}

const groups: readonly { title: string; entries: readonly Entry[] }[] = [
  {
    title: "Investigate",
    entries: [
      { href: "/", text: "Home", icon: "home" },
      { href: "/cases", text: "Cases", icon: "cases", count: () => overview.value?.counts.openCases },
      { href: "/playbooks", text: "Playbooks", icon: "playbooks" },
    ],
  },
  {
    title: "Ingest",
    entries: [
      { href: "/connectors", text: "Connectors", icon: "connectors" },
      { href: "/runs", text: "Runs", icon: "runs", count: () => overview.value?.counts.runningRuns },
    ],
  },
  {
    title: "Set up",
    entries: [
      { href: "/marketplace", text: "Marketplace", icon: "marketplace" },
      { href: "/instances", text: "Instances", icon: "instances" },
    ],
  },
  { title: "Laboratory", entries: [{ href: "/tenant", text: "Simulated tenant", icon: "tenant" }] },
];

/** The way to every page: a column at the side, on narrow screens behind a button. */
export function Navigation({ path }: { path: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    setOpen(false);
  }, [path]);
  const shown = groups.filter(({ title }) => title !== "Laboratory" || overview.value?.simulated !== false);
  return (
    <header
      class={isOpen ? "sidebar open" : "sidebar"}
      onKeyDown={({ key }) => {
        if (key === "Escape") setOpen(false);
      }}
    >
      <div class="brand">
        <IconButton
          icon={isOpen ? "close" : "menu"}
          label={isOpen ? "Close the menu" : "Open the menu"}
          expanded={isOpen}
          onPress={() => {
            setOpen(!isOpen);
          }}
        />
        <a href="/" class="brand-name">
          <BrandMark />
          Attack Path Analysis
        </a>
      </div>
      <nav class="nav" aria-label="Pages">
        {shown.map(({ title, entries }) => (
          <div key={title}>
            <p class="nav-title">{title}</p>
            <ul>
              {entries.map((entry) => (
                <NavigationEntry key={entry.href} entry={entry} path={path} />
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <div class="sidebar-foot">
        <p class={isLive.value ? "live" : "live lost"} role="status">
          <span class="dot" aria-hidden="true" />
          {isLive.value ? "Live" : "Connection lost, retrying"}
        </p>
        <ThemeSwitch />
      </div>
    </header>
  );
}

function NavigationEntry({ entry, path }: { entry: Entry; path: string }): JSX.Element {
  const { href, text, icon, count } = entry;
  const number = count?.() ?? 0;
  const isHere = href === "/" ? path === "/" : path === href || path.startsWith(`${href}/`);
  return (
    <li>
      <a href={href} aria-current={isHere ? "page" : undefined}>
        <Icon name={icon} />
        {text}
        {number > 0 && <span class="nav-count">{integer(number)}</span>}
      </a>
    </li>
  );
}

function BrandMark(): JSX.Element {
  return (
    <svg class="brand-mark" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d="M6 18L10.5 9M13 8.5l5 4" />
      <circle cx="5.5" cy="19" r="2.5" />
      <circle cx="11.5" cy="6.5" r="2.5" />
      <circle class="target" cx="19.5" cy="13.5" r="2.5" />
    </svg>
  );
}

const themes: readonly { value: Theme; text: string; icon: IconName }[] = [
  { value: "system", text: "Theme of the system", icon: "system" },
  { value: "light", text: "Light theme", icon: "sun" },
  { value: "dark", text: "Dark theme", icon: "moon" },
];

function ThemeSwitch(): JSX.Element {
  return (
    <div class="theme-switch" role="group" aria-label="Theme">
      {themes.map(({ value, text, icon }) => (
        <button
          key={value}
          type="button"
          aria-label={text}
          title={text}
          aria-pressed={theme.value === value}
          onClick={() => {
            theme.value = value;
          }}
        >
          <Icon name={icon} size={14} />
        </button>
      ))}
    </div>
  );
}
