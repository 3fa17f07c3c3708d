/** The other side of Review: proposes as the terminal does, lets a browser sign, and looks at what the page shows. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { sha256Hex } from "#base";
import type { DecisionsSummaryBody, ShownRequestBody, UndoBody, WorkListBody } from "#model";
import { SETTLED, untilNone, type Cockpit, type Opened, type OpenOptions } from "./browser.ts";

export type Proposed = Pick<ShownRequestBody, "request_id" | "plan_hash" | "card">;

/** A request of the terminal of this machine, with the token its running instance left for it. */
export async function asTerminal<T>(cockpit: Cockpit, path: string, json?: unknown): Promise<T> {
  const file = JSON.parse(readFileSync(join(cockpit.home.dir, "data", "instance.json"), "utf8")) as {
    readonly cli_token: string;
  };
  const response = await fetch(cockpit.url() + path, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${file.cli_token}`, ...(json === undefined ? {} : JSON_BODY) },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
const JSON_BODY = { "content-type": "application/json" };

export async function propose(cockpit: Cockpit, markdown: string): Promise<Proposed> {
  return (await asTerminal<{ readonly request: Proposed }>(cockpit, "/api/approvals/propose", { markdown })).request;
}

/** By the verb itself, from a file. */
export async function proposeFile(cockpit: Cockpit, markdown: string): Promise<Proposed> {
  const file = join(cockpit.home.dir, "plan.md");
  writeFileSync(file, markdown);
  return (await cockpit.home.json<{ readonly request: Proposed }>(["plan", "propose", file, "--json"])).request;
}

/** Low risk: a text that would count as more than it does. */
export const promotion = (content = "The office moves in May.", itemId = "item-1"): object => ({
  kind: "memory_promotion",
  item_id: itemId,
  item_digest: sha256Hex(content),
  content,
  from: "external",
  to: "owner",
});

/** Irreversible: three things deleted for good. */
export const deletion = (title = "Newsletter"): object => ({
  kind: "batch_review",
  batch_id: "batch-1",
  goal_id: "goal-1",
  action: "delete",
  params: null,
  items: [1, 2, 3].map((number) => ({
    item_id: `mail-${number}`,
    title: `${title} ${number}`,
    actor: "news@letters.example",
    occurred_at: "2026-11-01T08:00:00.000Z",
    reason: "Not opened in a year",
    confidence: 0.9,
  })),
  reason_summary: "Nobody reads these",
  confidence_min: 0.9,
  created_at: "2026-11-15T08:00:00.000Z",
});

/** High: what Silas may do without asking would grow. */
export const threshold: object = {
  kind: "autonomy_threshold",
  proposal_id: "proposal-1",
  scope_id: "owner",
  goal_id: null,
  changes: [
    { key: "batch_review.default_size", current_value: "10", proposed_value: "25", direction: "widen" },
    { key: "standing.max_executions", current_value: "5", proposed_value: "3", direction: "tighten" },
  ],
  sample_size: 0,
  correction_rate: 0,
  evidence_window: "asked for by hand, no decisions counted",
  rationale: "I would rather decide on more at once.",
  risk_level: "high",
  created_at: "2026-11-15T08:00:00.000Z",
};

/** One value that a gate stopped. */
export const stopped: object = {
  kind: "gate_approval",
  scope_id: "owner",
  gate: "large amounts",
  trigger: "on_tool_call",
  value: 4200,
  context_digest: "ab".repeat(32),
};

export async function proposePayload(cockpit: Cockpit, payload: object): Promise<Proposed> {
  const path = "/api/approvals/propose-payload";
  return (await asTerminal<{ readonly request: Proposed }>(cockpit, path, { payload })).request;
}

/** A signed-in browser whose key the terminal has confirmed. */
export async function openSigner(cockpit: Cockpit, options: OpenOptions = {}): Promise<Opened> {
  const opened = await cockpit.open(options);
  await enrolKey(cockpit, opened.page);
  return opened;
}

export async function enrolKey(cockpit: Cockpit, page: Page): Promise<void> {
  await page.goto(`${cockpit.url()}/settings#signing`, SETTLED);
  await page.getByRole("button", { name: "Let this device sign" }).click();
  const code = (await page.getByTestId("device-code").getAttribute("data-code")) ?? "";
  const ran = await cockpit.home.silas(["keys", "confirm", code]);
  if (ran.code !== 0) throw new Error(`keys confirm ended with ${ran.code}: ${ran.err}`);
  await page.locator("[data-device=enrolled]").waitFor();
}

export async function openReview({ page }: Pick<Opened, "page">, cockpit: Cockpit, id = ""): Promise<Locator> {
  await page.goto(`${cockpit.url()}/review${id === "" ? "" : `/${id}`}`);
  await page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
  return activeCard(page);
}

export const activeCard = (page: Page): Locator => page.locator("article[data-card-type]");

/** What the page asks the server for from now on, by the last word of the address. */
export function listen(context: BrowserContext): readonly { readonly verb: string; readonly body: unknown }[] {
  const asked: { readonly verb: string; readonly body: unknown }[] = [];
  context.on("request", (request) => {
    const verb = /\/api\/approvals\/([a-z-]+)$/.exec(new URL(request.url()).pathname)?.[1];
    if (verb !== undefined) asked.push({ verb, body: request.postDataJSON() as unknown });
  });
  return asked;
}

/** Changes what the server says on its way to the page. */
export async function inTransit<T>(page: Page, verb: string, change: (body: T) => T): Promise<void> {
  await page.route(`**/api/approvals/${verb}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as T) });
  });
}

/** Shows the page anew, with what the server says about a run changed on its way. */
export async function showWork(page: Page, change: (detail: WorkWithUndo) => WorkWithUndo): Promise<void> {
  await page.route("**/api/work/*", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change((await response.json()) as WorkWithUndo) });
  });
  await page.reload();
}
type WorkWithUndo = { readonly undo: UndoBody };

/** Nothing waits any more. What was decided or missed in the same moment is declined by nobody, and waits as little. */
export async function declineAll(cockpit: Cockpit): Promise<void> {
  const waiting = async (): Promise<Inbox["requests"]> =>
    (await asTerminal<Inbox>(cockpit, "/api/approvals/inbox")).requests;
  for (const { request_id, plan_hash: shown_hash } of await waiting()) {
    const json = { request_id, verdict: "declined", shown_hash, friction: ["tap"] };
    await asTerminal(cockpit, "/api/approvals/decide", json).catch(() => undefined);
  }
  if ((await waiting()).length > 0) throw new Error("something still waits");
}
type Inbox = { readonly requests: readonly ShownRequestBody[] };

/** Until nothing runs: a row that comes or goes moves everything below it. */
export async function untilIdle(cockpit: Cockpit): Promise<void> {
  const going = async () => (await asTerminal<WorkListBody>(cockpit, "/api/work")).runs.filter(isGoing);
  await untilNone(async () => (await going()).length);
}
const isGoing = ({ run }: WorkListBody["runs"][number]): boolean => run.ended_at === null;

export const summaryOf = (page: Page): Promise<DecisionsSummaryBody> =>
  page.evaluate(async () => {
    const headers = { authorization: `Bearer ${localStorage.getItem("silas.token")}` };
    return (await (await fetch("/api/approvals/summary", { headers })).json()) as DecisionsSummaryBody;
  });
