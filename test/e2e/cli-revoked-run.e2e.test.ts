import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";
import { holdProgram } from "./held-program.ts";

type Detail = {
  readonly run: { readonly status: string; readonly last_error: string | null };
  readonly ledger: readonly { readonly step_name: string; readonly state: string }[];
};
type Keys = { readonly keys: readonly { readonly key_id: string; readonly revoked_at: string | null }[] };

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterAll(() => home.remove());

test("[WORK-13] revoking the key ends a run before its next step, and work, activity and receipt say why", async () => {
  await home.start();
  const { command, place, hasBegun, letGo } = holdProgram();
  const file = join(home.dir, "two.md");
  const head = "id: task-two\ntype: task\ntitle: Two steps\nbudget: { max_attempts: 1, max_wall_time_seconds: 600 }";
  const steps = `steps:\n  - { name: first, run: '${command}' }\n  - { name: second, run: echo two }`;
  writeFileSync(file, `---\n${head}\nfiles: { read: [${place}] }\n${steps}\n---\n\n# What to do\n\nDo both.\n`);
  const { request } = await home.json<{
    readonly request: { readonly request_id: string; readonly plan_hash: string };
  }>(["plan", "propose", file, "--json"]);
  const id = request.request_id;
  expect(await home.silas(["approve", id, "--hash", request.plan_hash])).toMatchObject({ code: 0 });
  await expect.poll(() => hasBegun(home), { interval: 500 }).toBe(true);
  const { keys } = await home.json<Keys>(["keys", "list", "--json"]);
  const key = keys.find(({ revoked_at }) => revoked_at === null);
  expect(await home.silas(["keys", "revoke", key?.key_id ?? "", "--yes", "--last-key"])).toMatchObject({ code: 0 });
  letGo();
  const shown = (): Promise<Detail> => home.json<Detail>(["work", "show", id, "--json"]);
  await expect.poll(async () => (await shown()).run.status, { interval: 500 }).toBe("blocked");
  const { run, ledger } = await shown();
  expect(run.last_error).toBe("Stopped, because its approval no longer holds: its key was revoked");
  // The step that ran when it was revoked is kept to its end; the other one never began.
  expect(ledger).toMatchObject([{ step_name: "first", state: "ended" }]);
  expect((await home.silas(["work", "show", id])).out).toContain("its key was revoked");
  expect((await home.silas(["activity"])).out).toContain("its key was revoked");
  const receipt = join(home.dir, "receipt.json");
  await home.silas(["approvals", "export", id, receipt]);
  expect(readFileSync(receipt, "utf8")).toContain("its approval no longer holds: its key was revoked");
});
