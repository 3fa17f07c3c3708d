import { ok, type Result } from "#base";
import {
  hostsOfSecrets,
  isReservedRef,
  secretRefSchema,
  type AuditActor,
  type KeptRequest,
  type StoreFault,
} from "#model";
import type { SecretsDoor } from "#ports";

type Asker = { readonly request: KeptRequest; readonly actor: AuditActor };

/**
 * Asks for the secrets of a plan that the vault does not hold. The plan is kept before: when asking fails, proposing it
 * again finds it and asks again.
 */
export async function askForSecrets(
  secrets: Pick<SecretsDoor, "ask" | "list">,
  { request, actor }: Asker,
): Promise<Result<void, StoreFault>> {
  const named = request.card.capabilities?.secretRefs ?? [];
  if (named.length === 0) return ok();
  const listed = await secrets.list();
  // A vault that does not open asks for nothing; whoever runs the plan is told then.
  const stored = new Set(listed.ok ? listed.value.flatMap(({ refId, isStored }) => (isStored ? [refId] : [])) : named);
  const hostsByRef = hostsOfSecrets(request.projection);
  for (const name of named) {
    const ref = secretRefSchema.safeParse(name);
    if (!ref.success || isReservedRef(ref.data) || stored.has(ref.data)) continue;
    const instructions = `The plan ${request.workItemId} uses it.`;
    const guidance = { instructions, helpUrl: null };
    const host = hostsByRef.get(name) ?? null;
    const wanted = { refId: ref.data, label: name.slice(0, 80), inputHint: null, guidance, host };
    const asked = await secrets.ask(wanted, actor);
    // Too many are waiting already: the owner has enough to type, and asking again later is free.
    if (!asked.ok && "retryable" in asked.error) return { ok: false, error: asked.error };
  }
  return ok();
}
