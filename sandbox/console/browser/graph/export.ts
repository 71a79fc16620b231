/** What the style sheet gives an element and the file needs to hold itself. */
const looks = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "text-anchor",
] as const;

const MARGIN = 8;
/** Browsers draw no larger canvas. */
const MOST_PIXELS = 8000;

/** The drawing as the text of an SVG file, in the colours of the page, without anything else of the page. */
function svgText(drawing: SVGSVGElement): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  const shown = [drawing, ...drawing.querySelectorAll<SVGElement>("*")];
  const copied = [copy, ...copy.querySelectorAll<SVGElement>("*")];
  for (const [index, element] of shown.entries()) {
    const target = copied[index];
    if (target !== undefined) settle(element, target);
  }
  const { width, height } = drawing.viewBox.baseVal;
  copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  copy.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}`);
  copy.setAttribute("width", String(width + 2 * MARGIN));
  copy.setAttribute("height", String(height + 2 * MARGIN));
  copy.prepend(ground(drawing, width, height));
  return new XMLSerializer().serializeToString(copy);
}

function settle(shown: SVGElement, copy: SVGElement): void {
  const style = getComputedStyle(shown);
  for (const name of looks) copy.setAttribute(name, style.getPropertyValue(name));
  if (style.getPropertyValue("paint-order") === "stroke") copy.setAttribute("paint-order", "stroke");
  for (const { name } of [...copy.attributes]) {
    if (/^(class|style|role|tabindex|aria-.*|data-.*)$/.test(name)) copy.removeAttribute(name);
  }
}

function ground(drawing: SVGSVGElement, width: number, height: number): SVGElement {
  const rectangle = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  const colour = getComputedStyle(drawing).backgroundColor;
  const values = { x: -MARGIN, y: -MARGIN, width: width + 2 * MARGIN, height: height + 2 * MARGIN, fill: colour };
  for (const [name, value] of Object.entries(values)) rectangle.setAttribute(name, String(value));
  return rectangle;
}

export function svgFile(drawing: SVGSVGElement): Blob {
  return new Blob([svgText(drawing)], { type: "image/svg+xml" });
}

/**
 * The drawing as a PNG, two pixels for each unit unless that is more than a browser can draw.
 * @throws Error when the browser cannot draw it
 */
export async function pngFile(drawing: SVGSVGElement): Promise<Blob> {
  const address = URL.createObjectURL(svgFile(drawing));
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const scale = Math.min(2, MOST_PIXELS / Math.max(image.width, image.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.width * scale);
    canvas.height = Math.round(image.height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const file = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, "image/png");
    });
    if (file === null) throw new Error("This browser cannot draw a picture of this size. Export the SVG instead.");
    return file;
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Lets the browser save a file. */
export function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the file after this call has returned.
  setTimeout(() => {
    URL.revokeObjectURL(address);
  }, 10_000);
}
