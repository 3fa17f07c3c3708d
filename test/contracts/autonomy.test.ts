import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { composeLocal, type LocalApp } from "#compose";
import { loadConfig } from "#config";
import { layMigrated } from "#sim";
import { instantFromMs, type Instant } from "#base";
import type { Config, KeptRequest, LimitKey } from "#model";
import { folderOf, homeDir, TERMINAL } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";

type Flags = Readonly<Record<string, string>>;
type Desk = { readonly app: LocalApp; readonly config: Config; moveMs(ms: number): void; close(): Promise<void> };

const BEGIN_MS = Date.UTC(2026, 10, 16, 8, 0);
const MINUTE = 60_000;
/** Three decisions argue here as thirty do, and a batch has one file, so that each file is one decision. */
const FEW: Flags = { "autonomy.min_samples": "3", "batch_review.default_size": "1" };

/** Everything but a server, on a clock of its own. */
async function openDesk(flags: Flags = FEW, home = homeDir(), begunMs = 0): Promise<Desk> {
  const loaded = loadConfig({
    env: { SILAS_HOME: home },
    cwd: home,
    homeDir: home,
    platform: process.platform,
    argvOverrides: { "channels.web.port": "0", ...flags },
  });
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const { config, paths } = loaded.value;
  let nowMs = BEGIN_MS + begunMs;
  const now = (): Instant => must(instantFromMs(nowMs));
  layMigrated(config.dataDir);
  const app = must(await composeLocal({ config, stateDir: paths.stateDir, machine: { clock: { now } } }));
  let isOpen = true;
  const close = async (): Promise<void> => {
    if (isOpen) await app.close();
    isOpen = false;
  };
  onTestFinished(close);
  must(await app.keys.prepare());
  return { app, config, moveMs: (ms) => void (nowMs += ms), close };
}

const FRICTION = ["tap", "confirm", "slide"] as const;

async function decide({ app, moveMs }: Desk, requestId: string, verdict: "approved" | "declined") {
  moveMs(MINUTE);
  const { planHash: shownHash } = must(await app.approvals.show(requestId));
  return app.approvals.decide({ requestId, verdict, shownHash, friction: FRICTION, actor: TERMINAL });
}

/** Decides on so many batches of one file each. */
async function decideBatches(desk: Desk, verdicts: readonly ("approved" | "declined")[]): Promise<void> {
  const folder = folderOf(Object.fromEntries(verdicts.map((_, index) => [`${index}.pdf`, `${index}`])));
  must(await desk.app.work.batches.tidy(folder, TERMINAL));
  for (const verdict of verdicts) {
    must(await desk.app.work.batches.next());
    const waiting = must(await desk.app.approvals.inbox()).find(({ kind }) => kind === "batch_review");
    if (waiting === undefined) throw new Error("there is a batch to decide");
    must(await decide(desk, waiting.requestId, verdict));
  }
}

const times = (count: number, verdict: "approved" | "declined") => Array.from({ length: count }, () => verdict);

async function proposed(desk: Desk): Promise<KeptRequest> {
  const [one, ...more] = must(await desk.app.work.autonomy.check());
  if (one === undefined || more.length > 0) throw new Error("one proposal is made");
  return one.request;
}

async function valueOf({ app }: Desk, key: LimitKey): Promise<string | undefined> {
  return must(await app.work.autonomy.show()).limits.find((limit) => limit.key === key)?.value;
}
const sizeOf = (desk: Desk) => valueOf(desk, "batch_review.default_size");

/** Everything of the configuration and every limit: what must be as it was. */
const everything = async (desk: Desk): Promise<string> =>
  JSON.stringify([desk.config, must(await desk.app.work.autonomy.show()).limits]);

