import type { ChildProcess } from "node:child_process";
import type { Environment } from "#config";
import type { Terminal } from "../terminal/terminal.ts";

export const canOpenBrowser = ({ isCi, hasDisplay }: Environment): boolean => !isCi && hasDisplay;

/** Opens a page where there is a screen and nobody said no. Answers whether it was handed to a browser. */
export async function openInBrowser(url: string, environment: Environment): Promise<"opened" | "not_opened"> {
  if (!canOpenBrowser(environment)) return "not_opened";
  try {
    const { default: open } = await import("open");
    // Resolves when the browser's process runs, and rejects when there is none.
    const browser = await open(url, environment.browser === null ? {} : { app: { name: environment.browser } });
    return await outcomeOf(browser);
  } catch {
    return "not_opened";
  }
}

/** An opener that finds no browser ends at once with a code; one that found it ends well or stays. */
const FOUND_AFTER_MS = 1_500;

export function outcomeOf(browser: ChildProcess): Promise<"opened" | "not_opened"> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("opened"), FOUND_AFTER_MS);
    const end = (outcome: "opened" | "not_opened") => {
      clearTimeout(timer);
      resolve(outcome);
    };
    browser.once("error", () => end("not_opened"));
    browser.once("exit", (code) => end(code === 0 ? "opened" : "not_opened"));
  });
}

/** The one secret Silas ever prints, and only to whoever is at this terminal. */
export function printLink(terminal: Terminal, link: string): void {
  terminal.line(`  Sign in ${link}`);
  terminal.line("          (works once, for ten minutes; `silas open` makes another)");
}
