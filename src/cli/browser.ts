import type { Environment } from "#config";
import type { Terminal } from "./terminal.ts";

/** Opens a page where there is a screen and nobody said no. Answers whether it was handed to a browser. */
export async function openInBrowser(url: string, environment: Environment): Promise<"opened" | "not_opened"> {
  if (environment.isCi || !environment.hasDisplay) return "not_opened";
  try {
    const { default: open } = await import("open");
    const browser = await open(url, environment.browser === null ? {} : { app: { name: environment.browser } });
    return await new Promise((resolve) => {
      browser.once("error", () => resolve("not_opened"));
      browser.once("spawn", () => resolve("opened"));
      browser.unref();
    });
  } catch {
    return "not_opened";
  }
}

/** The one secret Silas ever prints, and only to whoever is at this terminal. */
export function printLink(terminal: Terminal, link: string): void {
  terminal.line(`  Sign in ${link}`);
  terminal.line("          (works once, for ten minutes; `silas open` makes another)");
}
