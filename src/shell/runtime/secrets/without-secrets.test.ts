import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ok } from "#base";
import { journalRequestSchema, wordsFor } from "#model";
import type { ApprovalsDoor, FindSecrets, JournalDoor, MessagesDoor } from "#ports";
import { secretTexts } from "../../../../test/secret-texts.ts";
import { findSecrets } from "./find-secrets.ts";
import { withoutSecrets } from "./without-secrets.ts";

const [{ text: SECRET } = { text: "" }] = secretTexts(5);
const BY = { kind: "terminal" } as const;

/** A door that notes what reaches it. */
function doors(find: FindSecrets) {
  const reached: unknown[] = [];
  const note = async (...given: readonly unknown[]) => {
    reached.push(given[0]);
    return ok({});
  };
  const all = new Proxy({}, { get: () => note, ownKeys: () => NAMES, getOwnPropertyDescriptor: () => OPEN });
  const journal = withoutSecrets.journal(all as JournalDoor, find);
  const approvals = withoutSecrets.approvals(all as ApprovalsDoor, find);
  const messages = withoutSecrets.messages(all as MessagesDoor, find);
  return { journal, approvals, messages, reached };
}
const NAMES = [
  "submit",
  "propose",
  "proposePayload",
  "decide",
  "prepareApproval",
  "receive",
  "say",
  "completeApproval",
];
const OPEN = { enumerable: true, configurable: true };

const submitting = (command: unknown) => journalRequestSchema.parse({ operationId: crypto.randomUUID(), command });
const note = (text: string) => ({ kind: "plan.note", planDate: "2026-11-18", note: text });
const sent = (text: string) => ({ text, attachments: [], reply_to: null, quotes: [], signed: null });
type Doors = ReturnType<typeof doors>;
type Way = (
  doors: Doors,
  text: string,
) => Promise<{ readonly ok: boolean; readonly error?: { readonly code: string } }>;

const answering = (text: string) =>
  ({ requestId: "r", verdict: "approved", shownHash: "", friction: [], actor: BY, answer: { text } }) as never;
const WAYS: Readonly<Record<string, Way>> = {
  "a journal command": ({ journal }, text) => journal.submit(submitting(note(text))),
  "a plan": ({ approvals }, text) => approvals.propose(text, BY),
  "a request": ({ approvals }, text) => approvals.proposePayload({ kind: "x", items: [{ note: text }] } as never, BY),
  "an answer of the terminal": ({ approvals }, text) => approvals.decide(answering(text)),
  "an answer of the page": ({ approvals }, text) => approvals.prepareApproval(answering(text)),
  "a message": ({ messages }, text) => messages.receive(sent(text), {} as never),
  "the name of an attachment": ({ messages }, text) =>
    messages.receive({ ...sent(""), attachments: [text] } as never, {} as never),
  "signed words": ({ messages }, text) => messages.say(sent(text), {} as never),
};

describe.each(Object.entries(WAYS))("%s", (_name, way) => {
  test("goes on when nothing is found in it, and not when something is", async () => {
    const clean = doors(findSecrets);
    expect((await way(clean, "Water the plants")).ok).toBe(true);
    expect(clean.reached).toHaveLength(1);
    const dirty = doors(findSecrets);
    expect(await way(dirty, SECRET)).toEqual({ ok: false, error: { code: "holds_secret", found: "GitHub token" } });
    expect(dirty.reached).toEqual([]);
  });

  test("does not go on when it could not be searched, and the sentence says so", async () => {
    for (const reason of ["failed", "too_long"] as const) {
      const failing = doors(async () => ({ ok: false, error: reason }));
      const refused = await way(failing, "Water the plants");
      expect(refused).toEqual({ ok: false, error: { code: "secret_scan_failed", reason } });
      expect(wordsFor(refused.error ?? { code: "" })).toMatch(/^This (could not be|is too long to be) checked/);
      expect(failing.reached).toEqual([]);
    }
  });
});

test("a credential can be taken out of a note: what stood there before is not searched", async () => {
  const { journal, reached } = doors(findSecrets);
  const edit = { kind: "entry.update", id: "entry-1", set: { text: "gone" }, was: { text: SECRET } } as const;
  expect((await journal.submit(submitting(edit))).ok).toBe(true);
  expect(reached).toHaveLength(1);
  expect((await journal.submit(submitting({ ...edit, set: { text: SECRET } }))).ok).toBe(false);
});

test("nothing of the search is loaded before there is a text to search", () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { findSecrets } = await import("#runtime");
    await import("#compose");
    const before = loaded.filter((url) => url.includes("secretlint")).length;
    await findSecrets("hello");
    console.log(before, loaded.filter((url) => url.includes("secretlint")).length);`;
  const cwd = fileURLToPath(new URL("../../../..", import.meta.url));
  const said = execFileSync(process.execPath, ["--input-type=module", "-e", program], { cwd, encoding: "utf8" });
  expect(said).toBe("0 1\n");
});
