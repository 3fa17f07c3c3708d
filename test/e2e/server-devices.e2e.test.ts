import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ActivityPage, DecisionsSummaryBody, DeviceKeyBody, ServerFrame, ShownRequestBody } from "#model";
import { isProven, verifyReceipt } from "#policy";
import { receiptTools } from "#runtime";
import {
  approve,
  callerFor,
  enrolKey,
  mintOf,
  offerKey,
  openEnrolledPage,
  openPage,
  propose,
  signedBody,
  terminalOf,
  type PageDevice,
} from "./page-device.ts";
import { codeOf, exchange, makeDir, rawRequest, startServer, type Running } from "./server-start.ts";
import { createHandMachine, opened, openSocket } from "./server-talk.ts";

const EXAMPLE = readFileSync(new URL("../../docs/examples/tidy-notes.md", import.meta.url), "utf8");
const STEPS = `---
id: task-news
type: task
title: Say it
steps:
  - { name: say, run: echo hello }
---

# What to do

Say it.
`;
/** What `review.approval_timeout_seconds` is by default. */
const DECIDABLE_MS = 86_400_000;
const planOf = (name: string): string => EXAMPLE.replace("id: task-0190", `id: task-${name}`);

let running: Running;
const machine = createHandMachine();
beforeAll(async () => {
  running = await startServer({ machine: { clock: machine.clock } });
});
afterAll(() => running.stop());

async function eventsOf(name: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const page = await terminalOf(running).call<ActivityPage>("/api/activity?limit=500");
  return page.body.items.filter(({ event }) => event === name).map(({ data }) => data);
}

describe("a browser's key", () => {
  test("[KEY-01] is made in the browser, proven, confirmed by code at the terminal, and ends with its session", async () => {
    const page = await openPage(running);
    const current = async () => (await page.call<DeviceKeyBody>("/api/keys/devices/current")).body;
    expect(await current()).toEqual({ state: "none", key: null, enrolment: null });
    const key = await enrolKey(running, page);
    expect(key).toMatchObject({ kind: "browser", session_id: page.sessionId, public_key: page.publicKey });
    expect(await current()).toMatchObject({ state: "enrolled", key: { key_id: key.key_id } });
    const request = await propose(running, planOf("ends"));
    const minted = await mintOf(page, request);
    const signed = await signedBody(page, request, minted.body);
    await running.call(`/sessions/${page.sessionId}`, { method: "DELETE" });
    expect(await page.call("/api/approvals/sign", signed)).toMatchObject({ status: 401 });
    const keys = await terminalOf(running).call<{ keys: readonly { key_id: string; revoked_at: string | null }[] }>(
      "/api/keys",
    );
    expect(keys.body.keys.find(({ key_id }) => key_id === key.key_id)?.revoked_at).not.toBeNull();
    expect(await eventsOf("key_enrolled")).toContainEqual(expect.objectContaining({ session_id: page.sessionId }));
  });

  test("only a device may offer one, and only the terminal sees and confirms what waits", async () => {
    machine.nextMinute();
    const [page, terminal] = [await openPage(running), terminalOf(running)];
    for (const [path, json] of [
      ["/api/keys/devices/begin", {}],
      ["/api/keys/devices/current", undefined],
    ] as const) {
      expect(await terminal.call(path, json)).toMatchObject({ status: 403, code: "device_only" });
    }
    expect(await page.call("/api/keys/devices/waiting")).toMatchObject({ status: 403, code: "terminal_only" });
    const offered = await offerKey(page);
    expect(await page.call("/api/keys/devices/confirm", { code: offered.body.code })).toMatchObject({
      status: 403,
      code: "terminal_only",
    });
    const waiting = await terminal.call<{ waiting: readonly { code: string; name: string }[] }>(
      "/api/keys/devices/waiting",
    );
    expect(waiting.body.waiting).toEqual([
      expect.objectContaining({ code: offered.body.code, name: "Kitchen tablet", session_id: page.sessionId }),
    ]);
    const wrong = offered.body.code === "123456" ? "654321" : "123456";
    expect(await terminal.call("/api/keys/devices/confirm", { code: wrong })).toMatchObject({
      status: 403,
      code: "device_code_wrong",
    });
    expect(await eventsOf("device_key_refused")).toContainEqual({ reason: "device_code_wrong", session_id: null });
    expect(await terminal.call("/api/keys/devices/confirm", { code: offered.body.code })).toMatchObject({
      status: 200,
    });
  });
});

