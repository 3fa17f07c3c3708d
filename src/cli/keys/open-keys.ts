import type { Environment } from "#config";
import { secretText, type SecretText } from "#model";
import { reachSilas } from "../client/door.ts";
import { askHidden } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { createHttpKeys, type Keys } from "./http-keys.ts";

/**
 * The owner's keys for the time of `work`. The vault is opened in this process only when no instance runs; else the
 * instance that has it is asked.
 */
export async function withKeys<T>(
  { environment, terminal }: { readonly environment: Environment; readonly terminal: Terminal },
  work: (keys: Keys) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") return work(createHttpKeys(silas.address));
  try {
    return await work(silas.app.keys);
  } finally {
    await silas.app.close();
  }
}

/** Asks at most once in a command; the answer is not shown while it is typed. */
export function askOnce(terminal: Terminal): () => Promise<SecretText | null> {
  let answer: Promise<SecretText | null> | null = null;
  return () => (answer ??= terminal.isInteractive ? ask(terminal) : Promise.resolve(null));
}

async function ask(terminal: Terminal): Promise<SecretText | null> {
  const typed = await askHidden("Passphrase of the vault");
  if (typed === null) terminal.declined();
  return typed === null || typed === "" ? null : secretText(typed);
}
