/**
 * Breaks a text into lines: between words, and within a word that is longer than a line.
 *
 * @param width - of each line, in characters; null for a single line
 */
export function wrapped(text: string, width: number | null): string[] {
  if (width === null || text.length <= width) return [text];
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else for (let at = 0; at === 0 || at < word.length; at += width) lines.push(word.slice(at, at + width));
  }
  return lines;
}
