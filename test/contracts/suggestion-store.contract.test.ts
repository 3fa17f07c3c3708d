import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { sha256Hex } from "#base";
import type { Suggestion } from "#model";
import { createAuditRules } from "#policy";
import type { AuditLog, SuggestionStore } from "#ports";
import { openMigratedRuntime } from "#sim";
import { at, countingRandom, fixedClock, must } from "./journal-fixture.ts";
import { inCommit } from "./queue-fixture.ts";
import { openFile, openMemory } from "./work-fixture.ts";

type Opened = { readonly suggestions: SuggestionStore; readonly audit: AuditLog };
const OWNER = { kind: "owner", session_id: "s1" } as const;
const SCOPE = "owner";

const suggestionNamed = (name: string, over: Partial<Suggestion> = {}): Suggestion => ({
  suggestionId: `suggestion-${name}`,
  scopeId: SCOPE,
  source: "idle_heartbeat",
  intent: `Ask again: ${name}`,
  rationale: "Its time ran out before you decided.",
  riskLevel: "medium",
  proposedWorkItemId: name,
  cooldownKey: `ask_again:${name}`,
  createdAt: at(1),
  offer: "ask_again",
  subject: `request-${name}`,
  state: "pending",
  handledAt: null,
  handledBy: null,
  requestId: null,
  ...over,
});
const answering = (name: string, over = {}) =>
  ({
    suggestionId: `suggestion-${name}`,
    outcome: "deferred",
    requestId: null,
    at: at(5),
    actor: OWNER,
    ...over,
  }) as const;

async function told({ audit }: Opened): Promise<readonly string[]> {
  const entries = must(await audit.entries({ beforeSeq: null, from: null, to: null, limit: 200 }));
  return entries
    .filter(({ event }) => event.startsWith("suggestion"))
    .toReversed()
    .map(({ event, data, actor }) => `${event} ${String(data["outcome"] ?? data["count"] ?? "")} ${actor.kind}`);
}

const idsIn = (kept: readonly Suggestion[]): readonly string[] =>
  kept.map(({ suggestionId }) => suggestionId.slice(11));

