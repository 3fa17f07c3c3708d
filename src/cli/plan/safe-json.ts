/**
 * JSON in plain ASCII. A briefing may hold characters that act on a terminal and that JSON leaves as they are; escaped,
 * the document says the same and shows all of it.
 */
export function safeJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
