import { err, ok, sha256Hex, uuidV7, type Instant, type Result } from "#base";
import {
  messageSigningText,
  recordIdSchema,
  signatureFromBase64,
  signatureToHex,
  type KeptMessage,
  type MessageClaim,
  type MessageRefusal,
  type Reception,
  type SentMessage,
  type Source,
  type StoreFault,
} from "#model";
import {
  earliestSpending,
  judgeOrigin,
  scrubText,
  suggestedWords,
  suggestionSources,
  type ClaimFact,
  type Judged,
} from "#policy";
import type { KeyRegistry, Sender } from "#ports";
import { verifySigned } from "../keys/signer.ts";
import type { Connections } from "./connections.ts";
import type { MessagesDeps } from "./deps.ts";

type Arriving = { readonly sent: SentMessage; readonly sender: Sender };

/**
 * What a message becomes, before it is kept. The signature is checked over the text exactly as it came, and nothing has
 * been changed in it yet. [MSG-04]
 */
export async function prepareReception(
  deps: MessagesDeps & { readonly connections: Connections },
  { sent, sender }: Arriving,
): Promise<Result<Reception, MessageRefusal | StoreFault>> {
  const at = deps.clock.now();
  const { signed } = sent;
  const claim = await claimFact(deps.registry, { text: sent.text, signed });
  if (!claim.ok) return claim;
  const { window } = deps.settings;
  const verdict = judgeOrigin({
    claim: claim.value,
    identity: sender.identity,
    timestamp: signed?.timestamp ?? null,
    at,
    freshnessMs: window.freshnessMs,
  });
  const scopeIds = new Set(
    [verdict.first, verdict.replayed ?? verdict.first].map((judged) => placeOf(deps, { sender, judged })),
  );
  const sources = await sourcesOf(deps, { sent, scopeIds });
  if (!sources.ok) return sources;
  const messageId = recordIdSchema.parse(uuidV7(at, deps.randomness.bytes(10)));
  const keptAs = (judged: Judged): KeptMessage =>
    describe(deps, { messageId, sent, sender, judged, sources: sources.value, at });
  const { replayed } = verdict;
  const replay =
    replayed === null || signed === null
      ? null
      : {
          message: keptAs(replayed),
          spending: { nonce: signed.nonce, at, earliest: earliestSpending(signed.timestamp, window) },
        };
  return ok({ first: keptAs(verdict.first), replay, actor: sender.actor });
}

type Described = Arriving & {
  readonly messageId: KeptMessage["messageId"];
  readonly judged: Judged;
  readonly sources: readonly Source[];
  readonly at: Instant;
};

function describe(
  deps: MessagesDeps & { readonly connections: Connections },
  { messageId, sent, sender, judged, sources, at }: Described,
): KeptMessage {
  const connectionId = placeOf(deps, { sender, judged });
  const { text, findings } =
    judged.taint === "external" ? scrubText(sent.text) : { text: sent.text, findings: [] as const };
  return {
    messageId,
    // Every connection has a scope of its own; the owner's is that of all the owner's connections.
    scopeId: connectionId,
    connectionId,
    channel: sender.channel,
    senderId: sender.senderId,
    receivedAt: at,
    ...judged,
    signed: sent.signed,
    text,
    originalDigest: sha256Hex(sent.text),
    scrubbed: [...findings],
    sources: [...sources],
    accessLevel: deps.connections.accessOf({ connectionId, taint: judged.taint, at }).level,
    state: "received",
    gate: null,
    endorsed: null,
  };
}

/**
 * Only a session of the owner, or the owner's own signature, is the owner's connection. A stranger whom a channel calls
 * like the owner gets a name of its own. [ACC-04]
 */
function placeOf(
  { settings: { ownerId } }: MessagesDeps,
  { sender, judged }: { readonly sender: Sender; readonly judged: Judged },
): string {
  if (sender.identity === "owner" || judged.taint === "owner") return ownerId;
  return sender.connectionId === ownerId ? `${ownerId}:stranger` : sender.connectionId;
}

/** Whether the claim holds, over the bytes as they came. A store that fails is no answer about a signature. */
async function claimFact(
  registry: KeyRegistry,
  { text, signed }: { readonly text: string; readonly signed: MessageClaim | null },
): Promise<Result<ClaimFact, StoreFault>> {
  if (signed === null) return ok("absent");
  const { key_id: keyId, timestamp, nonce, signature } = signed;
  const raw = signatureFromBase64(signature);
  const bytes = Buffer.from(messageSigningText({ text, timestamp, nonce }));
  const verified = await verifySigned(registry, {
    keyId,
    bytes,
    signature: raw.ok ? signatureToHex(raw.value) : "",
  });
  if (verified.ok) return ok("valid");
  switch (verified.error.code) {
    case "key_unknown":
    case "key_revoked":
      return ok(verified.error.code);
    case "store_busy":
    case "store_read_only":
    case "store_failed":
    case "store_corrupt":
    case "disk_full":
      return err(verified.error);
    default:
      return ok("signature_invalid");
  }
}

/**
 * What the message brings along. Words of a suggestion that are sent as they were stay a model's. Attachments are foreign whoever sends them; messages are trusted as they are now. What
 * another scope holds is not there. [MSG-01]
 */
async function sourcesOf(
  { store, suggestions, settings: { ownerId } }: MessagesDeps,
  { sent, scopeIds }: { readonly sent: SentMessage; readonly scopeIds: ReadonlySet<string> },
): Promise<Result<readonly Source[], MessageRefusal | StoreFault>> {
  const named = [
    ...(sent.reply_to === null ? [] : [{ id: sent.reply_to, relation: "reply_to" as const }]),
    ...[...new Set(sent.quotes)].map((id) => ({ id, relation: "quote" as const })),
  ];
  const sources: Source[] = [];
  for (const { id, relation } of named) {
    const found = await store.find(id);
    if (!found.ok) return found;
    const message = found.value;
    if (message === null || ![...scopeIds].every((scopeId) => scopeId === message.scopeId)) {
      return err({ code: "message_unknown", messageId: id });
    }
    sources.push({ item_id: id, relation, taint: message.taint });
  }
  const suggested = await suggestions.saying({ scopeId: ownerId, words: suggestedWords(sent.text) });
  if (!suggested.ok) return suggested;
  return ok([
    ...sources,
    ...suggestionSources(sent.text, suggested.value),
    ...sent.attachments.map((item) => ({ item_id: item, relation: "attachment", taint: "external" }) as const),
  ]);
}
