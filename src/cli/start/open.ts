import { openInBrowser } from "./browser.ts";
import type { Define, Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { callInstance, notSignedIn, readAnswer } from "../client/http-client.ts";
import { findInstance, type RunningInstance } from "../client/instance.ts";
import { loadSetup } from "../client/setup.ts";

type Options = { readonly open: boolean; readonly json?: boolean };

export const define: Define = (open, act) => {
  open
    .option("--no-open", "print the one-time link instead")
    .option("--json", "print the link as JSON")
    .action(act(openPage));
};

const openPage: Handler<Options> = async ({ options, terminal, environment }) => {
  const instance = await findInstance(loadSetup(environment));
  if (instance === null) {
    throw new CommandFailure({ what: "Silas is not running.", next: "Start it with `silas start`." });
  }
  const link = await requestLink(instance);
  if (options.json) return terminal.json(link);
  const opened = options.open ? await openInBrowser(link.url, environment) : "not_opened";
  if (opened === "opened") return terminal.note(`Opened ${new URL(link.url).origin} in the browser.`);
  terminal.line(link.url);
  terminal.note("Open this link on this computer; it works once, for ten minutes.");
};

type EnrolmentLink = { readonly url: string; readonly expires_at: string };

/** A fresh one-time link from the running instance. */
export async function requestLink(instance: RunningInstance): Promise<EnrolmentLink> {
  const answer = await readAnswer(await callInstance(instance.address, { method: "POST", path: "/session/links" }));
  if (answer.status === 401) throw notSignedIn();
  if (answer.status !== 200)
    throw new CommandFailure({ what: `The running Silas answered with status ${answer.status}.` });
  return answer.body as EnrolmentLink;
}
