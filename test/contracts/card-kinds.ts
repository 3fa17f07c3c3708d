import { expect } from "vitest";
import { LIMITS } from "#base";
import type { DecisionsSummaryBody, SuggestionBody } from "#model";
import { folderOf } from "./batch-fixture.ts";
import {
  approved,
  askedBy,
  decide,
  eventually,
  inbox,
  proposed,
  requestOf,
  suggestionsIn,
  type Furnished,
  type House,
  type Said,
} from "./card-fixture.ts";

export const MINUTE_MS = 60_000;
/** Longer than any request waits once it was shown. */
const LONG_MS = 25 * 60 * MINUTE_MS;

/** One of the outcomes of a card: what is sent, and what it is then. */
export type Outcome = { readonly say: (house: House, id: string) => Promise<Said>; readonly state: string };
export type Kind = {
  readonly furnished?: Furnished;
  /** Once, before the first of them. */
  readonly prepare?: (house: House) => Promise<void>;
  /** Its real cause; answers with its id. */
  readonly make: (house: House) => Promise<string>;
  readonly outcomes: Readonly<Record<string, Outcome>>;
  /** What is none of them: each is refused with this code. */
  readonly outside: readonly (readonly [(house: House, id: string) => Promise<Said>, string])[];
  readonly onPage: (house: House) => Promise<readonly string[]>;
  readonly inTerminal: (house: House) => Promise<readonly string[]>;
  readonly stateOf: (house: House, id: string) => Promise<string>;
  /** Lets its time pass. */
  readonly pass: (house: House) => Promise<void>;
  readonly missed: (house: House) => Promise<readonly string[]>;
  /** What its card has to show besides. */
  readonly shown: (house: House, id: string) => Promise<void>;
  /** What time must not have changed. */
  readonly untouched?: (house: House) => Promise<unknown>;
};

const summary = async (house: House) => (await house.page("/api/approvals/summary")) as unknown as DecisionsSummaryBody;
const idsOf = (rows: readonly { readonly request_id: string }[]): readonly string[] =>
  rows.map(({ request_id: id }) => id);

export const said =
  (body: object) =>
  (house: House, id: string): Promise<Said> =>
    decide(house, id, body);
export const APPROVE: Outcome = { say: said({ verdict: "approved" }), state: "approved" };
export const DECLINE: Outcome = { say: said({ verdict: "declined" }), state: "declined" };
export const answered = (answer: object): Outcome => ({
  say: said({ verdict: "approved", answer }),
  state: "approved",
});

/** What every request that is decided with a signature shares. */
export const REQUEST = {
  shown: async () => {},
  onPage: async (house: House) => idsOf((await summary(house)).pending),
  inTerminal: async (house: House) => idsOf(await inbox(house)),
  stateOf: async (house: House, id: string) => (await requestOf(house, id)).state,
  pass: async (house: House) => house.moveMs(LONG_MS),
  missed: async (house: House) => idsOf((await summary(house)).missed),
} as const;
export const NO_VERDICT = [said({ verdict: "maybe" }), "invalid_input"] as const;
const NO_ANSWER = [said({ verdict: "approved", answer: { duration: "once" } }), "answer_refused"] as const;

export const plan = (house: House, lines: string): string =>
  `---\nid: task-${house.count()}\ntype: task\ntitle: Make a page\nbudget: { max_attempts: 1 }\non_stuck: report\n${lines}\n---\n\nMake it.\n`;
type SecretRow = { readonly ref_id: string; readonly state: string | null };
const secretRows = async (house: House) => (await house.done("/api/secrets"))["secrets"] as readonly SecretRow[];
const missedOf = async (house: House): Promise<readonly string[]> =>
  (await suggestionsIn(house, "missed")).map(({ suggestion_id: id }) => id);
const suggested =
  (answer: string) =>
  (house: House, id: string): Promise<Said> =>
    house.terminal(`/api/suggestions/${id}/answer`, { answer });
const selected =
  (...ids: readonly string[]) =>
  (house: House, id: string): Promise<Said> =>
    house.terminal(`/api/approvals/${id}/selection`, { selected_item_ids: ids });
export const waitingOf = (house: House, kind: string): Promise<string> =>
  eventually(async () => (await inbox(house)).find(({ card }) => card.card_type === kind)?.request_id);