describe.each([
  ["in memory", openMemory],
  ["on disk", openFile],
] as const)("the store of suggestions (%s)", (_name, open) => {
  test("[TAINT-06] the newest suggestion that says exactly this is found, in its scope, whatever became of it", async () => {
    const { suggestions } = await open();
    const said = { rationale: "Delete the old ones", offer: "next_step" } as const;
    const [older, newer] = [suggestionNamed("a", said), suggestionNamed("b", { ...said, createdAt: at(2) })];
    must(await suggestions.add([newer, older]));
    const saying = async (words: string, scopeId = SCOPE) => must(await suggestions.saying({ scopeId, words }));
    expect(await saying("Delete the old ones")).toEqual(newer);
    must(await suggestions.expire({ suggestionIds: [newer.suggestionId], at: at(3) }));
    expect(await saying("Delete the old ones")).toMatchObject({ suggestionId: newer.suggestionId, state: "expired" });
    expect(await saying("Delete the old ones!")).toBeNull();
    expect(await saying("Delete the old ones", "other")).toBeNull();
  });

  test("of one thing one waits, and each coming and going is in the chain", async () => {
    const opened = await open();
    const { suggestions } = opened;
    expect(idsIn(must(await suggestions.add([suggestionNamed("a"), suggestionNamed("b")])))).toEqual(["a", "b"]);
    const again = suggestionNamed("c", { cooldownKey: "ask_again:a" });
    expect(must(await suggestions.add([again]))).toEqual([]);
    // In another scope it is another thing.
    const elsewhere = suggestionNamed("d", { cooldownKey: "ask_again:a", scopeId: "other" });
    expect(idsIn(must(await suggestions.add([elsewhere])))).toEqual(["d"]);
    expect(must(await suggestions.find("suggestion-a"))).toEqual(suggestionNamed("a"));
    expect(must(await suggestions.find("suggestion-c"))).toBeNull();
    must(await suggestions.handle(answering("a")));
    expect(idsIn(must(await suggestions.add([again])))).toEqual(["c"]);
    expect(await told(opened)).toEqual([
      "suggestion_made  system",
      "suggestion_made  system",
      "suggestion_made  system",
      "suggestion_answered deferred owner",
      "suggestion_made  system",
    ]);
  });

  test("[SUGG-08] one answer counts, the first; it is kept with its moment, by whom, and what is asked because of it", async () => {
    const opened = await open();
    const { suggestions } = opened;
    must(await suggestions.add(["a", "b", "c"].map((name) => suggestionNamed(name))));
    for (const [name, outcome, requestId] of [
      ["a", "accepted", "request-new"],
      ["b", "dismissed", null],
      ["c", "deferred", null],
    ] as const) {
      const answered = must(await suggestions.handle(answering(name, { outcome, requestId })));
      expect(answered).toMatchObject({ state: outcome, handledAt: at(5), handledBy: "owner", requestId });
      expect(must(await suggestions.find(answered.suggestionId))).toEqual(answered);
    }
    const second = await suggestions.handle(answering("a", { outcome: "dismissed" }));
    expect(second).toEqual({
      ok: false,
      error: { code: "suggestion_closed", suggestionId: "suggestion-a", state: "accepted" },
    });
    expect(must(await suggestions.find("suggestion-a"))).toMatchObject({ state: "accepted", requestId: "request-new" });
    const unknown = await suggestions.handle(answering("nobody"));
    expect(unknown).toMatchObject({ ok: false, error: { code: "suggestion_unknown" } });
    expect((await told(opened)).filter((line) => line.startsWith("suggestion_answered"))).toHaveLength(3);
  });

  test("what expired was answered by nobody and takes no answer; what was answered does not expire", async () => {
    const opened = await open();
    const { suggestions } = opened;
    must(await suggestions.add(["a", "b"].map((name) => suggestionNamed(name))));
    must(await suggestions.handle(answering("b")));
    must(await suggestions.expire({ suggestionIds: ["suggestion-a", "suggestion-b", "nobody"], at: at(6) }));
    const gone = { state: "expired", handledAt: at(6), handledBy: null };
    expect(must(await suggestions.find("suggestion-a"))).toMatchObject(gone);
    expect(must(await suggestions.find("suggestion-b"))).toMatchObject({ state: "deferred", handledAt: at(5) });
    expect(await suggestions.handle(answering("a"))).toMatchObject({ ok: false, error: { code: "suggestion_closed" } });
    expect((await told(opened)).filter((line) => line.startsWith("suggestion_expired"))).toHaveLength(1);
  });

  test("what is lately: all that waits or is not wanted, and what was said or answered since; newest first, of one scope", async () => {
    const { suggestions } = await open();
    const old = { createdAt: at(0) };
    must(await suggestions.add([suggestionNamed("waits", old), suggestionNamed("unwanted", old)]));
    must(await suggestions.add([suggestionNamed("past", old), suggestionNamed("late", old)]));
    must(
      await suggestions.add([suggestionNamed("new", { createdAt: at(9) }), suggestionNamed("other", { scopeId: "x" })]),
    );
    must(await suggestions.handle(answering("unwanted", { outcome: "dismissed", at: at(1) })));
    must(await suggestions.handle(answering("past", { at: at(1) })));
    must(await suggestions.handle(answering("late", { at: at(8) })));
    const recent = must(await suggestions.recent({ scopeId: SCOPE, since: at(5) }));
    expect(idsIn(recent)).toEqual(["new", "waits", "unwanted", "late"]);
  });

  test("the chain tells of looks that were left out", async () => {
    const opened = await open();
    const skipped = { count: 3, since: at(2), until: at(4), reason: "missed" } as const;
    await inCommit(opened, () => opened.suggestions.noteSkipped(skipped, at(5)));
    expect(await told(opened)).toEqual(["suggestion_looks_skipped 3 system"]);
  });
});

test("[SUGG-11] what waits is there for whoever opens the file next, and the file itself lets no answer change", async () => {
  const { suggestions, dataDir, close } = await openFile();
  must(await suggestions.add([suggestionNamed("a"), suggestionNamed("b")]));
  must(await suggestions.handle(answering("b")));
  close();
  const auditRules = createAuditRules(sha256Hex);
  const reopened = must(
    await openMigratedRuntime({ dataDir, clock: fixedClock, random: countingRandom(), auditRules }),
  );
  expect(must(await reopened.suggestions.find("suggestion-a"))).toEqual(suggestionNamed("a"));
  const database = new DatabaseSync(join(dataDir, "silas.db"));
  expect(() => database.exec("UPDATE suggestions SET state = 'accepted' WHERE suggestion_id = 'suggestion-b'")).toThrow(
    /never changes/,
  );
  database.exec("UPDATE suggestions SET suggestion = '{}' WHERE suggestion_id = 'suggestion-a'");
  expect(await reopened.suggestions.find("suggestion-a")).toMatchObject({
    ok: false,
    error: { code: "store_corrupt" },
  });
  expect(must(await reopened.suggestions.recent({ scopeId: SCOPE, since: at(100) }))).toEqual([]);
  database.exec("CREATE TRIGGER full BEFORE INSERT ON audit_entries BEGIN SELECT RAISE(ABORT, 'full'); END");
  expect((await reopened.suggestions.add([suggestionNamed("c")])).ok).toBe(false);
  expect(must(await reopened.suggestions.find("suggestion-c"))).toBeNull();
  database.close();
  reopened.close();
});
