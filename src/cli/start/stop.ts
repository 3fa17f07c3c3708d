import { setTimeout as wait } from "node:timers/promises";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { findInstance } from "../client/instance.ts";
import { loadSetup } from "../client/setup.ts";

const LOOK_AGAIN_MS = 50;
/** Beyond the configured grace, for what comes after the last connection: closing the files. */
const CLOSING_MS = 5_000;

export const define: Define = (stop, act) => {
  stop.action(act(stopInstance));
};

const stopInstance: Handler<object> = async ({ terminal, environment }) => {
  const setup = loadSetup(environment);
  const instance = await findInstance(setup);
  if (instance === null) return terminal.note("Silas is not running.");
  process.kill(instance.pid, "SIGTERM");
  const deadlineMs = performance.now() + setup.config.backpressure.shutdownGraceSeconds * 1000 + CLOSING_MS;
  while (performance.now() < deadlineMs) {
    if ((await findInstance(setup)) === null) return terminal.line(`Stopped, pid ${instance.pid}.`);
    await wait(LOOK_AGAIN_MS);
  }
  throw new CommandFailure({
    what: `Silas (pid ${instance.pid}) was asked to stop and is still running.`,
    kept: "Everything it confirmed is stored.",
    next: "Look at `silas logs`; ending the process by hand is safe.",
  });
};
