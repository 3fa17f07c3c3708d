import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import { activitySentence, type SecretRef, type WorkDetail } from "#model";
import type { EgressGateway, SandboxCommand, Vault } from "#ports";
import { isProven, verifyReceipt } from "#policy";
import { createSecretsDoor, receiptTools } from "#runtime";
import { createMemoryVault } from "#stores";
import { BY } from "./approval-world.ts";
import { inWorld } from "./disk-run.ts";
import { internet } from "./internet.fixture.ts";
import { closeWork, grantPlan, openWork, playSandboxes, realSandboxes } from "./work-world.ts";

const CANARY = "cnry/Wobble+7f3a?91";
const PIPED = "piped-canary-4410";

type Asked = { readonly to: string; readonly header: string | null };
/** `/echo` says back what it was told. */
async function echoing() {
  const asked: Asked[] = [];
  const told = ({ headers }: IncomingMessage): string | null => headers.authorization ?? String(headers["x-key"] ?? "");
  const { gateway, secured } = await internet("no search", (request, response) => {
    asked.push({ to: `${request.headers.host}${request.url}`, header: told(request) || null });
    if (request.url === "/echo") response.end(`you said ${told(request)}`);
    else if (request.url === "/head") response.writeHead(200, { "x-back": told(request) ?? "" }).end("ok");
    else response.end("up\n");
  });
  return { gateway, secured, asked };
}

type Saved = { readonly ref: string; readonly value: string; readonly host: string | null };
const API: Saved = { ref: "api.token", value: CANARY, host: "api.example.org:443" };
const KEY: Saved = { ref: "sign.key", value: PIPED, host: null };

type Ran = {
  readonly detail: WorkDetail;
  readonly receipt: string;
  readonly sentences: readonly string[];
  /** Every byte that the data directory holds afterwards, its databases and their logs among them. */
  readonly left: Buffer;
};

async function runPlan(
  text: string,
  { gateway, saved }: { readonly gateway: EgressGateway; readonly saved: readonly Saved[] },
): Promise<Ran> {
  let ran: Ran | null = null;
  await inWorld(5, async (world) => {
    const dataDir = join(world.root, "data");
    const sandboxes = realSandboxes(world, gateway);
    const vault = createMemoryVault();
    const working = await openWork(world, { dataDir, vault, sandboxes });
    const { stores } = working.trust;
    await save({ vault, inputs: stores.secureInputs, clock: world.clock }, saved);
    const runId = await grantPlan(working, text);
    await working.work.runGranted(runId);
    const shown = await working.work.show(runId);
    if (!shown.ok) throw new Error(JSON.stringify(shown));
    const entries = await stores.audit.entries({ beforeSeq: null, from: null, to: null, limit: 100 });
    const sentences = entries.ok ? entries.value.toReversed().map((entry) => activitySentence(entry)) : [];
    const left = Buffer.concat(filesIn(world.root).map((file) => readFileSync(file)));
    const receipt = await working.trust.approvals.receipt(shown.value.requestId);
    if (!receipt.ok) throw new Error(receipt.error.code);
    expect(isProven(verifyReceipt(receipt.value, receiptTools))).toBe(true);
    ran = { detail: shown.value, receipt: receipt.value, sentences, left };
    await closeWork(working);
  });
  if (ran === null) throw new Error("nothing ran");
  return ran;
}

type Door = Omit<Parameters<typeof createSecretsDoor>[0], "onChanged"> & { readonly vault: Vault };

