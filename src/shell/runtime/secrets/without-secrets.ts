import { err, ok, type Result } from "#base";
import type { JournalCommand, SecretRefusal, SecretScan } from "#model";
import { judgeScan } from "#policy";
import type { ApprovalsDoor, FindSecrets, JournalDoor, MessagesDoor } from "#ports";

/** INVARIANT: what comes in by one of these doors is scanned for passwords and keys before anything of it is stored. */
export const withoutSecrets = { journal: cleanJournal, approvals: cleanApprovals, messages: cleanMessages };

/** The journal: the texts of a command are scanned, and each line of an import. */
function cleanJournal(journal: JournalDoor, find: FindSecrets): JournalDoor {
  return {
    ...journal,
    async submit(request) {
      const clean = await refuseSecrets(find, textsOfCommand(request.command));
      return clean.ok ? journal.submit(request) : clean;
    },
    async importLines(lines, actor) {
      const scanned = scanLines(lines, find);
      const imported = await journal.importLines(scanned.lines, actor);
      return scanned.refused() ?? imported;
    },
  };
}

/** Plans, everything else that is proposed, and what the owner answers to a question. */
function cleanApprovals(approvals: ApprovalsDoor, find: FindSecrets): ApprovalsDoor {
  return {
    ...approvals,
    async check(markdown) {
      const clean = await refuseSecrets(find, [markdown]);
      return clean.ok ? approvals.check(markdown) : clean;
    },
    async propose(markdown, actor) {
      const clean = await refuseSecrets(find, [markdown]);
      return clean.ok ? approvals.propose(markdown, actor) : clean;
    },
    async proposePayload(payload, actor) {
      const clean = await refuseSecrets(find, textsIn(payload));
      return clean.ok ? approvals.proposePayload(payload, actor) : clean;
    },
    async decide(answer) {
      const clean = await refuseSecrets(find, textsIn(answer.answer));
      return clean.ok ? approvals.decide(answer) : clean;
    },
    async prepareApproval(answer) {
      const clean = await refuseSecrets(find, textsIn(answer.answer));
      return clean.ok ? approvals.prepareApproval(answer) : clean;
    },
  };
}

/** The conversation: scanned before it is signed and before it is kept. */
function cleanMessages<M extends Pick<MessagesDoor, "receive" | "say">>(messages: M, find: FindSecrets): M {
  return {
    ...messages,
    async receive(sent, sender) {
      const clean = await refuseSecrets(find, [sent.text, ...sent.attachments]);
      return clean.ok ? messages.receive(sent, sender) : clean;
    },
    async say(words, sender) {
      const clean = await refuseSecrets(find, [words.text, ...words.attachments]);
      return clean.ok ? messages.say(words, sender) : clean;
    },
  } satisfies Pick<MessagesDoor, "receive" | "say"> & M;
}

const refuseSecrets = async (find: FindSecrets, texts: readonly string[]): Promise<Result<void, SecretRefusal>> =>
  judgeScan(await scanTexts(find, texts));

/** Each text on its own: what one field ends with and the next begins with is no credential. */
export async function scanTexts(find: FindSecrets, texts: readonly string[]): Promise<SecretScan> {
  for (const text of new Set(texts)) {
    const scan = await find(text);
    if (!scan.ok || scan.value.length > 0) return scan;
  }
  return ok([]);
}

/** `was` is what stands there already; whoever takes a credential out of a note sends it along. */
function textsOfCommand(command: JournalCommand): readonly string[] {
  const { was: _was, ...written } = command as JournalCommand & { readonly was?: unknown };
  return textsIn(written);
}

function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length < SHORTEST ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(textsIn);
}
/** No password is found in less: "PIN is 1234" has more. */
const SHORTEST = 8;

/** An import ends early at a line with a credential; without its last line nothing of it is written. */
function scanLines(lines: AsyncIterable<string>, find: FindSecrets) {
  let found: { readonly line: number; readonly refusal: SecretRefusal } | null = null;
  async function* passed(): AsyncGenerator<string> {
    let line = 0;
    for await (const text of lines) {
      line += 1;
      const clean = await refuseSecrets(find, textsIn(parsed(text)));
      if (!clean.ok) {
        found = { line, refusal: clean.error };
        return;
      }
      yield text;
    }
  }
  return {
    lines: passed(),
    refused: () =>
      found === null ? null : err({ code: "invalid_line", line: found.line, reason: reasonOf(found.refusal) } as const),
  };
}

const reasonOf = (refusal: SecretRefusal): string =>
  refusal.code === "holds_secret" ? `looks like: ${refusal.found}` : refusal.code;

/** A line that is no JSON is refused by whoever reads it. */
function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
