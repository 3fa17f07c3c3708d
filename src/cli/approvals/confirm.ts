import type { Friction, KeptRequest } from "#model";
import { CommandFailure, EXIT } from "../terminal/failure.ts";
import { askText, askYesNo } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

const SHORT_HASH_CHARS = 8;
const CONFIRM_WORD = "approve";

/** Asks with the care the risk demands, step by step, and answers with what was done. */
export async function confirmByHand(
  terminal: Terminal,
  { kind, card, planHash }: KeptRequest,
): Promise<readonly Friction[]> {
  if (card.riskLevel === "irreversible") {
    terminal.note("What this does cannot be taken back. No passkey is available in a terminal; both steps are asked.");
  }
  const yes = await askYesNo({
    message: kind === "plan_approval" ? "Approve this plan?" : "Approve this?",
    initialValue: card.riskLevel === "low",
  });
  if (yes !== true) throw notApproved();
  const performed: Friction[] = ["tap"];
  const isIrreversible = card.riskLevel === "irreversible";
  if (card.friction.includes("confirm") || isIrreversible) {
    await requireTyped(CONFIRM_WORD, `Type ${CONFIRM_WORD} to confirm`);
    performed.push("confirm");
  }
  if (card.friction.includes("slide") || isIrreversible) {
    const short = planHash.slice(0, SHORT_HASH_CHARS);
    await requireTyped(short, `Type the first ${SHORT_HASH_CHARS} characters of the hash above`);
    performed.push("slide");
  }
  return performed;
}

async function requireTyped(expected: string, message: string): Promise<void> {
  const text = await askText(message);
  if (text?.trim() !== expected) throw notApproved();
}

const notApproved = (): CommandFailure =>
  new CommandFailure({
    what: "Not approved.",
    kept: "Nothing was decided; the request waits on.",
    exit: EXIT.needsDecision,
  });
