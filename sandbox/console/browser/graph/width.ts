import { useLayoutEffect, useRef, useState } from "preact/hooks";

/** An element, and how wide its content may be, in pixels; null until it is on the page. */
export function useWidth(): [element: { current: HTMLDivElement | null }, width: number | null] {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      // A part of the page that is hidden has no width.
      if (current.clientWidth > 0) setWidth(current.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [element, width];
}
