import { ok, type Result } from "#base";
import {
  hostsOfSecrets,
  isReservedRef,
  secretRefSchema,
  type AuditActor,
  type KeptRequest,
  type StoreFault,
} from "#model";
import type { ApprovalsDoor, Proposed, SecretsDoor } from "#ports";

type Parts = { readonly approvals: ApprovalsDoor; readonly secrets: Pick<SecretsDoor, "ask" | "list"> };

/**
 * The same approvals; whoever proposes a plan that uses secrets the vault does not hold has them asked for. The plan is
 * kept first: when asking fails, proposing it again finds it and asks again.
 */
export function withAskedSecrets({ approvals, secrets }: Parts): ApprovalsDoor {
  const asking = async <E>(
    proposed: Result<Proposed, E>,
    actor: AuditActor,
  ): Promise<Result<Proposed, E | StoreFault>> => {
    if (!proposed.ok) return proposed;
    const asked = await askFor(secrets, { request: proposed.value.request, actor });
    return asked.ok ? proposed : asked;
  };
  return {
    ...approvals,
    propose: async (markdown, actor) => asking(await approvals.propose(markdown, actor), actor),
    proposeAgain: async (requestId, actor) => asking(await approvals.proposeAgain(requestId, actor), actor),
  };
}

type Asker = { readonly request: KeptRequest; readonly actor: AuditActor };

async function askFor(secrets: Parts["secrets"], { request, actor }: Asker): Promise<Result<void, StoreFault>> {
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
