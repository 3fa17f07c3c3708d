import { describe, expect, test } from "vitest";
import { clip, displayWidth, renderTable } from "./table.ts";

const COLUMNS = [{ header: "ID" }, { header: "TASK", flexible: true }, { header: "EST", align: "right" }] as const;

describe("a table", () => {
  test("fits 80 columns by cutting the flexible column only", () => {
    const lines = renderTable({ columns: COLUMNS, rows: [["abc123", "x".repeat(200), "1h30m"]] }, 80);
    expect(lines.map(displayWidth).every((width) => width <= 80)).toBe(true);
    expect(lines[1]).toMatch(/^abc123 {2}x+… {2}1h30m$/);
  });

  test("leaves out a column that no row uses", () => {
    expect(renderTable({ columns: COLUMNS, rows: [["abc123", "sleep", ""]] }, 80)).toEqual([
      "ID      TASK",
      "abc123  sleep",
    ]);
  });

  test("keeps rows on one line and shows controls as symbols", () => {
    const lines = renderTable({ columns: COLUMNS, rows: [["abc123", "a\nb\u001b[31mc\u202Ed", "1m"]] }, 80);
    expect(lines).toHaveLength(2);
    expect(lines[1]).toContain("a b\u241b[31mc\uFFFDd");
  });

  test("counts wide scripts and emoji as two cells", () => {
    expect(displayWidth("日本")).toBe(4);
    expect(displayWidth("👩‍👩‍👧")).toBe(2);
    expect(displayWidth("é")).toBe(1);
    const lines = renderTable(
      {
        columns: COLUMNS,
        rows: [
          ["1", "日本", "1m"],
          ["2", "ab", "2m"],
        ],
      },
      80,
    );
    expect(new Set(lines.map(displayWidth)).size).toBe(1);
  });

  test("cuts between characters, never inside one", () => {
    expect(clip("日本語", 4)).toBe("日…");
    expect(clip("ab", 2)).toBe("ab");
  });
});
