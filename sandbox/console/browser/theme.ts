import { effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "theme";
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(prefersDark.matches);

function chosen(): Theme {
  const stored = localStorage.getItem(KEY);
  return stored === "light" || stored === "dark" ? stored : "system";
}

/** What the person has chosen; it is kept in this browser. */
export const theme = signal<Theme>(chosen());

/** What is shown, for what cannot follow the style sheet, such as a widget's frame. */
export function shownTheme(): "light" | "dark" {
  if (theme.value !== "system") return theme.value;
  return systemIsDark.value ? "dark" : "light";
}

export function startTheme(): void {
  prefersDark.addEventListener("change", ({ matches }) => {
    systemIsDark.value = matches;
  });
  effect(() => {
    if (theme.value === "system") {
      localStorage.removeItem(KEY);
      delete document.documentElement.dataset["theme"];
    } else {
      localStorage.setItem(KEY, theme.value);
      document.documentElement.dataset["theme"] = theme.value;
    }
  });
}
