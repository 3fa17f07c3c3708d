import { err, ok, oneLine, parseStrictJson, type Result } from "#base";
import {
  credentialName,
  defaultSandboxConfig,
  hostWords,
  parseHostRule,
  sandboxWords,
  secretRefSchema,
  type AuditDraft,
  type ConnectionManifest,
  type ConnectionScript,
  type SecretRef,
} from "#model";
import type { EgressCredential, EgressGrant, KeptConnection, SandboxInput, SandboxSpace } from "#ports";
import { scriptCommand, SKILLS_PLACE } from "#tools";
import { connectionScript } from "#work";
import { tracesOf } from "../credentials/traces.ts";
import type { LoadedSkill } from "../skills/installed.ts";
import { laySkills } from "../skills/trial.ts";
import { draftFor, type ConnectionDeps } from "./deps.ts";

/** A secret of a connection while a script of it runs. */
type Held = {
  readonly name: string;
  readonly ref: SecretRef;
  readonly secret: Uint8Array;
  readonly traces: Uint8Array[];
};

type ScriptOrder = {
  readonly of: Pick<KeptConnection, "record">;
  readonly skill: LoadedSkill;
  readonly manifest: ConnectionManifest;
  readonly script: ConnectionScript;
  /** `none`: neither network nor secrets, for what runs before anybody approved anything. */
  readonly reach: "none" | "approved";
  /** One line on its standard input; a conversation instead is `talk`. */
  readonly input: object;
  readonly env?: Readonly<Record<string, string>>;
  readonly talk?: Talk;
  readonly timeoutMs: number;
};
/** A conversation. A line that shows a secret is never told; it ends the script. */
type Talk = {
  readonly begin: (input: SandboxInput, control: TalkControl) => void;
  readonly onLine: (text: string) => void;
};
export type TalkControl = {
  /** Ends the script wherever it is. */
  stop(): void;
  /** From now on nothing may show this, and requests for its host carry it. */
  hold(name: string): Promise<Uint8Array | null>;
};

/** What came of a script that ended well. */
type ScriptAnswer = {
  readonly stdout: string;
  /** What it hands over for the vault, by name; whoever takes it overwrites it. */
  readonly handed: ReadonlyMap<string, Uint8Array>;
};
export type ScriptFault = {
  readonly code: "absent" | "not_run" | "crashed" | "withheld" | "handed_wrongly";
  /** In words that show no secret. */
  readonly detail: string;
};

/** The host a secret is saved for, as requests for it are compared; null for one that scripts hold themselves. */
export function hostOf({ credentials }: ConnectionManifest, name: string): string | null {
  const host = credentials[name]?.host ?? null;
  const rule = host === null ? null : parseHostRule(host);
  return rule === null ? null : hostWords(rule);
}

export const refOf = ({ record }: Pick<KeptConnection, "record">, name: string): SecretRef =>
  secretRefSchema.parse(`${record.connectionId}.${name}`);

/**
 * Runs one script of a connection, from the bytes that were approved, in a sandbox of its own. INVARIANT: whatever it
 * printed is looked through for every secret it could know before anybody sees it; what shows one is nobody's. [SECRET-14]
 */
export async function runScript(deps: ConnectionDeps, order: ScriptOrder): Promise<Result<ScriptAnswer, ScriptFault>> {
  const path = connectionScript(new Set(order.skill.tree.files.map((file) => file.path)), order.script);
  if (path === null) return fault("absent", `the skill has no script ${order.script}`);
  const held = order.reach === "none" ? [] : await holdAll(deps, order);
  const opened = await openSpace(deps, order);
  if (!opened.ok) return fault("not_run", opened.error);
  try {
    const credentials = held.flatMap((one) => headerFor(deps, { order, one }));
    return await runIn(deps, { order, path, held, credentials, space: opened.value.space });
  } finally {
    await opened.value.close();
    for (const { secret, traces } of held) for (const bytes of [secret, ...traces]) bytes.fill(0);
  }
}

type Running = {
  readonly order: ScriptOrder;
  readonly path: string;
  /** Grows when a secret comes in the midst of a conversation. */
  readonly held: Held[];
  /** Grows with it: what is asked of a host before its secret came carries nothing. */
  readonly credentials: EgressCredential[];
  readonly space: SandboxSpace;
};

