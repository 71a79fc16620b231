/** Stands for a figure that was not measured. */
export const DASH = "–";

export function whole(value: number): string {
  return Number.isFinite(value) ? Math.round(value).toLocaleString("en") : DASH;
}

export function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(2);
}

export function megabytes(bytes: number): string {
  return whole(bytes / 1e6);
}

/** Small amounts with a digit more, so that they are not all 0. */
export function kilobytes(bytes: number): string {
  return bytes < 10_000 ? (bytes / 1000).toFixed(1) : whole(bytes / 1000);
}

export function share(value: number): string {
  return Number.isFinite(value) ? value.toFixed(2) : DASH;
}

/** A figure with its limit in brackets, where it has one. */
export function bounded(value: number, most: number | undefined, show: (value: number) => string): string {
  return most === undefined ? show(value) : `${show(value)} (${show(most)})`;
}
