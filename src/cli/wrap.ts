/**
 * Breaks a text into lines between words. A word that is longer than a line, such as an address, is not broken.
 *
 * @param width - of each line, in characters; null for a single line
 */
export function wrapped(text: string, width: number | null): string[] {
  if (width === null) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