async function save(door: Door, saved: readonly Saved[]): Promise<void> {
  const secrets = createSecretsDoor({ ...door, onChanged: () => {} });
  for (const { ref, value, host } of saved) {
    const refId = ref as SecretRef;
    const guidance = { instructions: "", helpUrl: null };
    await secrets.ask({ refId, label: ref, inputHint: null, guidance, host }, BY);
    const stored = await secrets.store({ refId, secret: Buffer.from(value), actor: BY });
    if (!stored.ok) throw new Error(JSON.stringify(stored));
  }
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

const FETCH = (url: string): string =>
  `{ script: "console.log(await fetch('${url}').then((r) => r.text(), (e) => 'none'));" }`;
const task = (lines: string): string =>
  `---\nid: task-1\ntype: task\ntitle: Use it\nbudget: { max_attempts: 1 }\n${lines.trim()}\n---\n\n# What to do\n\nUse it.\n`;
const HEADER = "credentials: { API: { ref: api.token, host: api.example.org } }";
const PIPE = "credentials: { KEY: { ref: sign.key, as: pipe } }";

/** Everything a value could be recognised by. */
const shapes = (value: string): readonly string[] => {
  const bytes = Buffer.from(value);
  const inside = ["", "a", "ab"].map((before) => Buffer.from(`${before}${value}zz`).toString("base64").slice(4, -4));
  const digest = createHash("sha256").update(bytes).digest("hex");
  return [
    value,
    bytes.toString("hex"),
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
    digest,
    ...inside,
  ];
};

function expectNoTrace({ detail, receipt, sentences, left }: Ran): void {
  const said = JSON.stringify([detail, sentences]) + receipt;
  for (const value of [CANARY, PIPED]) {
    for (const shape of shapes(value)) {
      expect(said).not.toContain(shape);
      expect(left.includes(shape), shape).toBe(false);
    }
  }
}

test("[SECRET-04] the gateway adds a secret to requests for its host, over TLS, and no program or file ever holds it", async () => {
  const { gateway, asked, secured } = await echoing();
  const text = task(`
hosts: [api.example.org, "other.example.org:80"]
steps:
  - { name: use, tool: node_exec, network: true, args: ${FETCH("http://api.example.org/me")}, ${HEADER} }
  - { name: other, tool: node_exec, network: true, args: ${FETCH("http://other.example.org/")}, ${HEADER} }
  - { name: without, tool: node_exec, network: true, args: ${FETCH("http://api.example.org/me")} }
  - { name: look, run: "sh -c 'env; cat /proc/self/cmdline /proc/self/environ'", ${PIPE} }`);
  const ran = await runPlan(text, { gateway, saved: [API, KEY] });
  expect(ran.detail.run).toMatchObject({ status: "done" });
  expect(asked).toEqual([
    { to: "api.example.org/me", header: `Bearer ${CANARY}` },
    { to: "other.example.org/", header: null },
  ]);
  expect(secured).toEqual(["api.example.org"]);
  expect(ran.detail.ledger.map(({ returnValue }) => returnValue).slice(0, 3)).toEqual(["up\n\n", "up\n\n", "none\n"]);
  // Where it was is in the receipt, which holds offline, and not with what.
  const { network } = ran.detail;
  expect(network).toMatchObject([
    { host: "api.example.org:443", requests: 1, bytesReceived: expect.any(Number) },
    { host: "other.example.org:80", requests: 1 },
  ]);
  expect(network.every(({ bytesSent, bytesReceived }) => bytesSent > 20 && bytesReceived > 20)).toBe(true);
  expect(ran.receipt).toContain(`api.example.org:443\\",\\"requests`);
  expect(ran.sentences).toContain("Used the secret api.token at api.example.org:443 for step 1 of task-1");
  expect(ran.sentences).toContain("Gave the secret sign.key to step 4 of task-1");
  expectNoTrace(ran);
});

test("a host that says it back, and a program that prints it, leave no trace of it and fail the step", async () => {
  const { gateway } = await echoing();
  for (const path of ["/echo", "/head"]) {
    const steps = `steps:\n  - { name: use, tool: node_exec, network: true, args: ${FETCH(`http://api.example.org${path}`)}, ${HEADER} }`;
    const ran = await runPlan(task(`hosts: [api.example.org]\n${steps}`), { gateway, saved: [API] });
    expectNoTrace(ran);
    expect(ran.sentences.join("\n")).toContain("or its answer held a secret");
  }
});

/** Shows the secret in another way with each attempt, and in the last one in none. */
const LEAKS = [
  "console.log(key)",
  "console.error('x'.repeat(3000) + key)",
  "console.log(Buffer.from('user:' + key).toString('base64'))",
  "console.log(Buffer.from(key).toString('hex').toUpperCase())",
  "console.log(encodeURIComponent(key))",
  "console.log(createHash('sha256').update(key).digest('hex'))",
  "writeFileSync('left.bin', Buffer.concat([Buffer.alloc(262140), Buffer.from(key)]))",
  "writeFileSync('for-next.txt', key)",
  "writeFileSync('for-check.txt', key)",
  "process.stdout.write('x'.repeat(99_995) + key)",
  "writeFileSync('ready', '')",
];

test("[SECRET-04] whatever shows a secret fails its step or check, and nothing of it is kept anywhere", async () => {
  const { gateway } = await echoing();
  const script = [
    "import { createHash } from 'node:crypto'; import { readFileSync, writeFileSync } from 'node:fs';",
    "const key = readFileSync(Number(process.env.SILAS_SECRET_KEY_FD), 'utf8'); writeFileSync('left.bin', '');",
    `[${LEAKS.map((leak) => `() => ${leak}`).join(", ")}][process.env.SILAS_ATTEMPT - 1]();`,
  ];
  const text = task(`
steps:
  - name: use
    tool: node_exec
    artifacts: { left: left.bin }
    ${PIPE}
    args:
      script: |-
        ${script.join("\n        ")}
  - { name: next, run: "sh -c 'cat for-next.txt 2>/dev/null; true'" }
verify:
  - { name: shows nothing, run: "sh -c 'cat for-check.txt; ls ready'", expect: { contains: ready } }
`).replace("max_attempts: 1", `max_attempts: ${LEAKS.length}`);
  const ran = await runPlan(text, { gateway, saved: [KEY] });
  const withheld = "what it printed or left showed the secret sign.key, and was withheld";
  const errors = ran.detail.ledger.map(({ attempt, stepName, error }) => `${attempt} ${stepName} ${error}`);
  expect(errors).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7].map((attempt) => `${attempt} use ${withheld}`),
    "8 use null",
    `8 next ${withheld}`,
    "9 use null",
    "9 next null",
    // Its end was cut off with what was printed, and what was before it went too.
    "10 use null",
    "10 next null",
    "11 use null",
    "11 next null",
  ]);
  expect(ran.detail.run).toMatchObject({ status: "done", isVerified: true });
  expect(ran.sentences.filter((one) => one.startsWith("Kept nothing of what")).length).toBe(9);
  expectNoTrace(ran);
});

