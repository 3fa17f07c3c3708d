import { oneLine } from "#base";

type Column = {
  readonly header: string;
  readonly align?: "left" | "right";
  /** The column that gives way when the row is wider than the terminal. */
  readonly flexible?: true;
  /** Left out on a terminal too narrow for all columns, the lowest number first. */
  readonly spare?: number;
};

type Table = { readonly columns: readonly Column[]; readonly rows: readonly (readonly string[])[] };

/** Prints a table as wide as the terminal. */
export function printTable(terminal: { readonly columns: number; line(text: string): void }, table: Table): void {
  for (const line of renderTable(table, terminal.columns)) terminal.line(line);
}

const GAP = "  ";
const FLEXIBLE_MIN = 12;

/**
 * A table of plain text, at most `width` wide. Every cell is made one safe line. Empty columns are left out; where the
 * flexible column cannot give way far enough, spare ones are too.
 */
export function renderTable({ columns, rows }: Table, width: number): string[] {
  const filled = columns.flatMap((column, index): Shown[] => {
    const cells = rows.map((row) => oneLine(row[index] ?? ""));
    if (cells.every((cell) => cell === "")) return [];
    return [{ ...column, cells, width: Math.max(...[column.header, ...cells].map(displayWidth)) }];
  });
  const shown = fitColumns(filled, width);
  const renderRow = (cellOf: (column: Shown) => string) =>
    shown
      .map((column) => fit(cellOf(column), { width: column.width, align: column.align ?? "left" }))
      .join(GAP)
      .trimEnd();
  return [renderRow(({ header }) => header), ...rows.map((_, at) => renderRow(({ cells }) => cells[at] ?? ""))];
}

type Shown = Column & { readonly cells: readonly string[]; readonly width: number };

function fitColumns(columns: readonly Shown[], width: number): readonly Shown[] {
  const total = columns.reduce((sum, column) => sum + column.width + GAP.length, -GAP.length);
  if (total <= width) return columns;
  const flexible = columns.find((column) => column.flexible === true);
  const narrowed = (flexible?.width ?? 0) - (total - width);
  const next = columns
    .filter(({ spare }) => spare !== undefined)
    .toSorted((a, b) => (a.spare ?? 0) - (b.spare ?? 0))
    .at(0);
  if (narrowed < FLEXIBLE_MIN && next !== undefined) {
    return fitColumns(
      columns.filter((column) => column !== next),
      width,
    );
  }
  return columns.map((column) =>
    column === flexible ? { ...column, width: Math.max(FLEXIBLE_MIN, narrowed) } : column,
  );
}

/** Cuts a text to a width, marking the cut. */
export function clip(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let result = "";
  let used = 0;
  for (const { segment } of graphemesOf(text)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    result += segment;
    used += next;
  }
  return `${result}…`;
}

let segmenter: Intl.Segmenter | null = null;

/** Made when a text needs it: its tables take longer to load than most commands do to end. */
function graphemesOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("und", { granularity: "grapheme" });
  return segmenter.segment(text);
}

const WIDE =
  /[\u1100-\u115F\u2E80-\u303E\u3041-\u33FF\u3400-\u4DBF\u4E00-\u9FFF\uA000-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6\u{20000}-\u{3FFFD}]|\p{Emoji_Presentation}|\uFE0F/u;

/** How many terminal cells a text takes: wide scripts and emoji take two, combined characters one. */
export function displayWidth(text: string): number {
  // Printable ASCII is the common case and needs no segmentation.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

const graphemeWidth = (segment: string): number => (WIDE.test(segment) ? 2 : /^\p{Mark}+$/u.test(segment) ? 0 : 1);

function fit(cell: string, { width, align }: { readonly width: number; readonly align: "left" | "right" }): string {
  const text = clip(cell, width);
  const padding = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "right" ? padding + text : text + padding;
}
