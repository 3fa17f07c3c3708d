import { ok, type Result } from "#base";
import {
  messageSigningText,
  signatureFromHex,
  signatureToBase64,
  type OwnWords,
  type SigningError,
  type StoreFault,
  type Stream,
} from "#model";
import type { MessagesDoor, Sender } from "#ports";
import { createConnections } from "./connections.ts";
import type { MessagesDeps } from "./deps.ts";
import { carryOut, proposeEndorsement } from "./endorsement.ts";
import { settleByGates, type GatingDeps } from "./gating.ts";
import { prepareReception } from "./reception.ts";

/**
 * Messages, for the terminal and for channels. A message is kept before anything else happens to it; then its gates run
 * and what they decide is kept too. Whatever a crash left undone is done before the next message is looked at.
 */
export function createMessagesDoor(deps: MessagesDeps): Omit<MessagesDoor, "talk"> {
  const connections = createConnections(deps);
  const parts = { ...deps, connections };
  let resumed: Promise<Result<void, StoreFault>> | null = null;
  const resume = async (): Promise<Result<void, StoreFault>> => {
    resumed ??= makeUp(parts);
    const done = await resumed;
    if (!done.ok) resumed = null;
    return done;
  };
  const receive: MessagesDoor["receive"] = async (sent, sender) => {
    // Once for the whole message: what is approved while it is looked at concerns the next one. [TURN-04]
    const stream = await lookAtStream(parts);
    const reception = await prepareReception(parts, { sent, sender });
    if (!reception.ok) return reception;
    const kept = await deps.store.receive(reception.value);
    if (!kept.ok) return kept;
    // Nobody knows by which gates it would be judged, so it is kept and waits.
    if (!stream.ok) return stream;
    return settleByGates(parts, { message: kept.value, stream: stream.value, actor: sender.actor });
  };
  return {
    receive,
    resume,
    say: async (words, sender) => {
      const sent = await signWords(deps, { words, sender });
      return sent.ok ? receive(sent.value, sender) : sent;
    },
    list: async (query) => {
      const done = await resume();
      return done.ok ? deps.store.list(query) : done;
    },
    endorse: async (wanted) => {
      const done = await resume();
      return done.ok ? proposeEndorsement(deps, wanted) : done;
    },
    decided: (request) => carryOut(deps, request),
  };
}

async function lookAtStream({ stream, connections }: GatingDeps): Promise<Result<Stream, StoreFault>> {
  const looked = await stream.look();
  connections.follow(looked.ok ? looked.value : { kind: "none" });
  return looked;
}

/** What a crash left between two commits: messages without their gates. */
async function makeUp(parts: GatingDeps): Promise<Result<void, StoreFault>> {
  const open = await parts.store.unsettled();
  if (!open.ok) return open;
  for (const message of open.value) {
    if (message.state !== "received") continue;
    const stream = await lookAtStream(parts);
    if (!stream.ok) return stream;
    const settled = await settleByGates(parts, { message, stream: stream.value, actor: { kind: "system" } });
    if (!settled.ok && "retryable" in settled.error) return { ok: false, error: settled.error };
  }
  return ok();
}

const NONCE_BYTES = 32;

/** The words under the owner's signature, with the time and a nonce of this moment. */
async function signWords(
  { signer, clock, randomness }: MessagesDeps,
  { words, sender }: { readonly words: OwnWords; readonly sender: Sender },
): Promise<Result<Parameters<MessagesDoor["receive"]>[0], SigningError>> {
  const at = clock.now();
  const nonce = Buffer.from(randomness.bytes(NONCE_BYTES)).toString("hex");
  const bytes = Buffer.from(messageSigningText({ text: words.text, timestamp: at, nonce }));
  const signed = await signer.sign(bytes, { purpose: "message", actor: sender.actor });
  if (!signed.ok) return signed;
  const signature = signatureToBase64(signatureFromHex(signed.value.signature));
  return ok({ ...words, signed: { key_id: signed.value.keyId, timestamp: at, nonce, signature } });
}
