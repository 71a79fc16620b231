import DOMPurify from "dompurify";
import { Marked } from "marked";
import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";

/** The headings of a text are below those of the page that it stands in. */
const HEADINGS_BELOW = 2;

const marked = new Marked({ gfm: true });

const allowed = {
  ALLOWED_TAGS: [
    ...["p", "br", "hr", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "a"],
    ...["strong", "em", "del", "table", "thead", "tbody", "tr", "th", "td"],
  ],
  ALLOWED_ATTR: ["href", "title", "start"],
  // Nothing but the web: no other scheme, and no address of the console itself.
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  RETURN_DOM_FRAGMENT: true,
} as const;

/** A text of the service as it is meant to be read. Its markup is reduced to text, lists, tables and links to the web. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    place.current?.replaceChildren(fragmentOf(text));
  }, [text]);
  return <div class="markdown" ref={place} />;
}

function fragmentOf(text: string): DocumentFragment {
  const lines = text.replace(/\r\n?/g, "\n").replaceAll("\t", "    ").split("\n");
  const html = htmlOf(lines.map(visible).join("\n"));
  const fragment = DOMPurify.sanitize(html, {
    ...allowed,
    ALLOWED_TAGS: [...allowed.ALLOWED_TAGS],
    ALLOWED_ATTR: [...allowed.ALLOWED_ATTR],
  });
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer nofollow";
  }
  // A wide table or line of code scrolls, and can be scrolled by keyboard.
  for (const block of fragment.querySelectorAll<HTMLElement>("pre, table")) block.tabIndex = 0;
  return fragment;
}

/** Some texts begin with a heading of the third level: the highest one that there is comes first, whatever its level. */
function htmlOf(text: string): string {
  const tokens = marked.lexer(text);
  const headings: { depth: number }[] = [];
  void marked.walkTokens(tokens, (token) => {
    if (token.type === "heading") headings.push(token as typeof token & { depth: number });
  });
  const highest = Math.min(...headings.map(({ depth }) => depth));
  for (const heading of headings) heading.depth = Math.min(6, heading.depth - highest + 1 + HEADINGS_BELOW);
  return marked.parser(tokens);
}