async function runIn(deps: ConnectionDeps, running: Running): Promise<Result<ScriptAnswer, ScriptFault>> {
  const { order, path, held, space } = running;
  let back: Uint8Array = new Uint8Array();
  const shows = (bytes: Uint8Array): Held | null =>
    held.find(({ traces }) => traces.some((trace) => Buffer.from(bytes).indexOf(trace) !== -1)) ?? null;
  const stop = (): void => void space.close();
  const hold = async (name: string): Promise<Uint8Array | null> => {
    const found = await holdOne(deps, { of: order.of, name });
    if (found === null) return null;
    held.push(found);
    running.credentials.push(...headerFor(deps, { order, one: found }));
    return found.secret;
  };
  let shown: Held | null = null;
  const onLine = (text: string): void => {
    if (shown !== null) return;
    shown = shows(Buffer.from(text));
    if (shown === null) order.talk?.onLine(text);
    else stop();
  };
  const { talk } = order;
  const ran = await space.run({
    argv: scriptCommand({ skill: order.skill.name, file: path }),
    env: { ...order.env, ...Object.fromEntries(order.skill.manifest.env.map((name) => [name, ""])) },
    timeoutMs: order.timeoutMs,
    pipes: await pipesFor(deps, running),
    handsBack: { name: "SILAS_CREDENTIALS_FD", take: (bytes) => void (back = bytes) },
    ...(order.reach === "none" ? {} : { network: grantFor(deps, running) }),
    ...(talk === undefined
      ? { stdin: Buffer.from(`${JSON.stringify(order.input)}\n`) }
      : {
          onLine: ({ stream, text }) => (stream === "stdout" ? onLine(text) : undefined),
          onInput: (input) => {
            input.say(`${JSON.stringify(order.input)}\n`);
            talk.begin(input, { stop, hold });
          },
        }),
  });
  const handed = readHanded(back, order.manifest);
  for (const [name, secret] of handed ?? [])
    held.push({ name, ref: refOf(order.of, name), secret: Buffer.from(secret), traces: [...tracesOf(secret)] });
  if (!ran.ok)
    return shown === null ? fault("not_run", sandboxWords(ran.error).what) : withheld(deps, { order, shown });
  const { end, stdout, stderr } = ran.value;
  shown ??= shows(stdout.bytes) ?? shows(stderr.bytes);
  if (shown !== null) return withheld(deps, { order, shown });
  if (end.kind !== "exit" || end.code !== 0) {
    return fault(
      "crashed",
      `the script ${order.script} ended with ${end.kind === "exit" ? `code ${end.code}` : end.kind}`,
    );
  }
  if (handed === null)
    return fault("handed_wrongly", `the script ${order.script} handed over what its skill does not name`);
  return ok({ stdout: Buffer.from(stdout.bytes).toString("utf8"), handed });
}

const fault = (code: ScriptFault["code"], detail: string) =>
  err({ code, detail: oneLine(detail).slice(0, 300) } as const);

type Shown = { readonly order: ScriptOrder; readonly shown: Held };

async function withheld(deps: ConnectionDeps, { order, shown }: Shown): Promise<Result<never, ScriptFault>> {
  const { of, script } = order;
  await tell(deps, draftFor(deps, { of, event: "connection_output_withheld", data: { script, ref_id: shown.ref } }));
  return fault(
    "withheld",
    `the script ${script} showed a secret of its connection, so nothing of what it said was kept`,
  );
}

async function openSpace(
  { sandboxes, config }: ConnectionDeps,
  { skill, timeoutMs }: ScriptOrder,
): Promise<Result<{ readonly space: SandboxSpace; readonly close: () => Promise<void> }, string>> {
  const { defaultMemoryMb: memoryMb, defaultCpuSeconds: cpuSeconds } = config.sandbox;
  const usual = defaultSandboxConfig({ memoryMb, cpuSeconds });
  const laid = await laySkills(sandboxes, { usual, skills: [skill] });
  if (!laid.ok) return laid;
  const readPaths = [{ path: laid.value.workspace, as: SKILLS_PLACE }];
  const opened = await sandboxes.open({ ...usual, readPaths, limits: { ...usual.limits, timeoutMs } });
  if (!opened.ok) {
    await laid.value.close();
    return err(sandboxWords(opened.error).what);
  }
  const space = opened.value;
  const close = async (): Promise<void> => {
    await space.close();
    await laid.value.close();
  };
  return ok({ space, close });
}

/** Everything of it that the vault has. What is not there the script does without. */
async function holdAll(deps: ConnectionDeps, { of, manifest }: ScriptOrder): Promise<Held[]> {
  const found: Held[] = [];
  for (const name of Object.keys(manifest.credentials)) {
    const one = await holdOne(deps, { of, name });
    if (one !== null) found.push(one);
  }
  return found;
}

