/** What calls of the doors need: requests, runs, goals, memories, secrets and keys that nobody has had before. */
import { generateKeyPairSync, sign } from "node:crypto";
import { err, ok } from "#base";
import { deviceProofText, type KeptRequest, type PublicKeyHex, type SecretRef } from "#model";
import { TERMINAL, type Desk } from "./batch-fixture.ts";
import { must } from "./journal-fixture.ts";

let made = 0;
/** A name that nothing has had. */
export const fresh = (name: string): string => `${name}-${(made += 1)}`;

export const plan = (id = fresh("task")): string => `---
id: ${id}
type: task
title: Tidy the notes
steps:
  - { name: gather, run: "true" }
verify:
  - { name: done, run: "true", expect: { exit_code: 0 } }
---

# What to do

Gather the notes.
`;
const goal = (id = fresh("goal")): string =>
  plan(id)
    .replace("type: task", 'type: goal\nschedule: "0 * * * *"\non_failure: report')
    .replace(/steps:\n.*\n/, "");

export const proposed = async ({ app }: Desk, markdown = plan()): Promise<KeptRequest> =>
  must(await app.approvals.propose(markdown, TERMINAL)).request;
export const answerTo = ({ requestId, planHash }: KeptRequest, verdict: "approved" | "declined" = "approved") =>
  ({ requestId, verdict, shownHash: planHash, friction: ["tap", "confirm", "slide"], actor: TERMINAL }) as const;
export const approved = async (desk: Desk, markdown = plan()): Promise<KeptRequest> => {
  const request = await proposed(desk, markdown);
  return must(await desk.app.approvals.decide(answerTo(request)));
};
/** Only the time of the request that is shown runs, so no other waits. */
export const missed = async (desk: Desk): Promise<KeptRequest> => {
  for (const one of must(await desk.app.approvals.inbox())) {
    must(await desk.app.approvals.decide(answerTo(one, "declined")));
  }
  const request = await proposed(desk);
  must(await desk.app.approvals.show(request.requestId));
  desk.moveMs(8 * 24 * 3_600_000);
  return request;
};
export const granted = async (desk: Desk): Promise<string> => {
  const { requestId } = await approved(desk);
  const [found] = must(await desk.app.work.list({ idPart: requestId }));
  if (found === undefined) throw new Error("an approved plan has its run");
  return found.run.runId;
};
export const goalIn = async (desk: Desk): Promise<string> => {
  const id = fresh("goal");
  await approved(desk, goal(id));
  must(await desk.app.work.goals.list());
  return id;
};

export const SENDER = {
  connectionId: "terminal",
  channel: "cli",
  senderId: "terminal",
  identity: "owner",
  actor: TERMINAL,
} as const;
export const STRANGER = { ...SENDER, connectionId: "stranger", channel: "webhook", identity: "unknown" } as const;
export const words = (text: string) => ({ text, attachments: [], reply_to: null, quotes: [] });

export const remembered = async ({ app }: Desk, from = "foreign" as const): Promise<string> => {
  const about = { content: fresh("The landlord is called Ruiz"), memory_type: "fact" as const, semantic_tags: [] };
  return must(await app.memory.remember({ from, ...about }, TERMINAL)).memoryId;
};

export const wanted = (refId = fresh("bank")) => ({
  refId: refId as SecretRef,
  label: "Bank",
  inputHint: null,
  guidance: { instructions: "Type it.", helpUrl: null },
  host: null,
});
export const asked = async ({ app }: Desk): Promise<SecretRef> => {
  const { refId } = wanted();
  must(await app.secrets.ask(wanted(refId), TERMINAL));
  return refId;
};

export const offered = ({ app }: Desk, sessionId = fresh("session")) => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const hex = publicKey.export({ type: "spki", format: "der" }).subarray(-32).toString("hex") as PublicKeyHex;
  return () => {
    const { challenge } = app.deviceKeys.begin(sessionId);
    const text = deviceProofText({ challenge, name: "Tablet", publicKey: hex, sessionId });
    const signature = sign(null, Buffer.from(text), privateKey);
    return app.deviceKeys.offer({ sessionId, deviceName: "A", name: "Tablet", publicKey: hex, challenge, signature });
  };
};

const BUSY = "store_busy";

/** A stream has no other way to report a fault than to throw it. */
export async function read(lines: AsyncIterable<string>) {
  try {
    return ok(await Array.fromAsync(lines));
  } catch (cause) {
    // The export of the journal says in words that it could not be put on record, with the fault as the cause.
    const fault = cause instanceof Error ? (cause.cause as { readonly code?: string } | undefined) : undefined;
    return err({ code: fault?.code === BUSY || !(cause instanceof Error) ? BUSY : cause.message });
  }
}
