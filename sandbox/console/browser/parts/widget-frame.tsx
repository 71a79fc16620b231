import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** In pixels, with the frame's border: a widget cannot vanish, and a path of 60 objects fits on a narrow screen. */
const LEAST = 120;
const MOST = 12_000;

/** A widget of a package at an address of its own, as high as it asks to be, in a frame without access to this page. */
export function WidgetFrame({ url, title }: { url: string; title: string }): JSX.Element {
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent<unknown>): void => {
      const shown = frame.current;
      const height = heightIn(data);
      if (shown === null || source !== shown.contentWindow || height === null) return;
      shown.style.height = `${Math.min(MOST, Math.max(LEAST, height + 2))}px`;
    };
    addEventListener("message", onMessage);
    return () => {
      removeEventListener("message", onMessage);
    };
  }, []);
  return (
    <iframe
      key={url}
      ref={frame}
      class="widget-frame"
      src={url}
      title={title}
      sandbox="allow-scripts allow-popups allow-popups-to-escape-sandbox"
    />
  );
}

function heightIn(data: unknown): number | null {
  const height = (data as { widgetHeight?: unknown } | null)?.widgetHeight;
  return typeof height === "number" && Number.isFinite(height) ? Math.ceil(height) : null;
}
