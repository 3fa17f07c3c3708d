import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, urlIn, type Home } from "./cli-process.ts";
import { filesIn } from "./file-tree.ts";
import { sitAt } from "./typing-person.ts";

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterAll(() => home.remove());

const planFile = (lines: string): string => {
  const file = join(home.dir, "plan.md");
  writeFileSync(
    file,
    `---\nid: task-net\ntype: task\ntitle: Go out\n${lines.trim()}\n---\n\n# What to do\n\nGo out.\n`,
  );
  return file;
};

type Shown = Detail & {
  readonly run: { readonly status: string; readonly last_error: string };
  readonly screen: string;
};
type Request = { readonly request_id: string; readonly plan_hash: string };
type Listed = { readonly request_id: string; readonly run: { readonly run_id: string } };
type Detail = { readonly ledger: readonly { readonly return_value: string }[] };

test("[SBX-09] a plan with hosts runs with a way out that leads to none of this machine's servers, Silas among them", async () => {
  const url = urlIn((await home.start()).output());
  const script = [
    "const at = (to) => fetch(to).then((r) => 'REACHED ' + r.status, () => 'none');",
    `console.log(await at('${new URL(url).origin}/health'), await at('http://nowhere.invalid/'));`,
  ].join(" ");
  const file = planFile(
    `hosts: ["nowhere.invalid:80"]\nbudget: { max_attempts: 1 }\nsteps:\n  - name: go\n    tool: node_exec\n    network: true\n    args: { script: "${script}" }`,
  );
  const shown = (await home.silas(["plan", "check", file])).out;
  expect(shown).toContain("nowhere.invalid:80");
  const { request } = await home.json<{ readonly request: { readonly plan_hash: string } }>([
    "plan",
    "propose",
    file,
    "--json",
  ]);
  const ran = await home.silas(["run", file, "--hash", request.plan_hash, "--json"]);
  expect((JSON.parse(ran.out) as Detail).ledger.map(({ return_value: printed }) => printed)).toEqual(["none none\n"]);
  const told = (await home.silas(["activity"])).out;
  expect(told).toContain(`from reaching ${new URL(url).host} (it is not among the hosts of the approved plan)`);
  expect(told).toContain("from reaching nowhere.invalid:80 (nobody knows the name)");
});

test("[EXEC-08] [CFG-27] without a key nobody is asked about a plan that searches", async () => {
  const file = planFile("steps:\n  - { name: look, tool: web_search, args: { query: how high is it } }");
  for (const verb of ["check", "propose"]) {
    const refused = await home.silas(["plan", verb, file]);
    expect(refused.code).toBe(1);
    expect(refused.out + refused.err).toContain(
      ":6:19 steps.0.tool: web_search is not set up here; it needs search.provider and search.api_key",
    );
  }
});

test("[SECRET-04] a secret is set, named by a plan and used, and what would show it is kept nowhere", async () => {
  const canary = "canary-of-the-command-line";
  const tries = "if [ $SILAS_ATTEMPT = 1 ]; then base64; else wc -c; fi <&$SILAS_SECRET_KEY_FD";
  const file = planFile(`
hosts: [api.example.org]
budget: { max_attempts: 2 }
steps:
  - { name: use, run: "sh -c '${tries}'", credentials: { KEY: { ref: sign.key, as: pipe } } }
  - { name: call, run: "true", network: true, credentials: { API: { ref: api.key, host: api.example.org } } }`);
  const run = async (): Promise<Shown> => {
    const { request } = await home.json<{ readonly request: Request }>(["plan", "propose", file, "--json"]);
    const turns = [
      { when: /Approve this plan/, type: "y" },
      { when: /first 8 characters/, type: `${request.plan_hash.slice(0, 8)}\r` },
    ];
    const { screen } = await sitAt(home, { args: ["run", file], turns });
    const { runs } = await home.json<{ readonly runs: readonly Listed[] }>(["work", "list", "--json"]);
    const id = runs.find((one) => one.request_id === request.request_id)?.run.run_id ?? "";
    return { ...(await home.json<Shown>(["work", "show", id, "--json"])), screen };
  };
  expect((await home.silas(["plan", "check", file])).out).toContain(
    "api.key (API of step call, added by the gateway to requests for api.example.org, as authorization)",
  );
  const missing = await run();
  expect(missing.run).toMatchObject({ status: "blocked" });
  expect(missing.run.last_error).toContain("`silas secrets set sign.key`");
  // Both were asked for with the plan, the one for its host.
  expect((await home.silas(["secrets", "list"])).out).toMatch(/api\.key +api\.key +api\.example\.org:443 +asked for/);
  for (const name of ["sign.key", "api.key"]) {
    expect(await home.silas(["secrets", "set", name, "--stdin"], { input: canary })).toMatchObject({ code: 0 });
  }
  const used = await run();
  expect(used.run).toMatchObject({ status: "done" });
  expect(used.ledger).toMatchObject([
    { success: false, return_value: "", error: expect.stringContaining("showed the secret sign.key") },
    { success: true, return_value: `${canary.length}\n` },
    { success: true },
  ]);
  const told = (await home.silas(["activity"])).out;
  expect(told).toContain("Gave the secret sign.key to step 1 of");
  const files = filesIn(home.dir);
  for (const trace of [canary, Buffer.from(canary).toString("base64").slice(0, 30)]) {
    expect(files.some(({ bytes }) => bytes.includes(trace))).toBe(false);
    expect(told + JSON.stringify(used)).not.toContain(trace);
  }
});
