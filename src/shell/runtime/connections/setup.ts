import { err, ok, type Result } from "#base";
import type { ConnectionFailure, ConnectionManifest, IdentityHint } from "#model";
import type { KeptConnection } from "#ports";
import type { Completion, StepPayload } from "#work";
import type { LoadedSkill } from "../skills/installed.ts";
import type { ConnectionDeps } from "./deps.ts";
import { runScript } from "./run-script.ts";
import { createTalk, type SetupTalk, type ShownStep } from "./talk.ts";

export type SetupOrder = {
  readonly of: KeptConnection;
  readonly skill: LoadedSkill;
  readonly manifest: ConnectionManifest;
  readonly hint: IdentityHint;
  /** Exactly what was approved. */
  readonly permissions: readonly string[];
  /** What is asked for besides what it has; none for a connection that is new. [PERM-04] */
  readonly incremental: readonly string[];
};
export type SetupEnd =
  | { readonly kind: "completed"; readonly completion: Completion; readonly handed: ReadonlyMap<string, Uint8Array> }
  | { readonly kind: "failed"; readonly failure: ConnectionFailure }
  | { readonly kind: "cancelled" };

/** A setup that goes on. */
export type LiveSetup = {
  shown(): ShownStep | null;
  /** False when that step is not the one that is shown. */
  answer(stepId: string, payload: StepPayload): boolean;
  cancel(): void;
  /** Something may have been stored that it waits for. */
  look(): Promise<void>;
  readonly ended: Promise<SetupEnd>;
};

/** People take their time; a script that takes more is ended. */
const SETUP_MS = 1_800_000;

/** Begins the conversation with the setup script of a connection. [SETUP-02 to SETUP-08] */
export function beginSetup(deps: ConnectionDeps, order: SetupOrder): LiveSetup {
  const talk = createTalk(deps, order);
  return {
    shown: talk.shown,
    answer: talk.answer,
    cancel: talk.cancel,
    look: talk.look,
    ended: runSetup(deps, { order, talk }),
  };
}

async function runSetup(
  deps: ConnectionDeps,
  { order, talk }: { readonly order: SetupOrder; readonly talk: SetupTalk },
): Promise<SetupEnd> {
  const { of, skill, manifest, hint, permissions, incremental } = order;
  const redirect = of.record.authStrategy === "browser_redirect" ? await deps.openCallback(talk.onCallback) : null;
  talk.listens(redirect);
  try {
    const ran = await runScript(deps, {
      of,
      skill,
      manifest,
      script: "setup",
      reach: "approved",
      input: {
        type: "start",
        auth_strategy: of.record.authStrategy,
        initial_permissions: permissions,
        incremental_scopes: incremental,
        identity_hint: hint,
      },
      env: redirect === null ? {} : { SILAS_REDIRECT_URI: redirect.uri },
      talk: { begin: talk.begin, onLine: talk.onLine },
      timeoutMs: SETUP_MS,
    });
    return talk.endedAs(ran);
  } finally {
    redirect?.close();
  }
}

/** What an approved skill says of its connection, in the version that was approved. */
export async function loadApproved(
  { installed }: ConnectionDeps,
  { record: { skillName }, treeDigest }: Pick<KeptConnection, "record" | "treeDigest">,
): Promise<Result<{ readonly skill: LoadedSkill; readonly manifest: ConnectionManifest }, string>> {
  const loaded = await installed.load(skillName);
  if (!loaded.ok)
    return err(
      `the skill ${skillName} cannot be used (${"reason" in loaded.error ? loaded.error.reason : loaded.error.code})`,
    );
  const { manifest, tree } = loaded.value;
  if (manifest.connection === null || tree.digest !== treeDigest) {
    return err(`another version of the skill ${skillName} is installed than the one this connection was approved with`);
  }
  return ok({ skill: loaded.value, manifest: manifest.connection });
}
