import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createHome, databaseIn, ROOT, urlIn, type Home, type Ran } from "./cli-process.ts";

type Request = {
  readonly request_id: string;
  readonly plan_hash: string;
  readonly state: string;
  readonly active_since: string | null;
  readonly expires_at: string | null;
  readonly again_of: string | null;
  readonly token_id: string | null;
};
type Listed = { readonly requests: readonly Request[] };
type Proposed = { readonly is_new: boolean; readonly request: Request };
type Verdict = {
  readonly valid: boolean;
  readonly checks: readonly { readonly name: string; readonly outcome: string }[];
};

const PLAN = join(ROOT, "docs", "examples", "tidy-notes.md");

let home: Home;
beforeEach(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterEach(() => home.remove());

const propose = async (...args: string[]): Promise<Request> =>
  (await home.json<Proposed>(["plan", "propose", ...(args.length === 0 ? [PLAN] : args), "--json"])).request;
const inbox = async (...args: string[]) => (await home.json<Listed>(["inbox", ...args, "--json"])).requests;
const approve = ({ request_id: id, plan_hash: hash }: Request): Promise<Ran> =>
  home.silas(["approve", id, "--hash", hash]);
const show = (id: string) => home.json<Request>(["approvals", "show", id, "--json"]);
const entries = (): number => count("SELECT count(*) AS n FROM audit_entries WHERE event LIKE 'approval_%'");
const tokens = (): number => count("SELECT count(*) AS n FROM approval_tokens");
const events = (): readonly unknown[] =>
  query("SELECT event FROM audit_entries WHERE event LIKE 'approval_%' ORDER BY seq").map((row) => row["event"]);

function query(sql: string): readonly Record<string, unknown>[] {
  const database = databaseIn(home.dir);
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}
const count = (sql: string): number => Number(query(sql)[0]?.["n"]);

test("[APPR-12] a request whose stored projection was changed by one byte is shown with that, and fails", async () => {
  const request = await propose();
  const shown = () => home.silas(["approvals", "show", request.request_id]);
  expect(await shown()).toMatchObject({ code: 0, err: "" });
  query("UPDATE pending_decisions SET projection = replace(projection, 'notes', 'votes') RETURNING request_id");
  const changed = await shown();
  expect(changed.code).toBe(1);
  expect(changed.out).toContain(request.request_id);
  expect(changed.err).toContain("What is stored is not what its hash stands for");
  expect(await home.silas(["approvals", "show", request.request_id, "--json"])).toMatchObject({ code: 1 });
});

describe("from a plan to a receipt", () => {
  test("[FLOW-04] one approval is minted, signed, verified and spent once, and its receipt is proven without Silas", async () => {
    const request = await propose();
    expect((await inbox()).map(({ request_id: id }) => id)).toEqual([request.request_id]);
    expect(await approve(request)).toMatchObject({ code: 0 });
    expect(await inbox()).toEqual([]);
    const file = join(home.dir, "receipt.json");
    expect(await home.silas(["approvals", "export", request.request_id, file])).toMatchObject({ code: 0 });
    expect(await home.silas(["approvals", "export", request.request_id, file])).toMatchObject({ code: 1 });
    expect(events()).toEqual(["approval_requested", "approval_granted"]);
    expect([tokens(), count("SELECT count(*) AS n FROM approval_uses")]).toEqual([1, 1]);
    expect(query("SELECT state, work_item_id FROM attempt_lineages")).toMatchObject([{ state: "granted" }]);
    expect((await home.silas(["audit", "verify"])).code).toBe(0);
    // Elsewhere: another home, no data directory, nothing to reach.
    const elsewhere = createHome();
    try {
      const verified = await elsewhere.silas(["approvals", "verify", file]);
      expect(verified).toMatchObject({ code: 0 });
      expect(verified.out).toContain("The receipt proves the approval.");
      const [keyId = ""] = query("SELECT key_id FROM owner_keys").map((row) => String(row["key_id"]));
      expect(verified.out).toContain(`It was signed with key ${keyId}.`);
      expect((await elsewhere.silas(["approvals", "verify", file, "--key", keyId])).code).toBe(0);
      expect(await elsewhere.silas(["approvals", "verify", file, "--key", "0".repeat(32)])).toMatchObject({
        code: 1,
        out: expect.stringContaining("Not proven: key broke."),
      });
      expect((await elsewhere.silas(["approvals", "verify", "-"], { input: readFileSync(file, "utf8") })).code).toBe(0);
    } finally {
      await elsewhere.remove();
    }
  });

  test("a receipt with any byte changed is not proven, and the part that broke is named", async () => {
    const request = await propose();
    await approve(request);
    const { out: receipt } = await home.silas(["approvals", "export", request.request_id]);
    const file = join(home.dir, "changed.json");
    const verify = async (text: string | Uint8Array): Promise<readonly string[]> => {
      writeFileSync(file, text);
      const ran = await home.silas(["approvals", "verify", file, "--json"]);
      expect(ran.code).toBe(1);
      const { valid, checks } = JSON.parse(ran.out) as Verdict;
      expect(valid).toBe(false);
      return checks.filter(({ outcome }) => outcome === "failed").map(({ name }) => name);
    };
    const changes: readonly (readonly [RegExp, string, string])[] = [
      [/"plan_hash":"[0-9a-f]/, '"plan_hash":"', "plan"],
      [/"public_key":"[0-9a-f]/, '"public_key":"', "key"],
      [/"nonce":"[0-9a-f]/, '"nonce":"', "token"],
      [/"digest":"[0-9a-f]/, '"digest":"', "digest"],
    ];
    for (const [pattern, start, broke] of changes) {
      const changed = receipt.replace(pattern, (found) => `${start}${found.endsWith("0") ? "1" : "0"}`);
      expect(changed).not.toBe(receipt);
      expect(await verify(changed)).toContain(broke);
    }
    expect(await verify(receipt.replace('"max_executions":1', '"max_executions":2'))).toContain("signature");
    expect(await verify(receipt.replace("week-46", "week-47"))).toContain("plan");
    expect(await verify(receipt.slice(0, -20))).toEqual(["file"]);
    expect(await verify(receipt.replace("{", "{ "))).toEqual(["file"]);
    // A byte that is no UTF-8 must not be read as the replacement mark, which a plan may really hold.
    const bytes = Buffer.from(receipt);
    bytes[bytes.indexOf("week-46")] = 0xff;
    expect(await verify(bytes)).toEqual(["file"]);
    const step = Math.floor(receipt.length / 12);
    for (let at = 3; at < receipt.length; at += step) {
      const flipped = String.fromCharCode(receipt.charCodeAt(at) ^ 1);
      expect(await verify(receipt.slice(0, at) + flipped + receipt.slice(at + 1))).not.toEqual([]);
    }
  });

  test("a plan that does not parse is reported with its line and asks for nothing", async () => {
    const file = join(home.dir, "bad.md");
    writeFileSync(file, readFileSync(PLAN, "utf8").replace("type: task", "type: wish"));
    const ran = await home.silas(["plan", "propose", file]);
    expect(ran.code).toBe(1);
    expect(ran.err).toMatch(/bad\.md:3:/);
    expect(await inbox()).toEqual([]);
    expect(await home.silas(["plan", "propose"])).toMatchObject({ code: 2 });
  });

  test("everything goes through a running instance as it does without one", async () => {
    const running = await home.start();
    const request = await propose();
    expect((await home.json<Proposed>(["plan", "propose", PLAN, "--json"])).is_new).toBe(false);
    expect(await home.silas(["inbox"])).toMatchObject({ code: 0 });
    expect(await approve(request)).toMatchObject({ code: 0 });
    const again = await approve(request);
    expect(again.code).toBe(1);
    expect(again.err).toMatch(/approved on the terminal at 20/);
    const receipt = await home.silas(["approvals", "export", request.request_id]);
    expect((await home.silas(["approvals", "verify", "-"], { input: receipt.out })).code).toBe(0);
    expect(await home.silas(["approve", "ffffffff"])).toMatchObject({ code: 1 });
    running.child.kill("SIGTERM");
    expect(await running.ended).toMatchObject({ code: 0 });
    expect((await show(request.request_id)).state).toBe("approved");
  });

  test("a signed-in page cannot have the vault's key sign for it", async () => {
    const running = await home.start();
    const url = urlIn(running.output());
    const request = await propose();
    const code = /enrol#(\S+)/.exec(running.output())?.[1];
    const enrolled = await fetch(`${url}/session/enrol`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code, device_name: "page" }),
    });
    const { token } = (await enrolled.json()) as { token: string };
    const answer = await fetch(`${url}/api/approvals/decide`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({
        request_id: request.request_id,
        verdict: "approved",
        shown_hash: request.plan_hash,
        friction: ["tap", "confirm", "slide"],
      }),
    });
    expect(answer.status).toBe(403);
    expect(tokens()).toBe(0);
  });
});

describe("what is not approved", () => {
  test("[FLOW-03] a decline is recorded, mints nothing, and stays", async () => {
    const request = await propose();
    expect(await home.silas(["decline", request.request_id])).toMatchObject({ code: 0 });
    const late = await approve(request);
    expect(late.code).toBe(1);
    expect(late.err).toContain("declined on the terminal");
    expect(await home.silas(["approvals", "export", request.request_id])).toMatchObject({ code: 1, out: "" });
    expect([tokens(), events()]).toEqual([0, ["approval_requested", "approval_declined"]]);
  });

  test("nobody to ask is exit code 3 and shows the hash; another hash is refused and the refusal recorded", async () => {
    const request = await propose();
    const asked = await home.silas(["approve", request.request_id, "--no-input"]);
    expect(asked.code).toBe(3);
    expect(asked.err).toContain(`--hash ${request.plan_hash}`);
    expect(await home.silas(["approve", request.request_id, "--hash", "abc"])).toMatchObject({ code: 2 });
    const other = await approve({ ...request, plan_hash: "0".repeat(64) });
    expect(other.code).toBe(1);
    expect(other.err).toContain("not the plan that was shown");
    expect([tokens(), events()]).toEqual([0, ["approval_requested", "approval_refused"]]);
    expect((await inbox()).map(({ state }) => state)).toEqual(["pending"]);
  });

  test("a plan of high risk is not approved by its hash alone, and nobody to ask is told to use a terminal", async () => {
    const request = await propose(join(ROOT, "docs", "examples", "site-is-up.md"));
    const byHash = await approve(request);
    expect(byHash.code).toBe(3);
    expect(byHash.err).toContain("A plan of high risk is not approved by its hash alone.");
    const asked = await home.silas(["approve", request.request_id, "--no-input"]);
    expect(asked.code).toBe(3);
    expect(asked.err).not.toContain("--hash");
    expect([tokens(), events()]).toEqual([0, ["approval_requested"]]);
    expect((await inbox()).map(({ state }) => state)).toEqual(["pending"]);
  });

  test("[FLOW-05] a plan that was changed behind the request is refused, recorded and gives no token", async () => {
    const request = await propose();
    for (const [sql, column] of [
      ["UPDATE pending_decisions SET markdown = replace(markdown, 'week-46', 'week-47')", "markdown"],
      ["UPDATE pending_decisions SET projection = replace(projection, 'week-46', 'week-47')", "projection"],
    ] as const) {
      const kept = String(query(`SELECT ${column} AS kept FROM pending_decisions`)[0]?.["kept"]);
      query(sql);
      expect(await approve(request), column).toMatchObject({ code: 1 });
      expect(tokens()).toBe(0);
      query(`UPDATE pending_decisions SET ${column} = '${kept.replaceAll("'", "''")}'`);
    }
    expect(events()).toEqual(["approval_requested", "approval_refused", "approval_refused"]);
    expect(await approve(request)).toMatchObject({ code: 0 });
  });

  test("a revoked key signs nothing, and a new one does", async () => {
    const request = await propose();
    const [key] = (await home.json<{ keys: { key_id: string }[] }>(["keys", "list", "--json"])).keys;
    await home.silas(["keys", "revoke", key?.key_id ?? "", "--yes", "--last-key"]);
    const refused = await approve(request);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("is revoked");
    expect(tokens()).toBe(0);
    await home.silas(["keys", "enrol", "second"]);
    expect(await approve(request)).toMatchObject({ code: 0 });
  });

  test("a locked vault gives no token; opened again, the same request is approved", async () => {
    const request = await propose();
    const key = join(home.dir, "state", "vault.key");
    renameSync(key, `${key}.away`);
    const locked = await approve(request);
    expect(locked.code).toBe(1);
    expect(locked.err).toContain("The vault is locked");
    expect(tokens()).toBe(0);
    renameSync(`${key}.away`, key);
    expect(await approve(request)).toMatchObject({ code: 0 });
  });

  test("[FLOW-03] what nobody decides in time is missed, not declined, and is proposed again once", async () => {
    const env = { SILAS_REVIEW__APPROVAL_TIMEOUT_SECONDS: "1" };
    const request = await propose();
    expect(request.active_since).toBeNull();
    const shown = await home.silas(["approvals", "show", request.request_id], { env });
    expect(shown.code).toBe(0);
    await expect.poll(async () => (await inbox()).length, { interval: 500 }).toBe(0);
    const missed = await inbox("--missed");
    expect(missed).toMatchObject([{ request_id: request.request_id, state: "expired", token_id: null }]);
    const late = await approve(request);
    expect(late.code).toBe(1);
    expect(late.err).toContain("Not decided by you");
    expect(events()).toEqual(["approval_requested", "approval_expired"]);
    const again = await propose("--again", request.request_id);
    expect(again).toMatchObject({ again_of: request.request_id, plan_hash: request.plan_hash, state: "pending" });
    expect(await inbox("--missed")).toEqual([]);
    expect(await propose("--again", request.request_id)).toMatchObject({ request_id: again.request_id });
    expect(await approve(again)).toMatchObject({ code: 0 });
    expect(await home.silas(["plan", "propose", "--again", again.request_id])).toMatchObject({ code: 1 });
  });

  test("a request outlives kill -9 between card and decision, and its time goes on", async () => {
    const running = await home.start();
    const request = await propose();
    const shown = await show(request.request_id);
    running.child.kill("SIGKILL");
    await running.ended;
    await home.start();
    expect(await inbox()).toEqual([shown]);
    const before = entries();
    expect(await approve(shown)).toMatchObject({ code: 0 });
    expect(entries()).toBe(before + 1);
    expect((await home.silas(["audit", "verify"])).code).toBe(0);
  });

  test("two decisions at the same moment: one counts, the other is told so", async () => {
    await home.start();
    const request = await propose();
    const answers = await Promise.all([
      approve(request),
      approve(request),
      home.silas(["decline", request.request_id]),
    ]);
    expect(answers.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(tokens()).toBeLessThanOrEqual(1);
    expect(count("SELECT count(*) AS n FROM approval_uses")).toBe(tokens());
  });
});