test("a page that offers keys without end is told to wait", async () => {
  machine.nextMinute();
  const page = await openPage(running);
  const codes = [];
  for (let index = 0; index < 12; index += 1) codes.push((await offerKey(page)).code);
  expect(codes).toEqual([...Array<null>(10).fill(null), "rate_limited", "rate_limited"]);
});

describe("a decision from a page", () => {
  let phone: PageDevice;
  let laptop: PageDevice;
  beforeAll(async () => {
    machine.nextMinute();
    [phone, laptop] = [await openEnrolledPage(running), await openEnrolledPage(running)];
  });

  test("[KEY-02] is signed by the browser's key and yields a receipt that proves itself", async () => {
    const request = await propose(running, planOf("signed"));
    const shown = await phone.call<ShownRequestBody>("/api/approvals/show", { request_id: request.request_id });
    expect(shown.body).toMatchObject({ state: "pending", decided_by_name: null });
    expect(shown.body.active_since).not.toBeNull();
    expect(await approve(phone, request)).toMatchObject({ status: 200, body: { state: "approved" } });
    const receipt = await laptop.call<{ receipt: string }>("/api/approvals/receipt", {
      request_id: request.request_id,
    });
    expect(isProven(verifyReceipt(receipt.body.receipt, receiptTools))).toBe(true);
    expect(JSON.parse(receipt.body.receipt)).toMatchObject({
      key: { kind: "browser", public_key: phone.publicKey },
      token: { key_id: phone.keyId, conditions: { friction: ["tap", "confirm"] } },
    });
    const elsewhere = await laptop.call<ShownRequestBody>("/api/approvals/show", { request_id: request.request_id });
    expect(elsewhere.body).toMatchObject({ state: "approved", decided_by_name: "Test device" });
    const { body } = await laptop.call<DecisionsSummaryBody>("/api/approvals/summary");
    expect(body.decided[0]).toMatchObject({
      request_id: request.request_id,
      decided_by: { kind: "owner", device_name: "Test device" },
    });
    expect(body.decided[0]).not.toHaveProperty("card");
    expect((await eventsOf("approval_granted"))[0]).toMatchObject({
      friction: ["tap", "confirm"],
      key_id: phone.keyId,
    });
  });

  test("[KEY-06] [FLOW-18] [CARD-18] without signatures a page declines and nothing more, and the terminal cannot mint for it", async () => {
    const request = await propose(running, planOf("unsigned"));
    const answer = { request_id: request.request_id, shown_hash: request.plan_hash, friction: ["tap", "confirm"] };
    expect(await phone.call("/api/approvals/decide", { ...answer, verdict: "approved" })).toMatchObject({
      status: 403,
      code: "device_signature_needed",
    });
    expect(await terminalOf(running).call("/api/approvals/mint", { ...answer, key_id: phone.keyId })).toMatchObject({
      status: 403,
      code: "device_only",
    });
    for (const path of ["/api/approvals/check", "/api/approvals/propose", "/api/approvals/propose-payload"]) {
      expect(await phone.call(path, { markdown: EXAMPLE })).toMatchObject({ status: 403, code: "terminal_only" });
    }
    expect(await phone.call("/api/keys/sign-file", { sha256: "0".repeat(64) })).toMatchObject({ status: 403 });
    expect(await phone.call("/api/approvals/decide", { ...answer, verdict: "declined" })).toMatchObject({
      status: 200,
      body: { state: "declined", decided_by: { kind: "owner", session_id: phone.sessionId } },
    });
  });

  test("[FLOW-05] a forged report of care, another plan, another device's key and another signature are refused and recorded", async () => {
    const request = await propose(running, planOf("forged"));
    const refused: string[] = [];
    const expectRefused = (answered: { readonly code: string | null }, code: string) => {
      expect(answered.code).toBe(code);
      refused.push(code);
    };
    expectRefused(await mintOf(phone, request, { friction: ["tap"] }), "decision_friction_missing");
    expectRefused(
      await mintOf(phone, request, { friction: ["tap", "confirm", "strong_auth"] }),
      "decision_strong_auth_unproven",
    );
    expectRefused(await mintOf(phone, request, { shown_hash: "0".repeat(64) }), "decision_shown_differs");
    expectRefused(await mintOf(phone, request, { key_id: laptop.keyId }), "device_key_differs");
    const minted = await mintOf(phone, request);
    const signed = await signedBody(phone, request, minted.body);
    expectRefused(await laptop.call("/api/approvals/sign", signed), "mint_missing");
    const byLaptop = await signedBody(laptop, request, minted.body);
    expectRefused(await phone.call("/api/approvals/sign", byLaptop), "approval_signature_invalid");
    const recorded = (await eventsOf("approval_refused")).filter(({ request_id: id }) => id === request.request_id);
    expect(recorded.map(({ reason }) => reason).toReversed()).toEqual(refused);
    expect(await mintOf(phone, { ...request, request_id: "none" })).toMatchObject({
      status: 404,
      code: "request_unknown",
    });
    expect(await phone.call("/api/approvals/sign", signed)).toMatchObject({ status: 200 });
    expect(await phone.call("/api/approvals/sign", signed)).toMatchObject({ status: 409, code: "already_decided" });
  });

  test("[WEB-06] [APPR-19] of twenty taps at once from two devices exactly one decides, twenty times over", async () => {
    for (let trial = 0; trial < 20; trial += 1) {
      if (trial % 5 === 0) machine.nextMinute();
      const request = await propose(running, planOf(`taps-${trial}`));
      const bodies = [];
      for (const page of [phone, laptop]) {
        const body = await signedBody(page, request, (await mintOf(page, request)).body);
        bodies.push(...Array.from({ length: 10 }, () => ({ page, body })));
      }
      const answers = await Promise.all(bodies.map(({ page, body }) => page.call("/api/approvals/sign", body)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(new Set(answers.filter(({ status }) => status !== 200).map(({ code }) => code))).toEqual(
        new Set(["already_decided"]),
      );
    }
  });

  test("[WEB-12] [WEB-13] a request can be decided for a day from when it was first shown; then it is missed, decided by nobody, and asked again from a page", async () => {
    machine.nextMinute();
    const [inTime, request] = [await propose(running, planOf("in-time")), await propose(running, planOf("late"))];
    // A request that was never shown loses no time.
    machine.moveMs(DECIDABLE_MS);
    for (const { request_id: id } of [inTime, request]) await phone.call("/api/approvals/show", { request_id: id });
    machine.moveMs(DECIDABLE_MS - 1);
    expect(await approve(phone, inTime)).toMatchObject({ status: 200, body: { state: "approved" } });
    const signed = await signedBody(phone, request, (await mintOf(phone, request)).body);
    expect(await eventsOf("approval_expired")).toHaveLength(0);
    machine.moveMs(1);
    expect(await phone.call("/api/approvals/sign", signed)).toMatchObject({
      status: 409,
      code: "already_decided",
      body: { error: { state: "expired", decidedBy: null } },
    });
    const { body } = await phone.call<DecisionsSummaryBody>("/api/approvals/summary");
    expect(body.missed[0]).toMatchObject({ request_id: request.request_id, decided_by: null, state: "expired" });
    const again = await phone.call<{ request: { again_of: string } }>("/api/approvals/propose-again", {
      request_id: request.request_id,
    });
    expect(again.body.request.again_of).toBe(request.request_id);
    const { body: after } = await phone.call<DecisionsSummaryBody>("/api/approvals/summary");
    expect(after.missed.map(({ request_id: id }) => id)).not.toContain(request.request_id);
    expect(await eventsOf("approval_expired")).toHaveLength(1);
  });

  test("two hundred requests wait at most, and the summary of them is light", async () => {
    machine.nextMinute();
    const { body: before } = await phone.call<DecisionsSummaryBody>("/api/approvals/summary");
    const terminal = terminalOf(running);
    const asked = Array.from({ length: 201 }, (_, index) =>
      terminal.call("/api/approvals/propose", { markdown: planOf(`flood-${index}`) }),
    );
    const answers = await Promise.all(asked);
    const taken = answers.filter(({ status }) => status === 200).length;
    expect(taken).toBe(200 - before.pending.length);
    expect(new Set(answers.filter(({ status }) => status !== 200).map(({ code }) => code))).toEqual(
      new Set(["too_many_pending"]),
    );
    const { body } = await phone.call<DecisionsSummaryBody>("/api/approvals/summary");
    expect(body.pending).toHaveLength(200);
    expect(body.is_dense).toBe(true);
    expect(JSON.stringify(body).length).toBeLessThan(100_000);
    // Looking at the queue starts no clock.
    expect(body.pending.filter(({ active_since: since }) => since !== null)).toEqual([]);
  });
});

describe("told at once", () => {
  test("[FLOW-13] every open page hears that something to review changed, how much waits, and what is new of a run", async () => {
    machine.nextMinute();
    const own = await startServer();
    try {
      const talk = openSocket(own, { protocols: ["silas", `bearer.${own.token}`] });
      const nextReview = async (): Promise<ServerFrame> => {
        for (;;) {
          const frame = await talk.next();
          if (frame.type === "review_changed") return frame;
        }
      };
      expect((await talk.next()).type).toBe("auth_ok");
      const page = await openPage(own);
      await offerKey(page);
      expect(await nextReview()).toEqual({ type: "review_changed", pending_count: 0 });
      await enrolKey(own, page);
      await nextReview();
      const request = await propose(own, planOf("told"));
      let frame = await nextReview();
      while (frame.type !== "review_changed" || frame.pending_count !== 1) frame = await nextReview();
      await page.call("/api/approvals/show", { request_id: request.request_id });
      await nextReview();
      expect(await approve(page, request)).toMatchObject({ status: 200 });
      while (frame.type !== "review_changed" || frame.pending_count !== 0) frame = await nextReview();
      const runs = await propose(own, STEPS);
      await page.call("/api/approvals/show", { request_id: runs.request_id });
      expect(await approve(page, runs)).toMatchObject({ status: 200 });
      const news: string[] = [];
      while (news.at(-1) !== "done" && news.at(-1) !== "blocked") {
        frame = await talk.next();
        if (frame.type === "run_news" && frame.work_item_id === "task-news") news.push(frame.news);
      }
      expect(news).toEqual(["running", "done"]);
      talk.socket.close();
      await talk.closed;
    } finally {
      await own.stop();
    }
  });
});

describe("strangers", () => {
  test("[WEB-04] another origin, another name for this server and a frame before the sign-in are refused, and in the chain", async () => {
    const dir = await makeDir();
    const own = await startServer({ dir });
    const host = `localhost:${own.port}`;
    const authorization = `Bearer ${own.token}`;
    const foreign = { host, origin: "https://evil.example", authorization };
    const rebound = { host: "evil.example", authorization };
    for (const [headers, code] of [
      [foreign, "foreign_origin"],
      [rebound, "foreign_host"],
    ] as const) {
      const answer = await exchange(own.port, rawRequest("GET /api/approvals/summary HTTP/1.1", headers));
      expect(codeOf(answer)).toBe(code);
    }
    const early = openSocket(own);
    await opened(early);
    early.socket.send(JSON.stringify({ type: "ping" }));
    expect(await early.closed).toMatchObject({ code: 4001 });
    // What was only counted is recorded when Silas stops.
    await own.stop();
    const again = await startServer({ dir });
    const { body } = await terminalOf(again).call<ActivityPage>("/api/activity?limit=100");
    const counted = body.items.filter(({ event }) => event === "callers_refused").map(({ data }) => data);
    const sum = (field: string) => counted.reduce((total, data) => total + Number(data[field]), 0);
    expect(["foreign_origin", "foreign_host", "unauthenticated_frame"].map(sum)).toEqual([1, 1, 1]);
    await again.stop();
    await rm(dir, { recursive: true, force: true });
  });
});

describe("across a restart", () => {
  test("a request and its key outlive it, and what was minted before is minted again", async () => {
    const dir = await makeDir();
    const first = await startServer({ dir });
    const page = await openEnrolledPage(first);
    const request = await propose(first, planOf("restart"));
    const signed = await signedBody(page, request, (await mintOf(page, request)).body);
    await first.stop();
    const second = await startServer({ dir });
    const after: PageDevice = { ...page, ...callerFor(second, page.token) };
    expect(await after.call("/api/approvals/sign", signed)).toMatchObject({ status: 409, code: "mint_missing" });
    expect(await approve(after, request)).toMatchObject({ status: 200, body: { state: "approved" } });
    await second.stop();
    await rm(dir, { recursive: true, force: true });
  });
});
