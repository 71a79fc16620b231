import type { JSX } from "preact";
import { useRef } from "preact/hooks";

/**
 * Shows a page of a package in a frame without access to this one. The frame has a policy of its own, which lets the page
 * run its scripts and load nothing.
 */
export function WidgetFrame({ html, title }: { html: string; title: string }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  return (
    <iframe
      key={html}
      ref={frame}
      class="widget-frame"
      src="/widget-frame"
      title={title}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
      onLoad={() => {
        // The frame has no origin that could be named.
        frame.current?.contentWindow?.postMessage({ html }, "*");
      }}
    />
  );
}
