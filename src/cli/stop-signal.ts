const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The process, as far as it is needed here. */
interface SignalSource {
  on(signal: string, listener: () => void): unknown;
  off(signal: string, listener: () => void): unknown;
}

/** Aborts on the first Ctrl-C or SIGTERM. The second one, whichever it is, ends the process at once. */
export function stopSignal(process: SignalSource): AbortSignal {
  const stop = new AbortController();
  const onSignal = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    stop.abort();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stop.signal;
}
