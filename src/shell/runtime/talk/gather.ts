import { LIMITS, ok, oneLine, type Result } from "#base";
import { isModelTurn, type KeptMessage, type LedgerEntry, type RunRecord, type StoreFault, type Turn } from "#model";
import { chooseRecalled, printedValues, recallText } from "#policy";
import { memoryItem, messageItem, replyItem, stepItem, type ContextItem } from "#turn";
import type { TalkDeps } from "./deps.ts";

type Gathered = {
  readonly items: readonly ContextItem[];
  /** What a gate kept from being shown, in words for the owner. */
  readonly leftOut: readonly string[];
};

/** What is known before a message: what was said, what is remembered about it, and what work of the owner's printed. */
export async function gather(deps: TalkDeps, message: KeptMessage): Promise<Result<Gathered, StoreFault>> {
  const said = await chronicle(deps, message);
  if (!said.ok) return said;
  const remembered = await recall(deps, message);
  if (!remembered.ok) return remembered;
  const results = await workspace(deps, message);
  if (!results.ok) return results;
  return ok({ items: [...said.value, ...remembered.value, ...results.value.items], leftOut: results.value.leftOut });
}

/** Memories of the same scope that hold words of the message; the best is the last, and so the last to be left out. */
async function recall(
  { memories, settings, clock }: TalkDeps,
  { scopeId, text }: KeptMessage,
): Promise<Result<readonly ContextItem[], StoreFault>> {
  const search = { scopeId, text: recallText(text), limit: LIMITS.searchRows, words: "any" } as const;
  const found = await memories.searchKeyword(search);
  if (!found.ok) return found;
  const chosen = chooseRecalled(found.value, settings.memoriesMax);
  const used = await memories.touch({ scopeId, memoryIds: chosen.map(({ memoryId }) => memoryId), at: clock.now() });
  return used.ok ? ok(chosen.map(memoryItem).toReversed()) : used;
}

/** Messages of the same scope that passed their gates, each with its reply; oldest first. */
async function chronicle(
  { messages, turns }: TalkDeps,
  { scopeId, messageId: before }: KeptMessage,
): Promise<Result<readonly ContextItem[], StoreFault>> {
  const listed = await messages.list({ scopeId, before, limit: LIMITS.turnMessages });
  if (!listed.ok) return listed;
  const accepted = listed.value.filter(({ state }) => state === "accepted").toReversed();
  const found = await turns.of(accepted.map(({ messageId }) => messageId));
  if (!found.ok) return found;
  const turnsById = new Map(found.value.map((turn): [string, Turn] => [turn.messageId, turn]));
  return ok(
    accepted.flatMap((message) => {
      const turn = turnsById.get(message.messageId);
      // What the built-in rules said is no part of a conversation with a model.
      const reply = turn?.state === "ended" && turn.askedAt !== null ? replyItem(turn) : null;
      const item = messageItem({ message, turnNumber: turn?.turnNumber ?? 0 });
      return reply === null ? [item] : [item, reply];
    }),
  );
}

/** What the last runs printed, oldest first. Each passes the gates for what steps print before it is shown. [TAINT-03] */
async function workspace(deps: TalkDeps, { scopeId }: KeptMessage): Promise<Result<Gathered, StoreFault>> {
  const runs = await deps.work.list({ limit: LIMITS.turnRuns });
  if (!runs.ok) return runs;
  const items: ContextItem[] = [];
  const leftOut: string[] = [];
  for (const run of runs.value.toReversed()) {
    const ledger = await deps.work.ledger(run.runId);
    if (!ledger.ok) return ledger;
    for (const entry of ofLastAttempt(ledger.value)) {
      const passed = await throughGates(deps, { entry, scopeId });
      if (passed.ok) items.push(shownStep(run, { ...entry, returnValue: passed.value }));
      else leftOut.push(`what step "${oneLine(entry.stepName)}" of ${run.workItemId} printed (gate ${passed.error})`);
    }
  }
  return ok({ items, leftOut });
}

function ofLastAttempt(ledger: readonly LedgerEntry[]): readonly LedgerEntry[] {
  const last = Math.max(0, ...ledger.map(({ attempt }) => attempt));
  return ledger
    .filter(({ attempt, state }) => attempt === last && state === "ended")
    .filter((entry) => !isModelTurn(entry));
}

const shownStep = ({ workItemId, status }: RunRecord, entry: LedgerEntry): ContextItem => {
  const { executionId, stepName, success, returnValue, startedAt } = entry;
  return stepItem({ executionId, stepName, success, returnValue, startedAt, workItemId, status });
};

type Printed = { readonly entry: LedgerEntry; readonly scopeId: string };

/** What the gates leave of it, or the gate that stopped it. */
async function throughGates({ gates }: TalkDeps, { entry, scopeId }: Printed): Promise<Result<string, string>> {
  const output = entry.returnValue;
  const outcome = await gates.run({
    trigger: "after_step",
    context: { response: output, values: { ...printedValues(output), output } },
    itemGates: [],
    stepIndex: entry.stepIndex,
    actor: { kind: "system" },
    scopeId,
  });
  if (outcome.verdict === "continue") return ok(outcome.context.response ?? output);
  const held = outcome.firstBlock ?? outcome.policy.find(({ action }) => action === outcome.verdict);
  return { ok: false, error: held?.gateName ?? "unknown" };
}
