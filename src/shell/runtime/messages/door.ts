import { ok, type Result } from "#base";
import {
  messageSigningText,
  signatureFromHex,
  signatureToBase64,
  withheld,
  type KeptMessage,
  type OwnWords,
  type SigningError,
  type Stream,
} from "#model";
import { conversationGates, mayRewriteMessages } from "#policy";
import type { MessagesDoor, Sender } from "#ports";
import type { Connections } from "./connections.ts";
import type { MessagesDeps } from "./deps.ts";
import { carryOut, proposeEndorsement } from "./endorsement.ts";
import { lookAtStream } from "./gating.ts";
import { prepareReception } from "./reception.ts";

/**
 * Messages, for the terminal and for channels. Receiving one is one commit: it is kept and queued. Its gates are the
 * beginning of its turn, and what they decide arrives in the conversation.
 */
export function createMessagesDoor(
  deps: MessagesDeps & { readonly connections: Connections },
): Omit<MessagesDoor, "talk"> {
  const receive: MessagesDoor["receive"] = async (sent, sender) => {
    // What the sender may do is told by what is in force now; where nobody can tell, nothing is taken.
    const looked = await lookAtStream(deps);
    if (!looked.ok) return looked;
    const reception = await prepareReception(deps, { sent, sender });
    if (!reception.ok) return reception;
    const kept = await deps.store.receive(reception.value);
    if (!kept.ok) return kept;
    deps.onChanged();
    const isWithheld = mayChange(deps, looked.value);
    return ok({ message: isWithheld ? withheld(kept.value) : kept.value, reply: receiptFor(deps, kept.value) });
  };
  return {
    receive,
    say: async (words, sender) => {
      const sent = await signWords(deps, { words, sender });
      return sent.ok ? receive(sent.value, sender) : sent;
    },
    list: async (query) => {
      const listed = await deps.store.list(query);
      if (!listed.ok || listed.value.every(({ state }) => state !== "received")) return listed;
      const looked = await deps.stream.look();
      if (!looked.ok) return looked;
      if (!mayChange(deps, looked.value)) return listed;
      return ok(listed.value.map((message) => (message.state === "received" ? withheld(message) : message)));
    },
    endorse: (wanted) => proposeEndorsement(deps, wanted),
    decided: (request) => carryOut(deps, request),
  };
}

/** Whether a gate could take words out of a message that was not judged yet. */
function mayChange({ systemGates }: Pick<MessagesDeps, "systemGates">, stream: Stream): boolean {
  if (stream.kind === "unverified") return true;
  const itemGates = stream.kind === "in_force" ? conversationGates(stream.item) : [];
  return mayRewriteMessages([...systemGates, ...itemGates]);
}

/** INVARIANT: it says nothing of the message but how far it is trusted: its gates have not run. */
function receiptFor({ talk, settings }: MessagesDeps, { taint, origin, scrubbed, scopeId }: KeptMessage): string {
  const trust = taint === "owner" || origin === "identity" ? "" : ` It does not count as yours (${origin}).`;
  const clean = scrubbed.length === 0 ? "" : " Signs in it that could mislead were made visible.";
  const isAsked = talk.setting.kind === "set" && scopeId === settings.ownerId;
  const next = isAsked ? ` Once its gates let it pass, ${talk.setting.place.model} is asked for an answer.` : "";
  return `Kept.${trust}${clean}${next}`;
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
