import { LIMITS } from "#base";
import { parsePayload } from "#model";
import { createInputReader } from "../canonical/input.ts";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { orFail, withApprovals } from "./open-approvals.ts";
import { sayProposed } from "./propose.ts";

/** Kinds that a person writes down; the others come from what Silas itself stopped or received. */
const BY_HAND: ReadonlySet<string> = new Set(["batch_review", "autonomy_threshold"]);

/** Asks for a decision on something else than a plan. What is approved is bound to exactly these values. [APPR-10] */
export const proposePayload: Handler<{ readonly json?: boolean }> = async (call) => {
  const [source = ""] = call.args;
  const bytes = await createInputReader(call.outside.stdin)(source, { bytesMax: LIMITS.bodyBytes });
  if (!bytes.ok) throw refused(`${source} could not be read (${bytes.error.code}).`);
  const payload = parsePayload(textOf(bytes.value));
  if (!payload.ok) throw refused(`${source} is not a batch and not a change of limits (${payload.error.reason}).`);
  if (!BY_HAND.has(payload.value.kind)) throw refused(`Nobody proposes a ${payload.value.kind} by hand.`);
  const actor = { kind: "terminal" } as const;
  sayProposed(
    call,
    await withApprovals(call, async (approvals) => orFail(await approvals.proposePayload(payload.value, actor))),
  );
};

/** A damaged byte must not become a mark that a title may really hold; what is no text is no JSON either. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "";
  }
}

const refused = (what: string): CommandFailure =>
  new CommandFailure({
    what,
    kept: "Nothing was proposed.",
    next: "docs/approvals.md shows what such a file holds.",
  });