test.each([
  [
    "was never stored",
    [],
    "the secret sign.key is not in the vault, or a new one is waited for: `silas secrets set sign.key`",
  ],
  ["was saved for a host", [{ ...KEY, host: "api.example.org:443" }], "no program gets to hold it: use `as: header`"],
  ["is too short to be found again", [{ ...KEY, value: "short" }], "fewer than 8 bytes"],
])("a step whose secret %s is refused before anything is opened", async (_what, saved, words) => {
  const { gateway } = await echoing();
  const ran = await runPlan(task(`steps:\n  - { name: a, run: "true", ${PIPE} }`), { gateway, saved });
  expect(ran.detail.run).toMatchObject({ status: "blocked", attempts: 1 });
  expect(ran.detail.run.lastError).toContain(words);
  expect(ran.detail.ledger).toEqual([]);
});

test.each([
  ["for no host", [{ ...API, host: null }], "was saved for no host, and the plan uses it for api.example.org:443"],
  ["for another host", [{ ...API, host: "evil.example:443" }], "was saved for evil.example:443"],
  ["with a line break", [{ ...API, value: "twelve chars\r\nx: y" }], "holds characters that no header may have"],
])("a secret that was saved %s is added to nothing", async (_what, saved, words) => {
  const { gateway, asked } = await echoing();
  const step = `{ name: a, tool: node_exec, network: true, args: ${FETCH("http://api.example.org/")}, ${HEADER} }`;
  const ran = await runPlan(task(`hosts: [api.example.org]\nsteps:\n  - ${step}`), { gateway, saved });
  expect(ran.detail.run).toMatchObject({ status: "blocked" });
  expect(ran.detail.run.lastError).toContain(words);
  expect(asked).toEqual([]);
});

test("a draft that shows a secret is shown to nobody: nothing is asked, and nothing of it is kept", async () => {
  const { gateway } = await echoing();
  const copy =
    "import { readFileSync, writeFileSync } from 'node:fs'; writeFileSync('letter.txt', 'Dear ' + readFileSync(Number(process.env.SILAS_SECRET_KEY_FD), 'utf8'));";
  const text = task(`
steps:
  - { name: write, tool: node_exec, args: { script: ${JSON.stringify(copy)} }, ${PIPE} }
  - { name: look, tool: review_draft, args: { path: letter.txt, about: The letter } }`);
  const ran = await runPlan(text, { gateway, saved: [KEY] });
  expect(ran.detail.run).toMatchObject({
    status: "stuck",
    lastError: expect.stringMatching(/^Step look asks nothing: /),
  });
  expectNoTrace(ran);
});

test("[EXEC-03] what starts a program holds a secret in nothing but the pipe it is read from", async () => {
  await inWorld(7, async (world) => {
    const dataDir = join(world.root, "data");
    const vault = createMemoryVault();
    const commands: SandboxCommand[] = [];
    const piped: string[] = [];
    const sandboxes = playSandboxes(join(world.root, "spaces"), (command) => {
      commands.push(command);
      for (const bytes of Object.values(command.pipes ?? {})) piped.push(Buffer.from(bytes).toString());
      return 0;
    });
    const working = await openWork(world, { dataDir, vault, sandboxes });
    const { stores } = working.trust;
    await save({ vault, inputs: stores.secureInputs, clock: world.clock }, [API, KEY]);
    const steps = `steps:\n  - { name: a, run: "true", ${PIPE} }\n  - { name: b, run: "true", network: true, ${HEADER} }`;
    await working.work.runGranted(await grantPlan(working, task(`hosts: [api.example.org]\n${steps}`)));
    expect(piped).toEqual([PIPED]);
    expect(commands).toHaveLength(2);
    for (const { pipes, network, ...started } of commands) {
      // Each is given its own way and no other.
      expect(Object.keys(pipes ?? {}).length + (network?.credentials?.length ?? 0)).toBe(1);
      for (const value of [CANARY, PIPED]) expect(JSON.stringify(started)).not.toContain(value);
    }
    await closeWork(working);
  });
});
