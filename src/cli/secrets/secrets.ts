import { Option } from "commander";
import { oneLine } from "#base";
import {
  hostWords,
  listedSecretToWire,
  parseHostRule,
  secureInputToWire,
  wantedSecretFromWire,
  wantedSecretSchema,
  type ListedSecret,
  type SecureInputRequest,
  type WantedSecret,
} from "#model";
import { askFirst } from "../terminal/ask.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { showMoment } from "../terminal/local-time.ts";
import { printTable } from "../terminal/table.ts";
import { orFail, refOf, withSecrets } from "./open-secrets.ts";
import { readSecret, type SetOptions } from "./read-secret.ts";

type Json = { readonly json?: boolean };

const TERMINAL = { kind: "terminal" } as const;

const HOST_HELP = "the one host it is for; steps use it there by way of the gateway, and never see it";

export const define: Define = (secrets, act) => {
  const json = ["--json", "print JSON"] as const;
  secrets
    .command("list")
    .description("List secrets by name, and those that are asked for. No secret is ever shown.")
    .option(...json)
    .action(act(listSecrets));
  secrets
    .command("set <name>")
    .description("Put a secret into the vault. It is typed without being shown, or read from standard input.")
    .option("--stdin", "read one line from standard input")
    .option("--host <host>", HOST_HELP)
    // Taken so that it can be refused without being repeated in a message.
    .addOption(new Option("--value <value>").hideHelp())
    .option(...json)
    .allowExcessArguments(true)
    .action(act(setSecret));
  secrets
    .command("ask <name>")
    .description("Ask for a secret, to be typed into the page or with `silas secrets set`.")
    .requiredOption("--label <text>", "what it is, for the person who has it")
    .option("--hint <text>", "what it looks like; never checked")
    .option("--instructions <text>", "where to find it")
    .option("--help-url <url>", "a page that explains it, https only")
    .option("--host <host>", HOST_HELP)
    .option(...json)
    .action(act(askForSecret));
  secrets
    .command("remove <name>")
    .description("Remove a secret from the vault, or take back the request for it.")
    .option("--yes", "do not ask")
    .option(...json)
    .action(act(removeSecret));
};

const listSecrets: Handler<Json> = (call) =>
  withSecrets(call, async ({ secrets }) => {
    const { terminal, options } = call;
    const all = orFail(await secrets.list());
    if (options.json) return terminal.json({ secrets: all.map(listedSecretToWire) });
    if (all.length === 0) return terminal.note("No secrets yet. `silas secrets set NAME` stores one.");
    const columns = [
      { header: "NAME" },
      { header: "LABEL", flexible: true },
      { header: "FOR HOST", spare: 2 },
      { header: "STATE" },
      { header: "ASKED UNTIL", spare: 1 },
    ] as const;
    printTable(terminal, { columns, rows: all.map(rowOf) });
  });

const rowOf = (listed: ListedSecret): readonly string[] => [
  listed.refId,
  oneLine(listed.request?.label ?? ""),
  listed.request?.host ?? "",
  stateOf(listed),
  listed.request?.state === "pending" ? showMoment(listed.request.expiresAt) : "",
];

function stateOf({ request, isStored }: ListedSecret): string {
  if (request?.state === "pending") return isStored ? "stored, a new one is asked for" : "asked for";
  if (isStored) return "stored";
  return request?.state === "expired" ? "not given in time" : "gone from the vault";
}

/** Asked for and answered in one step: there is one way into the vault, and this is it too. */
const setSecret: Handler<SetOptions> = async (call) => {
  const { terminal, options } = call;
  const refId = refOf(call.args[0]);
  const host = hostOf(options.host);
  const secret = await readSecret(call);
  const completed = await withSecrets(call, async ({ secrets }) => {
    const { request } = orFail(
      await secrets.ask({ refId, label: refId, inputHint: null, guidance: NONE, host }, TERMINAL),
    );
    // What was asked for first stays: the secret would be kept for another host than the one that was typed here.
    if (host !== null && request.host !== host) throw askedOtherwise(request);
    return orFail(await secrets.store({ refId, secret, actor: TERMINAL }));
  });
  if (options.json) return terminal.json({ ref_id: completed.refId, success: completed.success });
  terminal.line(`Stored ${refId} in the vault.`);
};

function askedOtherwise({ refId, host }: SecureInputRequest): CommandFailure {
  return new CommandFailure({
    what: `${refId} is asked for already, for ${host ?? "no host"}.`,
    kept: "The vault is as it was.",
    next: `Run \`silas secrets remove ${refId}\` first to begin anew.`,
  });
}

/** As it is kept, or null. */
function hostOf(typed: string | undefined): string | null {
  if (typed === undefined) return null;
  const rule = parseHostRule(typed);
  if (rule !== null) return hostWords(rule);
  throw usage(FIELDS["host"] ?? "", "For example: api.example.org, or api.example.org:8443.");
}

const NONE: WantedSecret["guidance"] = { instructions: "", helpUrl: null };

type AskOptions = Json & {
  readonly label: string;
  readonly hint?: string;
  readonly instructions?: string;
  readonly helpUrl?: string;
  readonly host?: string;
};

const askForSecret: Handler<AskOptions> = async (call) => {
  const { terminal, options } = call;
  const wanted = wantedOf(call.args[0], options);
  await withSecrets(call, async ({ secrets, url }) => {
    const { request, isNew } = orFail(await secrets.ask(wanted, TERMINAL));
    const page = url === null ? null : `${url}/secrets/${request.refId}`;
    if (options.json) return terminal.json({ request: secureInputToWire(request), is_new: isNew, url: page });
    terminal.line(page ?? request.refId);
    const until = showMoment(request.expiresAt);
    terminal.note(isNew ? `Waits for the secret until ${until}.` : `Was asked for already; it waits until ${until}.`);
    if (page === null)
      terminal.note(`Type it with \`silas secrets set ${request.refId}\`, or start Silas and use its page.`);
  });
};

const FIELDS: { readonly [path: string]: string } = {
  label: "The label is empty or longer than 80 characters.",
  input_hint: "The hint is longer than 120 characters.",
  "guidance.instructions": "The instructions are longer than 1000 characters.",
  "guidance.help_url": "The help address is not an https address.",
  host: "The host is no full name in lower case and no public address.",
};

function wantedOf(typed: string | undefined, options: AskOptions): WantedSecret {
  const parsed = wantedSecretSchema.safeParse({
    ref_id: refOf(typed),
    label: options.label,
    input_hint: options.hint ?? null,
    guidance: { instructions: options.instructions ?? "", help_url: options.helpUrl ?? null },
    host: options.host ?? null,
  });
  if (parsed.success) return wantedSecretFromWire(parsed.data);
  throw usage(FIELDS[parsed.error.issues[0]?.path.join(".") ?? ""] ?? "This cannot be asked for.");
}

const removeSecret: Handler<Json & { readonly yes?: true }> = async (call) => {
  const { terminal, options } = call;
  const refId = refOf(call.args[0]);
  if (!options.yes) {
    await askFirst(terminal, {
      because: "A removed secret cannot be brought back",
      question: `Remove ${refId} for good?`,
      declined: "Not removed.",
    });
  }
  await withSecrets(call, async ({ secrets }) => orFail(await secrets.remove(refId, TERMINAL)));
  if (options.json) return terminal.json({ ref_id: refId, removed: true });
  terminal.line(`Removed ${refId}.`);
};
