import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Layout } from "./layout.ts";

/** Below this its smallest text is hard to read: a drawing that is wider than its frame scrolls instead. */
const READABLE = 1;
const STEP = 1.25;
const [LEAST, MOST] = [0.15, 3];

export interface Zoom {
  scale: number;
  in: () => void;
  out: () => void;
  /** As wide as the frame, as far as its text can be read. */
  fit: () => void;
  /** The element that scrolls. */
  frame: { current: HTMLDivElement | null };
  /** Whether the key was one of + - 0. */
  onKey: (key: string) => boolean;
  /** Begins to drag the drawing. */
  onPointerDown: (event: PointerEvent) => void;
}

/** How large a drawing is shown in a frame that scrolls. Only a new layout changes it by itself. */
export function useZoom({ width, height }: Layout): Zoom {
  const frame = useRef<HTMLDivElement>(null);
  const [scale, setScale] = useState(1);
  const readable = (): number => Math.max(READABLE, Math.min(1.1, (frame.current?.clientWidth ?? width) / width));
  const zoomBy = (factor: number): void => {
    setScale((before) => Math.min(MOST, Math.max(LEAST, before * factor)));
  };
  const fit = (): void => {
    setScale(readable());
  };
  useLayoutEffect(() => {
    setScale(readable());
    // Once it has its size: what is too tall starts in the middle, where most edges meet.
    requestAnimationFrame(() => {
      const { current } = frame;
      if (current !== null) current.scrollTop = (current.scrollHeight - current.clientHeight) / 2;
    });
  }, [width, height]);
  useEffect(() => {
    const element = frame.current;
    // A plain wheel scrolls the page; with Ctrl it zooms, which is also what a pinch on a touchpad sends.
    const onWheel = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoomBy(Math.exp(-event.deltaY / 300));
    };
    element?.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      element?.removeEventListener("wheel", onWheel);
    };
  }, []);
  const keys: Readonly<Record<string, () => void>> = {
    "+": () => {
      zoomBy(STEP);
    },
    "-": () => {
      zoomBy(1 / STEP);
    },
    "0": fit,
  };
  return {
    scale,
    frame,
    fit,
    in: () => {
      zoomBy(STEP);
    },
    out: () => {
      zoomBy(1 / STEP);
    },
    onKey: (key) => {
      keys[key]?.();
      return Object.hasOwn(keys, key);
    },
    onPointerDown: (event) => {
      if (frame.current !== null) drag(frame.current, event);
    },
  };
}

/** Touch scrolls by itself. */
function drag(frame: HTMLElement, start: PointerEvent): void {
  const isOnNode = start.target instanceof Element && start.target.closest("[data-node]") !== null;
  if (start.button !== 0 || start.pointerType === "touch" || isOnNode) return;
  const { scrollLeft, scrollTop } = frame;
  const onMove = (event: PointerEvent): void => {
    frame.scrollLeft = scrollLeft - (event.clientX - start.clientX);
    frame.scrollTop = scrollTop - (event.clientY - start.clientY);
  };
  const controller = new AbortController();
  const { signal } = controller;
  const end = (): void => {
    controller.abort();
  };
  addEventListener("pointermove", onMove, { signal });
  addEventListener("pointerup", end, { signal });
  addEventListener("pointercancel", end, { signal });
}
