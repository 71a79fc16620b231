import type { JSX } from "preact";

/** A widget of a package at an address of its own, in a frame without access to this page. */
export function WidgetFrame({ url, title }: { url: string; title: string }): JSX.Element {
  return (
    <iframe
      key={url}
      class="widget-frame"
      src={url}
      title={title}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
    />
  );
}