function rows(desk: Desk, sql: string): readonly Record<string, unknown>[] {
  const database = new DatabaseSync(join(desk.config.dataDir, "silas.db"), { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
const changed = (desk: Desk) => rows(desk, "SELECT entry FROM audit_entries WHERE event = 'limit_changed'").length;

describe("limits of autonomy", () => {
  test("[AUTO-13] [AUTO-15] [FATIGUE-07] few corrections become a card and nothing else; approved and used once, both limits change and batches follow them", async () => {
    const desk = await openDesk();
    await decideBatches(desk, times(2, "approved"));
    expect(must(await desk.app.work.autonomy.check())).toEqual([]);
    await decideBatches(desk, times(1, "approved"));
    const before = await everything(desk);
    const request = await proposed(desk);
    expect(request).toMatchObject({ kind: "autonomy_threshold", riskLevel: "high", proposedBy: { kind: "system" } });
    expect(await everything(desk)).toBe(before);
    // One at a time, however often it is looked.
    expect(must(await desk.app.work.autonomy.check())).toEqual([]);
    must(await decide(desk, request.requestId, "approved"));
    expect(await sizeOf(desk)).toBe("2");
    expect(await valueOf(desk, "batch_review.confidence.high_min")).toBe("0.8");
    expect(changed(desk)).toBe(2);
    const token = must(await desk.app.approvals.show(request.requestId)).tokenId;
    const uses = `SELECT u.nonce FROM approval_uses u JOIN approval_tokens t ON t.nonce = u.nonce WHERE t.token_id = '${token}'`;
    expect(rows(desk, uses)).toHaveLength(1);
    const folder = folderOf({ "a.pdf": "1", "b.pdf": "2", "c.pdf": "3" });
    const { asked, following } = must(await desk.app.work.batches.tidy(folder, TERMINAL));
    expect([asked?.request.card.affectedItems?.count, following]).toEqual([2, 1]);
  });

  test("[AUTO-13] declined, missed or refused, the configuration and every limit are as they were", async () => {
    const desk = await openDesk();
    await decideBatches(desk, times(3, "approved"));
    const before = await everything(desk);
    const first = await proposed(desk);
    // A tap alone is no approval of what widens.
    const { planHash: shownHash, requestId } = must(await desk.app.approvals.show(first.requestId));
    const answer = { requestId, verdict: "approved", shownHash, actor: TERMINAL } as const;
    expect(await desk.app.approvals.decide({ ...answer, friction: ["tap"] })).toMatchObject({ ok: false });
    expect(await everything(desk)).toBe(before);
    must(await decide(desk, requestId, "declined"));
    expect(await everything(desk)).toBe(before);
    await decideBatches(desk, times(3, "approved"));
    const second = await proposed(desk);
    must(await desk.app.approvals.show(second.requestId));
    desk.moveMs(desk.config.review.approvalTimeoutSeconds * 1000 + 1);
    expect(must(await desk.app.approvals.missed()).map(({ requestId: id }) => id)).toContain(second.requestId);
    expect(await everything(desk)).toBe(before);
    expect(changed(desk)).toBe(0);
  });

  test("[LIM-05] a declined proposal is not made again by the same decisions, and three a week are the most", async () => {
    const desk = await openDesk();
    for (let made = 0; made < 3; made += 1) {
      await decideBatches(desk, times(3, "approved"));
      must(await decide(desk, (await proposed(desk)).requestId, "declined"));
      expect(must(await desk.app.work.autonomy.check())).toEqual([]);
    }
    await decideBatches(desk, times(3, "approved"));
    expect(must(await desk.app.work.autonomy.check())).toEqual([]);
    desk.moveMs(7 * 24 * 60 * MINUTE);
    expect(must(await desk.app.work.autonomy.check())).toHaveLength(1);
  });

  test("[LIM-05] a proposal counts for a week to the millisecond, and then no longer", async () => {
    const desk = await openDesk({ ...FEW, "limits.autonomy_proposals_per_week_per_scope": "1" });
    await decideBatches(desk, times(3, "approved"));
    const { requestId } = await proposed(desk);
    must(await decide(desk, requestId, "declined"));
    await decideBatches(desk, times(3, "approved"));
    desk.moveMs(7 * 24 * 60 * MINUTE - 4 * MINUTE - 1);
    expect(must(await desk.app.work.autonomy.check())).toEqual([]);
    desk.moveMs(1);
    expect(must(await desk.app.work.autonomy.check())).toHaveLength(1);
  });

  test("[AUTO-17] what is decided about one batch changes no limit by itself; many corrections ask for tighter ones", async () => {
    const desk = await openDesk({ ...FEW, "batch_review.default_size": "2" });
    const before = await everything(desk);
    const folder = folderOf({ "a.pdf": "1", "b.pdf": "2" });
    const { asked } = must(await desk.app.work.batches.tidy(folder, TERMINAL));
    if (asked === null) throw new Error("there is something to move");
    must(await desk.app.approvals.select({ requestId: asked.request.requestId, itemIds: ["1"], actor: TERMINAL }));
    await declineOne(desk);
    expect(await everything(desk)).toBe(before);
    expect(must(await desk.app.work.autonomy.check())).toEqual([]);
    await declineOne(desk);
    const request = await proposed(desk);
    expect(request).toMatchObject({ riskLevel: "low", card: { friction: ["tap"] } });
    expect(await everything(desk)).toBe(before);
    must(await decide(desk, request.requestId, "approved"));
    expect(await sizeOf(desk)).toBe("1");
  });

  test("[AUTO-16] what was widened is taken back by one signed tap, and then there is nothing to take back", async () => {
    const desk = await openDesk();
    await decideBatches(desk, times(3, "approved"));
    must(await decide(desk, (await proposed(desk)).requestId, "approved"));
    expect(await sizeOf(desk)).toBe("2");
    const { request } = must(await desk.app.work.autonomy.tighten({ requestId: null, actor: TERMINAL }));
    expect(request).toMatchObject({ riskLevel: "low", card: { friction: ["tap"] } });
    // Nothing tightens by itself either.
    expect(await sizeOf(desk)).toBe("2");
    const { planHash: shownHash, requestId } = must(await desk.app.approvals.show(request.requestId));
    const answer = { requestId, verdict: "approved", shownHash, friction: ["tap"], actor: TERMINAL } as const;
    must(await desk.app.approvals.decide(answer));
    expect([await sizeOf(desk), await valueOf(desk, "batch_review.confidence.high_min")]).toEqual(["1", "0.85"]);
    expect(await desk.app.work.autonomy.tighten({ requestId: null, actor: TERMINAL })).toMatchObject({
      error: { code: "nothing_to_tighten" },
    });
    expect(must(await desk.app.work.autonomy.show()).isWidened).toBe(false);
  });

  test("[AUTO-16] a proposal to widen can be answered by tightening: it is declined, and the other asked in its stead", async () => {
    const desk = await openDesk({ ...FEW, "batch_review.default_size": "4" });
    await decideBatches(desk, ["approved"]);
    await decideBatches(desk, ["approved"]);
    await decideBatches(desk, ["approved"]);
    const widening = await proposed(desk);
    const asked = { requestId: widening.requestId, actor: TERMINAL };
    const { request } = must(await desk.app.work.autonomy.tighten(asked));
    expect(must(await desk.app.approvals.show(widening.requestId)).state).toBe("declined");
    must(await decide(desk, request.requestId, "approved"));
    expect(await sizeOf(desk)).toBe("2");
    expect(await desk.app.work.autonomy.tighten(asked)).toMatchObject({ error: { code: "not_a_limit_request" } });
  });

  test("[AUTO-13] a limit that moved since the card was made is not changed by it", async () => {
    const desk = await openDesk();
    await decideBatches(desk, times(3, "approved"));
    const request = await proposed(desk);
    const asked = byHand([["batch_review.default_size", "1", "2"]]);
    const other = must(await desk.app.approvals.proposePayload(asked, TERMINAL)).request;
    must(await decide(desk, other.requestId, "approved"));
    expect(await decide(desk, request.requestId, "approved")).toMatchObject({
      error: { code: "limit_refused", reason: "limit_moved" },
    });
    expect([await sizeOf(desk), changed(desk)]).toEqual(["2", 1]);
  });

  test("decisions are counted by Silas alone: nobody may claim any, name another direction or go beyond a cap", async () => {
    const { app } = await openDesk();
    const claim = { ...byHand([["batch_review.default_size", "1", "2"]]), sample_size: 50 };
    const reasonOf = async (payload: Parameters<typeof app.approvals.proposePayload>[0]) =>
      (await app.approvals.proposePayload(payload, TERMINAL)) as { readonly error?: { readonly reason?: string } };
    expect((await reasonOf(claim)).error?.reason).toBe("evidence_not_counted");
    const over = byHand([["batch_review.default_size", "1", "51"]]);
    expect((await reasonOf(over)).error?.reason).toContain("over_cap");
    const lying = byHand([["batch_review.confidence.high_min", "0.85", "0.9"]]);
    expect((await reasonOf(lying)).error?.reason).toContain("direction_differs");
  });

  test("the file is the owner's: edited after an approval it wins, and what was approved is said to be set aside", async () => {
    const home = homeDir();
    const desk = await openDesk(FEW, home);
    await decideBatches(desk, times(3, "approved"));
    must(await decide(desk, (await proposed(desk)).requestId, "approved"));
    expect(await sizeOf(desk)).toBe("2");
    await desk.close();
    const same = await openDesk(FEW, home, 60 * MINUTE);
    expect(await sizeOf(same)).toBe("2");
    await same.close();
    const edited = await openDesk({ ...FEW, "batch_review.default_size": "7" }, home, 120 * MINUTE);
    expect(must(await edited.app.work.autonomy.show()).limits).toContainEqual(
      expect.objectContaining({ key: "batch_review.default_size", value: "7", state: "set_aside" }),
    );
  });

  test("[AUTO-19] switched off nothing is proposed, and what was approved before still counts and can be taken back", async () => {
    const home = homeDir();
    const desk = await openDesk(FEW, home);
    await decideBatches(desk, times(3, "approved"));
    must(await decide(desk, (await proposed(desk)).requestId, "approved"));
    await desk.close();
    const off = await openDesk({ ...FEW, "autonomy.enabled": "false" }, home, 60 * MINUTE);
    expect(await off.app.work.autonomy.check()).toMatchObject({ error: { code: "autonomy_disabled" } });
    expect(await sizeOf(off)).toBe("2");
    must(await off.app.work.autonomy.tighten({ requestId: null, actor: TERMINAL }));
  });
});

/** One more batch of two files, declined. */
async function declineOne(desk: Desk): Promise<void> {
  const { asked } = must(await desk.app.work.batches.tidy(folderOf({ "c.pdf": "3", "d.pdf": "4" }), TERMINAL));
  if (asked === null) throw new Error("there is something to move");
  must(await decide(desk, asked.request.requestId, "declined"));
}

const byHand = (changes: readonly (readonly [LimitKey, string, string])[]) => ({
  kind: "autonomy_threshold" as const,
  proposal_id: "by-hand",
  scope_id: "owner",
  goal_id: null,
  changes: changes.map(([key, from, to]) => ({
    key,
    current_value: from,
    proposed_value: to,
    direction: "widen" as const,
  })),
  sample_size: 0,
  correction_rate: 0,
  evidence_window: "asked for by hand, no decisions counted",
  rationale: "I want it so.",
  risk_level: "high" as const,
  created_at: "2026-11-16T08:00:00.000Z" as Instant,
});
