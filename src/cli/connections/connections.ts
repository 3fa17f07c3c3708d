import { oneLine } from "#base";
import { connectionViewToWire, keptRequestToWire, stepResponseSchema, type ConnectionView } from "#model";
import type { ConnectionsDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { usage, type CommandFailure } from "../terminal/failure.ts";
import { printTable } from "../terminal/table.ts";
import { connectionRow, describeConnection } from "./connection-lines.ts";
import { createHttpConnections } from "./http-connections.ts";

type Options = {
  readonly json?: boolean;
  readonly domain?: string;
  readonly name?: string;
  readonly email?: string;
  readonly organisation?: string;
};

export const define: Define = (connections, act) => {
  connections.option("--json", "print JSON").action(act(listConnections));
  connections
    .command("list")
    .description("Services that are connected or about to be, and how each stands.")
    .option("--domain <domain>", "only those of this part of your life, such as personal")
    .option("--json", "print JSON")
    .action(act(listConnections));
  connections
    .command("show <id>")
    .description("One connection: what it may do, how it was found, and what waits for you.")
    .option("--json", "print JSON")
    .action(act(showConnection));
  connections
    .command("connect <skill>")
    .description("Find out how a service is connected, and ask whether to. Nothing is connected before you decide.")
    .option("--name <name>", "who you are there")
    .option("--email <address>", "your address there")
    .option("--organisation <domain>", "the domain of the organisation you belong to there")
    .option("--json", "print JSON")
    .action(act(connect));
  connections
    .command("answer <id> <action>")
    .description("Answer the step a setup has come to: done, trouble or cancel, as its card offers.")
    .option("--json", "print JSON")
    .action(act(answerStep));
  connections
    .command("recover <id> <action>")
    .description("Go on after a failure, by one of the ways `show` lists.")
    .option("--json", "print JSON")
    .action(act(recover));
  connections
    .command("cancel <id>")
    .description("End a setup wherever it is; its secrets are removed.")
    .option("--json", "print JSON")
    .action(act(cancelSetup));
  connections
    .command("check <id>")
    .description("Look at a connection now, and renew or repair it where that is due.")
    .option("--json", "print JSON")
    .action(act(checkNow));
  connections
    .command("remove <id>")
    .description("Remove a connection with its secrets.")
    .option("--json", "print JSON")
    .action(act(removeConnection));
};

const TERMINAL = { kind: "terminal" } as const;

const COLUMNS = [
  { header: "ID" },
  { header: "NAME", flexible: true },
  { header: "STATE" },
  { header: "MAY", spare: 1 },
  { header: "LOOKED AT", spare: 2 },
  { header: "PROBE", spare: 3 },
] as const;

const listConnections: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const views = await withConnections(call, async (door) => orFail(await door.list(options.domain)));
  if (options.json) return terminal.line(safeJson({ connections: views.map(connectionViewToWire) }));
  if (views.length === 0)
    return terminal.note("Nothing is connected. `silas connections connect SKILL` asks to connect a service.");
  printTable(terminal, { columns: COLUMNS, rows: views.map(connectionRow) });
};

const showConnection: Handler<Options> = async (call) => {
  const view = await withConnections(call, async (door) => orFail(await door.show(call.args[0] ?? "")));
  print(call, view);
};

const connect: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const hint = { name: options.name ?? null, email: options.email ?? null, domain: options.organisation ?? null };
  const asked = await withConnections(call, async (door) =>
    orFail(await door.connect({ skill: call.args[0] ?? "", hint, actor: TERMINAL })),
  );
  const { request, connectionId } = asked;
  if (options.json) {
    return terminal.line(safeJson({ connection_id: connectionId, request: keptRequestToWire(request) }));
  }
  terminal.line(`Asked as ${request.requestId}: ${oneLine(request.card.intent)}`);
  terminal.note(
    `Decide in Review, or with \`silas approve ${request.requestId}\`; then \`silas connections show ${connectionId}\`.`,
  );
};

/** The step that is shown is the one that is answered: whoever answers has looked at it. */
const answerStep: Handler<Options> = (call) =>
  change(call, async (door, id) => {
    const { setup } = orFail(await door.show(id));
    const said = { step_id: setup?.step_id, step_type: setup?.step_type, action: call.args[1] };
    const response = stepResponseSchema.safeParse(said);
    if (setup === null || !response.success) throw notAnswerable(id);
    return door.answer(id, response.data);
  });

const notAnswerable = (id: string): CommandFailure =>
  usage("There is no step that could be answered so.", `\`silas connections show ${id}\` says what waits.`);

const recover: Handler<Options> = (call) =>
  change(call, (door, id) => door.recover(id, { action: call.args[1] ?? "", actor: TERMINAL }));

const cancelSetup: Handler<Options> = (call) => change(call, (door, id) => door.cancel(id));

const checkNow: Handler<Options> = (call) => change(call, (door, id) => door.check(id));

const removeConnection: Handler<Options> = async (call) => {
  const id = call.args[0] ?? "";
  await withConnections(call, async (door) => orFail(await door.remove(id, TERMINAL)));
  if (call.options.json) return call.terminal.line(safeJson({ removed: id }));
  call.terminal.line(`Removed ${oneLine(id)} and its secrets.`);
};

type Changed = ReturnType<ConnectionsDoor["check"]>;

async function change(call: Call<Options>, act: (door: ConnectionsDoor, id: string) => Changed): Promise<void> {
  print(call, await withConnections(call, async (door) => orFail(await act(door, call.args[0] ?? ""))));
}

function print({ options, terminal }: Call<Options>, view: ConnectionView): void {
  if (options.json) return terminal.line(safeJson(connectionViewToWire(view)));
  for (const line of describeConnection(view)) terminal.line(line);
}

/** Through the running instance, or in this process when none runs. */
async function withConnections<T>(
  { environment, terminal }: Pick<Call<object>, "environment" | "terminal">,
  work: (door: ConnectionsDoor) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") return work(createHttpConnections(silas.address));
  try {
    return await work(silas.app.connections);
  } finally {
    await silas.app.close();
  }
}