/** Whoever wants other limits asks for them from a file, too. */
async function askedByHand(house: House): Promise<string> {
  const { limits } = (await house.done("/api/autonomy")) as unknown as {
    readonly limits: readonly { readonly key: string; readonly value: string }[];
  };
  const key = "batch_review.default_size";
  const current_value = limits.find((limit) => limit.key === key)?.value ?? "";
  const payload = {
    kind: "autonomy_threshold",
    proposal_id: `by-hand-${house.count()}`,
    scope_id: "owner",
    goal_id: null,
    changes: [{ key, current_value, proposed_value: String(Number(current_value) + 1), direction: "widen" }],
    sample_size: 0,
    correction_rate: 0,
    evidence_window: "asked for by hand, no decisions counted",
    rationale: "I want it so.",
    risk_level: "high",
    created_at: "2026-11-16T08:00:00.000Z",
  };
  const body = await house.done("/api/approvals/propose-payload", { payload });
  return (body["request"] as { readonly request_id: string }).request_id;
}

const WRITE = "steps:\n  - { name: write, tool: file_write, args: { path: page.txt, content: page } }";
const ask = (freetext: boolean): string =>
  `steps:\n  - { name: choose, tool: ask_owner, args: { question: Which way?, options: [{ label: By post, value: post }, { label: By mail, value: mail }], freetext: ${freetext}, file: way.txt } }`;
const chosen = (selected_value: string | null, freetext: string | null = null): object => ({
  selected_value,
  freetext,
  approved: true,
});
const draft = (verdict: string, edited_text: string | null = null, note: string | null = null): object => ({
  verdict,
  edited_text,
  note,
});
const LETTER = `steps:
  - { name: write, tool: file_write, args: { path: letter.txt, content: Dear all } }
  - { name: look, tool: review_draft, args: { path: letter.txt, about: The letter } }`;
const STUCK = `${WRITE}\nverify:\n  - { name: other, run: cat page.txt, expect: { contains: other } }`;

