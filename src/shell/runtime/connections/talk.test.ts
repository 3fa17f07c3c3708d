import { expect, test } from "vitest";
import { err, ok } from "#base";
import type { ConnectionDeps } from "./deps.ts";
import type { SetupOrder } from "./setup.ts";
import { createTalk } from "./talk.ts";

const STEP = JSON.stringify({
  type: "setup_step",
  step_id: "key",
  step: {
    type: "secure_input",
    request: { ref_id: "token", label: "Token", input_hint: "key", guidance: { instructions: "Make one." } },
  },
});

/** A talk whose script asks for the secret `token`; ends when the step is on the page or the script was stopped. */
async function hearSecretAsked({ credentials, canAsk }: { readonly credentials: object; readonly canAsk: boolean }) {
  const ended = Promise.withResolvers<"shown" | "stopped">();
  const deps = {
    clock: { now: () => "2026-11-18T08:00:00.000Z" },
    secrets: { ask: async () => (canAsk ? ok() : err({ code: "store_failed", retryable: false })) },
    review: { changed: () => ended.resolve("shown") },
  } as unknown as ConnectionDeps;
  const of = { record: { connectionId: "conn-1" }, service: "mail" };
  const order = { of, manifest: { credentials, hosts: [] }, incremental: [] } as unknown as SetupOrder;
  const talk = createTalk(deps, order);
  talk.begin({ say: () => true, end: () => {} } as never, { stop: () => ended.resolve("stopped") } as never);
  talk.onLine(STEP);
  return { how: await ended.promise, end: talk.endedAs(ok({ handed: null }) as never) };
}

const TOKEN = { token: { host: null } };

test("[SETUP-13] a secret that cannot be asked for ends the script, and the failure says why", async () => {
  expect(await hearSecretAsked({ credentials: TOKEN, canAsk: true })).toMatchObject({ how: "shown" });
  for (const world of [
    { credentials: TOKEN, canAsk: false },
    { credentials: {}, canAsk: true },
  ]) {
    const { how, end } = await hearSecretAsked(world);
    expect(how).toBe("stopped");
    expect(end).toMatchObject({ kind: "failed" });
    expect(JSON.stringify(end)).toContain("its secret could not be asked for");
  }
});
