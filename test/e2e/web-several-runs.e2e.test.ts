/** Approvals that may be used several times, signed in the page for every form a plan has. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { mediumPlan, planFile, stepFile } from "../plan-texts.ts";
import { startCockpit, type Cockpit, type Opened } from "./browser.ts";
import { activeCard, openReview, openSigner, type Proposed } from "./review-desk.ts";

let cockpit: Cockpit;
let opened: Opened;
let page: Page;
beforeAll(async () => {
  cockpit = await startCockpit({ SILAS_APPROVAL__MAX_EXECUTIONS: "3", SILAS_APPROVAL__DEFAULT_TTL_MINUTES: "20" });
  opened = await openSigner(cockpit);
  page = opened.page;
});
afterAll(() => cockpit.close());

function file(name: string, text: string): string {
  const path = join(cockpit.home.dir, name);
  writeFileSync(path, text);
  return path;
}

const propose = async (...args: readonly string[]): Promise<Proposed> =>
  (await cockpit.home.json<{ readonly request: Proposed }>(["plan", "propose", ...args, "--json"])).request;

type Receipt = {
  readonly token: Signed;
  readonly also?: readonly { readonly token: Signed }[];
};
type Signed = {
  readonly scope: string;
  readonly max_executions: number;
  readonly issued_at: string;
  readonly expires_at: string;
};

/** The scope, the number of runs and the minutes of every token that was signed. */
async function signedFor({ request_id: id }: Proposed): Promise<readonly unknown[]> {
  const { out } = await cockpit.home.silas(["approvals", "export", id]);
  const { token, also = [] } = JSON.parse(out) as Receipt;
  return [token, ...also.map((one) => one.token)].map(({ scope, max_executions: runs, issued_at, expires_at }) => [
    scope,
    runs,
    (Date.parse(expires_at) - Date.parse(issued_at)) / 60_000,
  ]);
}

/** The words of the card about the approval itself. */
async function terms(): Promise<string | null> {
  const details = activeCard(page).getByTestId("details");
  if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
  return details.getByTestId("terms").textContent();
}

/** Signed, or the reason why not. */
async function approved(): Promise<void> {
  const refusal = activeCard(page).getByRole("alert");
  await page.getByTestId("nothing").or(refusal).first().waitFor();
  expect(await refusal.allTextContents()).toEqual([]);
}
const THRICE = /Can be used 3 times, within 20 minutes of signing/;

test("[KEY-06] a task is signed for the number of runs and the time that its card names", async () => {
  const request = await propose(file("task.md", mediumPlan()));
  const { out } = await cockpit.home.silas(["approvals", "show", request.request_id]);
  expect(out).toContain("approval    can be used 3 times, within 20 minutes of signing");
  await openReview(opened, cockpit, request.request_id);
  await expect.poll(terms).toMatch(THRICE);
  await activeCard(page).getByRole("button", { name: "Approve for 3 runs" }).click();
  await activeCard(page).getByTestId("confirm").click();
  await approved();
  expect(await signedFor(request)).toEqual([["full_plan", 3, 20]]);
});

test("[KEY-06] a project is signed in the page where an approval allows several runs", async () => {
  const task = (id: string) =>
    file(`${id}.md`, stepFile("").replace("id: task-1", `id: ${id}`).replace("A task", `Task ${id}`));
  const project = file(
    "project.md",
    planFile("id: project-1\ntype: project\ntitle: Both tasks\ntasks: [task-a, task-b]"),
  );
  const request = await propose(project, task("task-a"), task("task-b"));
  await openReview(opened, cockpit, request.request_id);
  await expect.poll(terms).toMatch(THRICE);
  await activeCard(page)
    .getByRole("button", { name: /^Approve/ })
    .click();
  await activeCard(page).getByTestId("confirm").click();
  await approved();
  expect(await signedFor(request)).toEqual([
    ["full_plan", 3, 20],
    ["full_plan", 1, 20],
    ["full_plan", 1, 20],
  ]);
});

test("[KEY-06] a goal with a standing approval is signed in the page where an approval allows several runs", async () => {
  const goal = file(
    "goal.md",
    planFile(
      'id: goal-1\ntype: goal\ntitle: It stays there\nschedule: "0 3 1 1 *"\non_failure: spawn_task\nsteps:\n  - { name: look, run: "true" }\nverify:\n  - { name: there, run: "true", expect: { exit_code: 0 } }',
    ),
  );
  const request = await propose(goal, "--repairs", "5", "--until", "2090-12-31");
  await openReview(opened, cockpit, request.request_id);
  await expect.poll(terms).toMatch(THRICE);
  await activeCard(page)
    .getByRole("button", { name: /^Approve, with up to 5 repairs/ })
    .click();
  await activeCard(page).getByRole("slider").press("End");
  await activeCard(page).getByRole("slider").press("Enter");
  await approved();
  expect(await signedFor(request)).toMatchObject([
    ["full_plan", 3, 20],
    ["standing", 5, expect.any(Number)],
  ]);
});
