import type { Seeded } from "../seeded.ts";

const DAMAGES_MAX = 4;

/** One of the good texts, damaged one to four times in ways a careless or hostile author could. */
export function damage(texts: readonly string[], seeded: Seeded): string {
  let text = seeded.pick(texts);
  for (let count = 1 + seeded.below(DAMAGES_MAX); count > 0; count -= 1) {
    text = seeded.pick(DAMAGES)(text, { seeded, other: seeded.pick(texts) });
  }
  return text;
}

type Damage = (text: string, chance: { readonly seeded: Seeded; readonly other: string }) => string;

const cut = (text: string, seeded: Seeded): readonly [number, number] => {
  const start = seeded.below(text.length + 1);
  return [start, Math.min(text.length, start + seeded.below(40))];
};

const DAMAGES: readonly Damage[] = [
  (text, { seeded }) => {
    const [start, end] = cut(text, seeded);
    return text.slice(0, start) + text.slice(end);
  },
  (text, { seeded }) => {
    const [start, end] = cut(text, seeded);
    return text.slice(0, end) + text.slice(start);
  },
  (text, { seeded }) => {
    const at = seeded.below(text.length + 1);
    return text.slice(0, at) + seeded.pick(TRAPS) + text.slice(at);
  },
  (text, { seeded }) => {
    const at = seeded.below(text.length + 1);
    return text.slice(0, at) + String.fromCharCode(seeded.below(0x1_0000)) + text.slice(at + 1);
  },
  (text, { seeded }) => {
    // The value of a key becomes something else.
    const keys = [...text.matchAll(/: ?[^\n,}]+/g)];
    if (keys.length === 0) return text;
    const { index, 0: found } = seeded.pick(keys);
    return `${text.slice(0, index)}: ${seeded.pick(TRAPS)}${text.slice(index + found.length)}`;
  },
  (text, { seeded }) => {
    const lines = text.split("\n");
    lines.splice(1 + seeded.below(Math.max(1, lines.length - 1)), 0, seeded.pick(LINES));
    return lines.join("\n");
  },
  (text, { seeded, other }) =>
    text.slice(0, seeded.below(text.length + 1)) + other.slice(seeded.below(other.length + 1)),
  (text, { seeded }) => (seeded.below(2) === 0 ? text.replaceAll("\n", "\r\n") : text.toUpperCase()),
];

const TRAPS: readonly string[] = [
  '{"length":{"valueOf":1,"toString":1}}',
  ..."\0\u001b\u202e\u2028\ufeff\ud800\udc00\u{e0041}|&;<>$`*?[]{}'\"\\#!~%@,:-\t\r\n",
  "---",
  "---\n",
  "null",
  "~",
  "no",
  "010",
  "1:30",
  ".nan",
  "-.inf",
  "1e999",
  "9007199254740993",
  "-1",
  "-0",
  "0",
  "true",
  "&a",
  "*a",
  "!!js/function x",
  "<<: *a",
  "{}",
  "[]",
  "[[[[",
  "{a: {a: {a: 1}}}",
  '{"a":1,"a":2}',
  '"type":"toString",',
  '"\\ud800"',
  '"\\0"',
  '"\\u0000"',
  '"\\u202e"',
  "../../etc/passwd",
  "/etc/shadow",
  "__proto__",
  "constructor",
  "(a+)+\\1",
  "always_on",
  "task",
  "$(id)",
  "a | b",
];

const LINES: readonly string[] = [
  "approval_token: { a: 1 }",
  "status: done",
  "attempts: 3",
  "needs_approval: false",
  "created_at: now",
  "id: other",
  "agent: stream",
  "schedule: always_on",
  "tasks: [a]",
  "depends_on: [a, a]",
  "__proto__: { a: 1 }",
  "? [a]",
  "%YAML 1.1",
  "verify: []",
  "gates: [{}]",
  "  expect: {}",
  "escalation: { a: { action: retry, fallback: a } }",
  "...",
  "body: x",
];
