import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { type Heard, useLive } from "./live.ts";
import { Loader } from "./loader.ts";

/** Something that is asked of the server. While it is asked again, the last answer stays. */
export interface Loadable<T> {
  data: T | null;
  error: Error | null;
  isLoading: boolean;
  reload: () => void;
}
export interface Resource<T> extends Loadable<T> {
  /** Puts an answer in place that came another way, such as from a change. */
  replace: (data: T) => void;
}

interface Options {
  /** Which live events make it be asked again. With this, it is also asked again after the stream of events was lost. */
  on?: (event: Heard) => boolean;
}

/** Live events come in bursts: however many there are, a page asks again at most this often. */
const PAUSE_MS = 400;

/** Asks `load` now, whenever one of `inputs` changes, and whenever a live event says so. */
export function useResource<T>(
  load: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
  { on }: Options = {},
): Resource<T> {
  const [state, setState] = useState<{ data: T | null; error: Error | null; isLoading: boolean }>({
    data: null,
    error: null,
    isLoading: true,
  });
  const latest = useRef(load);
  latest.current = load;
  const timer = useRef<ReturnType<typeof setTimeout> | null>(null);

  const [loader] = useState(
    () =>
      new Loader(async (signal) => {
        setState((before) => ({ ...before, isLoading: true }));
        try {
          const data = await latest.current(signal);
          if (!signal.aborted) setState({ data, error: null, isLoading: false });
        } catch (error) {
          if (signal.aborted) return;
          const failure = error instanceof Error ? error : new Error(String(error));
          setState((before) => ({ data: before.data, error: failure, isLoading: false }));
        }
      }),
  );
  const reload = useCallback(() => {
    loader.ask();
  }, []);

  useEffect(() => {
    loader.start();
  }, inputs);
  useEffect(
    () => () => {
      loader.stop();
      if (timer.current !== null) clearTimeout(timer.current);
    },
    [],
  );
  useLive((event) => {
    // What no event changes may be a question to the tenant, and a page reconnects whenever it is shown again.
    if (timer.current !== null || on === undefined || !(event.type === "reconnected" || on(event))) return;
    timer.current = setTimeout(() => {
      timer.current = null;
      reload();
    }, PAUSE_MS);
  });
  const replace = useCallback((data: T) => {
    loader.stop();
    setState({ data, error: null, isLoading: false });
  }, []);
  return { ...state, reload, replace };
}
