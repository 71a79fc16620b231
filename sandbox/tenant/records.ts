/** One request as the tenant saw it. */
export interface RequestRecord {
  method: string;
  /** The raw request target: path and query, as on the wire. */
  target: string;
  /** The target without its query. */
  path: string;
  /** Status of the answer; 0 while there is none, and when the connection was dropped before one. */
  status: number;
  /** Bytes of the answer's body that were written. */
  bytes: number;
  /** Number of the connection, counted from 1. */
  connection: number;
  /** Milliseconds since the tenant started, from a clock that never jumps. */
  at: number;
  /** Requests in progress when this one arrived, itself included. */
  inFlight: number;
}

/** The largest number of requests that arrived within any window of the given length. */
export function busiestWindow(requests: readonly RequestRecord[], milliseconds = 1000): number {
  const times = requests.map((request) => request.at).sort((a, b) => a - b);
  let busiest = 0;
  let first = 0;
  times.forEach((time, last) => {
    while (time - (times[first] ?? time) >= milliseconds) first += 1;
    busiest = Math.max(busiest, last - first + 1);
  });
  return busiest;
}

/** The largest number of requests that were in progress at once. */
export function mostInFlight(requests: readonly RequestRecord[]): number {
  return requests.reduce((most, request) => Math.max(most, request.inFlight), 0);
}
