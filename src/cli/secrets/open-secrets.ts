import type { Result } from "#base";
import { isReservedRef, secretRefSchema, wordPartsFor, type SecretRef, type SecureInputRefusal } from "#model";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import type { Call } from "../terminal/context.ts";
import { CommandFailure, usage } from "../terminal/failure.ts";
import { createHttpSecrets, type Secrets } from "./http-secrets.ts";

type Reached = {
  readonly secrets: Secrets;
  /** Where the running instance is; null when none runs. */
  readonly url: string | null;
};

/** Secrets for the time of `work`: through the running instance, or in this process when none runs. */
export async function withSecrets<T>(
  { environment, terminal }: Pick<Call<object>, "environment" | "terminal">,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") {
    const { port, certificate } = silas.address;
    const url = `${certificate === null ? "http" : "https"}://localhost:${port}`;
    return work({ secrets: createHttpSecrets(silas.address), url });
  }
  try {
    return await work({ secrets: silas.app.secrets, url: null });
  } finally {
    await silas.app.close();
  }
}

/** The name a person typed, before anything is asked or opened. */
export function refOf(typed: string | undefined): SecretRef {
  const ref = secretRefSchema.safeParse(typed);
  if (ref.success && isReservedRef(ref.data)) throw failureOf({ code: "secret_ref_reserved", refId: ref.data });
  if (ref.success) return ref.data;
  throw usage(
    "The name of a secret has small letters, digits, dots, hyphens and underscores, at most 128 of them.",
    "For example: mail-token.",
  );
}

/** The value, or the end of the command in the shared words. */
export function orFail<T>(result: Result<T, { readonly code: string }>): T {
  if (result.ok) return result.value;
  throw failureOf(result.error);
}

function failureOf(error: SecureInputRefusal | { readonly code: string }): CommandFailure {
  const { what, kept, next } = wordPartsFor(error);
  return new CommandFailure({ what, kept, ...(next === "" ? {} : { next }) });
}
