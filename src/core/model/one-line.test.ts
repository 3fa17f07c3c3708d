import type * as z from "zod/mini";
import { describe, expect, test } from "vitest";
import { bodySchemas } from "./journal-records.ts";
import { journalCommandSchema } from "./journal-commands.ts";

const TWO_LINES = "Call Ana\r\n\u2028  about the figures\n";
/** Texts that are written in paragraphs. Everything else a person writes stands on one line. */
const PARAGRAPHS = new Set(["notes", "text", "description", "note"]);

type Found = { readonly path: string; readonly taken: unknown };

/** What becomes of two lines in every field of a schema that takes a text. */
function fieldsOf(schema: z.core.$ZodType, path: string): readonly Found[] {
  const { def } = schema as unknown as { def: { type: string } & Record<string, unknown> };
  const inner = (def["innerType"] ?? def["element"]) as z.core.$ZodType | undefined;
  if (inner !== undefined) return fieldsOf(inner, path);
  if (def.type === "object") {
    const shape = def["shape"] as Readonly<Record<string, z.core.$ZodType>>;
    return Object.entries(shape).flatMap(([key, field]) => fieldsOf(field, `${path}.${key}`));
  }
  const taken = (schema as unknown as { safeParse(value: unknown): { data?: unknown } }).safeParse(TWO_LINES).data;
  return typeof taken === "string" ? [{ path, taken }] : [];
}

describe("titles and names", () => {
  const given = journalCommandSchema.def.options.flatMap((option) =>
    fieldsOf(option, option.shape.kind.def.values[0] ?? ""),
  );
  const written = given.filter(({ path }) => !path.includes(".was."));

  test("no command stores a line break in them, whatever it came through", () => {
    const onOneLine = written.filter(({ path }) => !PARAGRAPHS.has(path.split(".").at(-1) ?? ""));
    expect(onOneLine.length).toBeGreaterThan(15);
    for (const { path, taken } of onOneLine) expect(taken, path).toBe("Call Ana about the figures");
  });

  test("notes and texts keep their paragraphs", () => {
    const paragraphs = written.filter(({ path }) => PARAGRAPHS.has(path.split(".").at(-1) ?? ""));
    expect(paragraphs.length).toBeGreaterThan(5);
    for (const { path, taken } of paragraphs) expect(taken, path).toBe(TWO_LINES);
  });

  test("a title that was stored with a line break is still read, and still compared as it is", () => {
    expect(bodySchemas.task.shape.title.parse(TWO_LINES)).toBe(TWO_LINES);
    expect(given.find(({ path }) => path === "task.update.was.title")?.taken).toBe(TWO_LINES);
  });

  test("spaces that are no line breaks stay, and line breaks alone are no title", () => {
    const command = (title: string) => journalCommandSchema.safeParse({ kind: "task.create", title });
    expect(command("  two  spaces ").data).toMatchObject({ title: "  two  spaces " });
    expect(command("\n\r\n").success).toBe(false);
  });
});
