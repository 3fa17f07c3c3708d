import type { App } from "#compose";
import { openInBrowser, printLink } from "./browser.ts";
import type { Call } from "../terminal/context.ts";

const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

/** Single keys while Silas runs in a terminal; null where nobody can press one. */
export function listenToKeys(
  { terminal, outside, environment }: Call<object>,
  { app, url }: { readonly app: App; readonly url: string },
): { readonly quit: Promise<void>; close(): void } | null {
  if (!terminal.isInteractive) return null;
  const { stdin } = outside;
  stdin.setRawMode?.(true);
  stdin.setEncoding("utf8");
  const quit = new Promise<void>((resolve) => {
    stdin.on("data", (key: string) => {
      if (key === "q" || key === CTRL_C || key === CTRL_D) return resolve();
      if (key === "h" || key === "?")
        return terminal.line(`  ${url}\n  o open it in the browser   q quit   h this help`);
      if (key === "o") void openAgain();
    });
  });
  const openAgain = async () => {
    const link = app.enrolmentLink();
    if ((await openInBrowser(link, environment)) === "not_opened") printLink(terminal, link);
  };
  return {
    quit,
    close: () => {
      stdin.setRawMode?.(false);
      stdin.pause();
    },
  };
}
