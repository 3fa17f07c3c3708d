import type { Instant } from "#base";
import { HOLD_MEANING, holdSentence, modeWords, stoppedSchema, type StatusBody } from "#model";
import type { Define, Handler } from "../terminal/context.ts";
import { callInstance, notSignedIn, readAnswer } from "../client/http-client.ts";
import { findInstance } from "../client/instance.ts";
import { showMoment } from "../terminal/local-time.ts";
import { loadSetup } from "../client/setup.ts";
import { stoppedSentence } from "../stop/words.ts";

export const define: Define = (status, act) => {
  status.option("--json", "print JSON").action(act(showStatus));
};

const showStatus: Handler<{ readonly json?: boolean }> = async ({ options, terminal, environment }) => {
  const setup = loadSetup(environment);
  const instance = await findInstance(setup);
  if (instance === null) {
    if (options.json) return terminal.json({ running: false, data_dir: setup.paths.dataDir });
    return terminal.line(`Silas is not running. Start it with \`silas start\`. Data: ${setup.paths.dataDir}`);
  }
  const answer = await readAnswer(await callInstance(instance.address, { method: "GET", path: "/api/status" }));
  if (answer.status === 401) throw notSignedIn();
  // Our own server wrote it; the shape is that of the model.
  const body = answer.body as StatusBody;
  if (options.json) return terminal.json({ running: true, ...body });
  terminal.line(`Silas ${body.version} is running, pid ${body.pid}, since ${showMoment(body.started_at as Instant)}`);
  terminal.line(`  Open   ${body.url}`);
  terminal.line(`  Mode   ${modeWords(body.model ?? null)}`);
  terminal.line(`  Data   ${body.data_dir}`);
  terminal.line(`  Vault  ${VAULTS[body.vault.backend]}`);
  terminal.line(`  Pages  ${body.connections} connected`);
  const hold = body.hold ?? null;
  if (hold !== null) terminal.line(`  Held   ${holdSentence(hold)} ${HOLD_MEANING} \`silas audit accept\``);
  const stopped = stoppedSchema.safeParse(body.stopped).data ?? null;
  if (stopped !== null) terminal.line(`  Work   ${stoppedSentence(stopped)}`);
};

const VAULTS: { readonly [B in StatusBody["vault"]["backend"]]: string } = {
  encrypted_file: "encrypted file",
  secret_service: "secret service",
};
