import { describe, expect, test } from "vitest";
import { clip, displayWidth, renderTable } from "./table.ts";

const COLUMNS = [{ header: "ID" }, { header: "TASK", flexible: true }, { header: "EST", align: "right" }] as const;

describe("a table", () => {
  test("fits 80 columns by cutting the flexible column only", () => {
    const lines = renderTable({ columns: COLUMNS, rows: [["abc123", "x".repeat(200), "1h30m"]] }, 80);
    expect(lines.map(displayWidth).every((width) => width <= 80)).toBe(true);
    expect(lines[1]).toMatch(/^abc123 {2}x+… {2}1h30m$/);
  });

  test("leaves out spare columns in their order where the rest would not fit, and only as many as needed", () => {
    const columns = [{ header: "ID" }, { header: "DUE", spare: 2 }, COLUMNS[1], { ...COLUMNS[2], spare: 1 }];
    const table = { columns, rows: [["abc123", "2026-11-16 09:00", "call Ana about the contract", "1h30m"]] };
    expect(renderTable(table, 60)[0]).toMatch(/^ID +DUE +TASK +EST$/);
    expect(renderTable(table, 40)).toEqual([
      "ID      DUE               TASK",
      "abc123  2026-11-16 09:00  call Ana abou…",
    ]);
    expect(renderTable(table, 30)).toEqual(["ID      TASK", "abc123  call Ana about the co…"]);
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
