import type { Row } from "./measure.ts";

const HEADINGS = ["what", "unit", "product", "limit", "peer", "ratio", "goal", "ok"] as const;

/** The rows as aligned text: words to the left, figures to the right. */
export function formatTable(rows: readonly Row[]): string {
  const cells = [[...HEADINGS], ...rows.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, column) => align(cell, column, widths))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function cellsOf(row: Row): string[] {
  const goal = row.against === null ? row.goal : `${row.goal} of ${row.against}`;
  const verdict = row.ok === null ? "-" : row.ok ? "yes" : "NO";
  return [
    row.what,
    row.unit,
    figure(row.product),
    figure(row.limit),
    figure(row.peer),
    figure(row.ratio),
    goal,
    verdict,
  ];
}

function align(cell: string, column: number, widths: readonly number[]): string {
  const isFigure = column >= 2 && column <= 5;
  return isFigure ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
}

function figure(value: number | null): string {
  if (value === null) return "-";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
