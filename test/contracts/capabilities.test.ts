/** What always holds, held again with everything that can be switched on. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { checkSteps, testSteps } from "../../scripts/check.ts";
import { runAndReport } from "../../scripts/report.ts";
import type { Running } from "../e2e/server-start.ts";
import { TERMINAL } from "./batch-fixture.ts";
import {
  approvedHome,
  containers,
  eagerChat,
  obedientModel,
  startOn,
  type Capability,
  type Furniture,
} from "./capability-fixture.ts";
import { must } from "./journal-fixture.ts";

type Run = {
  readonly run: { readonly run_id: string; readonly work_item_id: string; readonly status: string };
};
type Detail = {
  readonly run: { readonly status: string; readonly is_verified: boolean; readonly last_error: string | null };
  readonly ledger: readonly { readonly taint: string; readonly return_value: string | null }[];
};
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const OVER: ReadonlySet<string> = new Set(["done", "blocked", "stuck", "failed", "cancelled"]);
const POLL = { interval: 50 };

function usesIn(home: string): unknown {
  const database = new DatabaseSync(join(home, "data", "silas.db"), { readOnly: true, timeout: 60_000 });
  const uses = database.prepare("SELECT * FROM approval_uses ORDER BY nonce, use_number").all();
  database.close();
  return uses;
}

async function runsOf(silas: Running): Promise<readonly Run["run"][]> {
  const { runs } = (await (await silas.call("/api/work")).json()) as { readonly runs: readonly Run[] };
  return runs.map(({ run }) => run);
}
async function detailOf(silas: Running, name: string): Promise<Detail> {
  const found = (await runsOf(silas)).find(({ work_item_id: id }) => id === `task-${name}`);
  return (await (await silas.call(`/api/work/${found?.run_id}`)).json()) as Detail;
}

const CAPABILITIES: readonly (readonly [name: string, furniture: Furniture, open: () => Promise<Capability>])[] = [
  ["standing approvals and a connection", "standing approvals and a connection", async () => ({})],
  ["web search", "skills", async () => ({ env: { SEARCH_API_KEY: "tvly-1" } })],
  ["a model", "skills", obedientModel],
  ["the chat on Telegram", "skills", eagerChat],
  ["containers", "skills", containers],
];

test.each(CAPABILITIES)(
  "[INV-07] with %s, nothing runs that was changed after its approval, no claim makes it done, gates stop, and the sandbox stays closed",
  async (_name, furniture, open) => {
    const home = await approvedHome(furniture);
    const uses = usesIn(home);
    const { tempt, ...options } = await open();
    const silas = await startOn(home, options);
    await tempt?.(silas);
    const ended = async () =>
      Object.fromEntries(
        (await runsOf(silas)).filter(({ status }) => OVER.has(status)).map((run) => [run.work_item_id, run.status]),
      );
    await expect.poll(ended, POLL).toEqual({
      "task-honest": "done",
      "task-swapped": "blocked",
      "task-claiming": "stuck",
      "task-gated": "blocked",
      "task-wishing": "done",
      "task-changed": "blocked",
    });
    const of = (name: string) => detailOf(silas, name);
    expect(await of("honest")).toMatchObject({ run: { is_verified: true } });
    // INV-01: nothing of what was swapped begins. INV-02: each use was spent when it was approved, and none since.
    expect(await of("swapped")).toMatchObject({ ledger: [] });
    expect(usesIn(home)).toEqual(uses);
    const decided = must(await silas.app.approvals.all()).find(({ workItemId }) => workItemId === "task-honest");
    if (decided === undefined) throw new Error("it was approved");
    const { requestId, planHash: shownHash } = decided;
    const again = { requestId, shownHash, verdict: "approved", actor: TERMINAL, friction: ["tap", "confirm"] } as const;
    expect(await silas.app.approvals.decide(again)).toMatchObject({ ok: false });
    // INV-03
    expect(await of("claiming")).toMatchObject({ run: { is_verified: false } });
    // INV-04
    expect((await of("gated")).run.last_error).toContain("places");
    // INV-05
    const wishing = await of("wishing");
    expect(wishing).toMatchObject({ run: { is_verified: false }, ledger: [{ taint: "external" }] });
    expect(wishing.ledger[0]?.return_value).toMatch(/^\{"taint":"owner"\}\n(?:.*\n)?closed\n$/);
    // INV-06
    expect(await of("changed")).toMatchObject({ ledger: [] });
  },
);

test("[INV-07] what proves INV-01 to INV-06 runs with every check of the whole, and one that falls lets it fall", async () => {
  for (const steps of [checkSteps, testSteps]) expect(steps("reports").map(({ name }) => name)).toContain("unit");
  const step = (exitCode: number) => ({ name: "step", command: ["--eval", `process.exit(${exitCode})`] });
  expect(await runAndReport(() => [step(0), step(0)])).toBe(0);
  expect(await runAndReport(() => [step(0), step(1)])).toBe(1);
  const everyTime = ["src", "sim", "test/contracts"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => readFileSync(join(ROOT, folder, name), "utf8")),
  );
  for (const id of ["INV-01", "INV-02", "INV-03", "INV-04", "INV-05", "INV-06"]) {
    const title = new RegExp(`\\btest(?:\\.each\\([^()]*\\))?\\(\\s*"(?:\\[[A-Z]+-\\d+\\] )*\\[${id}\\]`);
    expect(
      everyTime.some((text) => title.test(text)),
      id,
    ).toBe(true);
  }
});