type Naming = { readonly of: ScriptOrder["of"]; readonly name: string };

async function holdOne({ vault }: ConnectionDeps, { of, name }: Naming): Promise<Held | null> {
  const ref = refOf(of, name);
  const got = await vault.get(ref);
  return got.ok ? { name, ref, secret: got.value, traces: [...tracesOf(got.value)] } : null;
}

/** What a script must hold itself, through a pipe each. */
async function pipesFor(deps: ConnectionDeps, { order, held }: Running): Promise<Record<string, Uint8Array>> {
  const pipes: Record<string, Uint8Array> = {};
  for (const { name, ref, secret } of held) {
    if (order.manifest.credentials[name]?.host !== null) continue;
    if (await used(deps, { order, ref, host: null })) pipes[`SILAS_SECRET_${name.toUpperCase()}_FD`] = secret;
  }
  return pipes;
}

type Use = { readonly order: ScriptOrder; readonly ref: SecretRef; readonly host: string | null };

const used = (deps: ConnectionDeps, { order: { of, script }, ref, host }: Use): Promise<boolean> =>
  tell(deps, draftFor(deps, { of, event: "connection_secret_used", data: { script, ref_id: ref, host } }));

async function tell({ audit, log }: ConnectionDeps, draft: AuditDraft): Promise<boolean> {
  const kept = await audit.append(draft);
  if (!kept.ok) log.error("connection_unrecorded", { event: draft.event, ...kept.error });
  return kept.ok;
}

/** How a secret goes to the one host it was saved for; none for one that a script holds itself. */
function headerFor(
  deps: ConnectionDeps,
  { order, one }: { readonly order: ScriptOrder; readonly one: Held },
): readonly EgressCredential[] {
  // Renewing is done with what scripts hold: a service may answer with the very token that would be added.
  if (order.script === "refresh_token") return [];
  const { host, header } = order.manifest.credentials[one.name] ?? { host: null, header: "" };
  const rule = host === null ? null : parseHostRule(host);
  if (rule === null) return [];
  // Its use is in the chain before it leaves, once for the script: one that asks again and again is no news each time.
  let recorded: Promise<boolean> | null = null;
  const reveal = async (): Promise<string | null> => {
    recorded ??= used(deps, { order, ref: one.ref, host: hostWords(rule) });
    if (!(await recorded)) return null;
    const text = Buffer.from(one.secret).toString("utf8");
    return header === "authorization" ? `Bearer ${text}` : text;
  };
  return [{ host: rule, header, reveal, traces: one.traces }];
}

/** The hosts that were approved, and the secrets that go to one of them and to nobody else. */
function grantFor(deps: ConnectionDeps, { order, credentials }: Running): EgressGrant {
  const { of, script, manifest } = order;
  return {
    hosts: manifest.hosts.map(parseHostRule).filter((rule) => rule !== null),
    credentials,
    onUse: async (use) => {
      if (use.kind === "ended") return true;
      if (use.kind === "opened") {
        return tell(deps, draftFor(deps, { of, event: "connection_reached", data: { script, host: hostWords(use) } }));
      }
      const host = use.target === null ? null : hostWords(use.target);
      return tell(
        deps,
        draftFor(deps, { of, event: "connection_kept_from", data: { script, host, reason: use.reason } }),
      );
    },
  };
}

/** Lines of `{"name","value"}`; null when one of them is anything else, or names what the skill does not. */
function readHanded(bytes: Uint8Array, { credentials }: ConnectionManifest): ReadonlyMap<string, Uint8Array> | null {
  const handed = new Map<string, Uint8Array>();
  for (const line of Buffer.from(bytes).toString("utf8").split("\n")) {
    if (line.trim() === "") continue;
    const read = parseStrictJson(line);
    const said = read.ok && typeof read.value === "object" && read.value !== null ? read.value : {};
    const { name, value } = said as { readonly name?: unknown; readonly value?: unknown };
    const isNamed = credentialName.safeParse(name).success && Object.hasOwn(credentials, String(name));
    if (!isNamed || typeof value !== "string" || Buffer.byteLength(value) < SECRET_BYTES_LEAST) return null;
    handed.set(String(name), Buffer.from(value));
  }
  return handed;
}

/** Shorter ones are found in every text. */
const SECRET_BYTES_LEAST = 8;