export const KINDS: Readonly<Record<string, Kind>> = {
  "plan approval": {
    ...REQUEST,
    make: (house) => proposed(house, plan(house, WRITE)),
    outcomes: { approve: APPROVE, decline: DECLINE },
    outside: [NO_VERDICT, NO_ANSWER],
  },
  checkpoint: {
    ...REQUEST,
    make: (house) => askedBy(house, plan(house, ask(false)), "decision"),
    outcomes: { post: answered(chosen("post")), mail: answered(chosen("mail")), decline: DECLINE },
    outside: [
      NO_VERDICT,
      [answered(chosen("other")).say, "answer_refused"],
      [answered(chosen(null, "my own words")).say, "answer_refused"],
      [said({ verdict: "approved" }), "answer_refused"],
    ],
  },
  decision: {
    ...REQUEST,
    make: (house) => askedBy(house, plan(house, ask(true)), "decision"),
    outcomes: { option: answered(chosen("mail")), words: answered(chosen(null, "By hand")), decline: DECLINE },
    outside: [NO_VERDICT, [answered(chosen("other")).say, "answer_refused"]],
  },
  "draft review": {
    ...REQUEST,
    make: (house) => askedBy(house, plan(house, LETTER), "draft_review"),
    outcomes: {
      approve: answered(draft("approve")),
      edit: answered(draft("edit", "Dear friends")),
      rephrase: answered(draft("rephrase", null, "Shorter")),
      reject: DECLINE,
    },
    outside: [
      NO_VERDICT,
      [answered(draft("shrug")).say, "invalid_input"],
      [answered(draft("edit")).say, "answer_refused"],
      [answered(draft("approve", "something else")).say, "answer_refused"],
    ],
  },
  "gate approval": {
    ...REQUEST,
    furnished: { gate: "{ name: ask, on: every_user_message, type: approval_always }" },
    make: async (house) => {
      const text = `Pay ${house.count()}`;
      await house.done("/api/messages", { text, attachments: [], reply_to: null, quotes: [], signed: null });
      return waitingOf(house, "gate_approval");
    },
    outcomes: { approve: APPROVE, block: DECLINE },
    outside: [NO_VERDICT, NO_ANSWER],
  },
  "batch review": {
    ...REQUEST,
    make: async (house) => {
      const folder = folderOf({ "a.pdf": "a", "b.png": "b", "c.csv": "c" });
      const { asked } = await house.done("/api/batches/tidy", { folder });
      return (asked as { readonly request: { readonly request_id: string } }).request.request_id;
    },
    outcomes: { approve: APPROVE, decline: DECLINE, "edit selection": { say: selected("1", "2"), state: "declined" } },
    outside: [NO_VERDICT, NO_ANSWER, [selected("9"), "selection_refused"], [selected(), "selection_refused"]],
  },
  "autonomy threshold": {
    ...REQUEST,
    furnished: { flags: { "autonomy.min_samples": "2", "batch_review.default_size": "1" } },
    prepare: async (house) => {
      const folder = folderOf({ "a.pdf": "a", "b.pdf": "b" });
      await house.done("/api/batches/tidy", { folder });
      for (const _ of ["a", "b"]) {
        house.moveMs(MINUTE_MS);
        await approved(house, await waitingOf(house, "batch_review"));
      }
    },
    make: async (house) => {
      await house.done("/api/autonomy/check", {});
      const found = (await inbox(house)).find(({ card }) => card.card_type === "autonomy_threshold");
      return found?.request_id ?? askedByHand(house);
    },
    outcomes: { decline: DECLINE, approve: APPROVE },
    outside: [NO_VERDICT, NO_ANSWER],
    shown: async (house, id) => {
      const { card } = await requestOf(house, id);
      const shown = ["/sample_size", "/correction_rate", "/evidence_window", "/changes/0/proposed_value"];
      expect(card.details.rows.map(({ path }) => path)).toEqual(expect.arrayContaining(shown));
      expect(card.ctas.filter(({ consequence_label: label }) => label === "")).toEqual([]);
    },
    untouched: async (house) => (await house.done("/api/autonomy"))["limits"],
  },
  suggestion: {
    shown: async () => {},
    make: async (house) => {
      const known = new Set((await suggestionsIn(house, "suggestions")).map(({ suggestion_id: id }) => id));
      await approved(house, await proposed(house, plan(house, STUCK)));
      return eventually(async () =>
        (await suggestionsIn(house, "suggestions")).map(({ suggestion_id: id }) => id).find((id) => !known.has(id)),
      );
    },
    outcomes: {
      "do it": { say: suggested("do_it"), state: "accepted" },
      "not now": { say: suggested("not_now"), state: "deferred" },
      "not again": { say: suggested("not_again"), state: "dismissed" },
    },
    outside: [[suggested("perhaps"), "invalid_input"]],
    onPage: async (house) => (await suggestionsIn(house, "suggestions")).map(({ suggestion_id: id }) => id),
    inTerminal: async (house) =>
      ((await house.done("/api/suggestions"))["suggestions"] as readonly SuggestionBody[]).map(
        ({ suggestion_id: id }) => id,
      ),
    // A suggestion is looked up by answering with what is no news: one that is closed says what it is.
    stateOf: async (house, id) => {
      if ((await suggestionsIn(house, "suggestions")).some(({ suggestion_id: one }) => one === id)) return "pending";
      const { body } = await house.terminal(`/api/suggestions/${id}/answer`, { answer: "not_now" });
      return String((body["error"] as { readonly state?: unknown } | undefined)?.state);
    },
    pass: async (house) => {
      house.moveMs(25 * 60 * MINUTE_MS);
      // The looks are a quarter of an hour apart, and the first only begins the schedule.
      await expect.poll(async () => (house.moveMs(16 * MINUTE_MS), missedOf(house))).not.toEqual([]);
    },
    missed: (house) => missedOf(house),
  },
  "secure input": {
    shown: async () => {},
    make: async (house) => {
      const ref_id = `key-${house.count()}`;
      const guidance = { instructions: "Type it.", help_url: null };
      await house.done("/api/secrets/ask", { ref_id, label: "A key", input_hint: null, guidance, host: null });
      return ref_id;
    },
    outcomes: {
      stored: { say: (house, id) => house.terminal(`/secrets/${id}`, { value: "abc" }), state: "fulfilled" },
    },
    outside: [
      [(house, id) => house.terminal(`/secrets/${id}`, { value: "" }), "invalid_input"],
      [(house, id) => house.terminal(`/secrets/${id}`, { done: true }), "invalid_input"],
    ],
    onPage: async (house) =>
      ((await house.page("/api/secrets/pending"))["requests"] as readonly SecretRow[]).map(({ ref_id: id }) => id),
    inTerminal: async (house) =>
      (await secretRows(house)).flatMap(({ ref_id: id, state }) => (state === "pending" ? [id] : [])),
    stateOf: async (house, id) => (await secretRows(house)).find(({ ref_id: one }) => one === id)?.state ?? "none",
    pass: async (house) => house.moveMs(LIMITS.secretAskedMs + 1),
    missed: async (house) =>
      (await secretRows(house)).flatMap(({ ref_id: id, state }) => (state === "expired" ? [id] : [])),
  },
};
