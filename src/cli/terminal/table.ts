import { oneLine } from "#base";

export type Column = {
  readonly header: string;
  readonly align?: "left" | "right";
  /** The column that gives way when the row is wider than the terminal. */
  readonly flexible?: true;
};

export type Table = { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] };

/** Prints a table as wide as the terminal. */
export function printTable(terminal: { readonly columns: number; line(text: string): void }, table: Table): void {
  for (const line of renderTable(table, terminal.columns)) terminal.line(line);
}

const GAP = "  ";
const FLEXIBLE_MIN = 12;

/** A table of plain text, at most `width` wide. Every cell is made one safe line; empty columns are left out. */
export function renderTable(table: Table, width: number): string[] {
  const { columns: all, rows: allRows } = table;
  const shown = all.flatMap((column, index) =>
    allRows.some((row) => (row[index] ?? "") !== "") ? [{ column, index }] : [],
  );
  const rows = allRows.map((row) => shown.map(({ index }) => oneLine(row[index] ?? "")));
  const headers = shown.map(({ column }) => column.header);
  const widths = headers.map((header, at) =>
    Math.max(displayWidth(header), ...rows.map((row) => displayWidth(row[at] ?? ""))),
  );
  const total = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1);
  const flexibleAt = shown.findIndex(({ column }) => column.flexible === true);
  if (total > width && flexibleAt >= 0) {
    widths[flexibleAt] = Math.max(FLEXIBLE_MIN, (widths[flexibleAt] ?? 0) - (total - width));
  }
  const renderRow = (cells: readonly string[]) =>
    cells
      .map((cell, at) => fit(cell, { width: widths[at] ?? 0, align: shown[at]?.column.align ?? "left" }))
      .join(GAP)
      .trimEnd();
  return [renderRow(headers), ...rows.map(renderRow)];
}

/** Cuts a text to a width, marking the cut. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let result = "";
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    result += segment;
    used += next;
  }
  return `${result}…`;
}

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

/** How many terminal cells a text takes: wide scripts and emoji take two, combined characters one. */
export function displayWidth(text: string): number {
  // Printable ASCII is the common case and needs no segmentation.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

const graphemeWidth = (segment: string): number => (WIDE.test(segment) ? 2 : /^\p{Mark}+$/u.test(segment) ? 0 : 1);

function fit(cell: string, { width, align }: { readonly width: number; readonly align: "left" | "right" }): string {
  const text = clip(cell, width);
  const padding = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? padding + text : text + padding;
}
