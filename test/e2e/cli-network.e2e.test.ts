import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, urlIn, type Home } from "./cli-process.ts";

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
  expect(told).toContain(`from reaching ${new URL(url).host} (host_not_granted)`);
  expect(told).toContain("from reaching nowhere.invalid:80 (name_unknown)");
});

test("[EXEC-08] without a key nobody is asked about a plan that searches", async () => {
  const file = planFile("steps:\n  - { name: look, tool: web_search, args: { query: how high is it } }");
  const refused = await home.silas(["plan", "propose", file]);
  expect(refused.code).not.toBe(0);
  expect(refused.out + refused.err).toContain("line 6, column 19: unknown_tool");
  expect((await home.silas(["plan", "check", file])).out).toContain(
    "api.tavily.com:443 (for web_search, which needs search.api_key)",
  );
});
