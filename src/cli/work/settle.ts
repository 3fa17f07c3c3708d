import { oneLine } from "#base";
import { runSettlementToWire, settlementLine, SETTLE_CHOICES, type Doubt, type SettleChoice } from "#model";
import type { WorkDoor } from "#ports";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Handler } from "../terminal/context.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { findRun, isPartOf, withWork } from "./open-work.ts";
import { resultLines } from "./run-lines.ts";

type Options = {
  readonly json?: boolean;
  readonly happened?: boolean;
  readonly again?: boolean;
  readonly leave?: boolean;
};

/** What became of a run in doubt, said once. Without a choice it says what there is to choose, and changes nothing. */
export const settleRun: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const [choice, ...others] = SETTLE_CHOICES.filter((one) => options[one] === true);
  const settlement = await withWork(call, async (work) => {
    const runId = await findDoubt(work, call.args[0] ?? "");
    if (choice === undefined || others.length > 0) throw await choices(work, runId);
    return orFail(await work.doubts.settle(runId, { choice, actor: { kind: "terminal" } }));
  });
  if (options.json) return terminal.line(safeJson({ settlement: runSettlementToWire(settlement) }));
  terminal.line(settlementLine(settlement));
  for (const line of resultLines(settlement.results)) terminal.line(line);
  if (settlement.requestId !== null) terminal.note(`\`silas approve ${settlement.requestId}\` shows it and asks.`);
};

/** The doubt a typed id means; a run that is in none is left to the door, which says what it is. */
async function findDoubt(work: WorkDoor, typed: string): Promise<string> {
  const fits = orFail(await work.doubts.list()).filter((doubt) => isPartOf(typed, doubt));
  const [found] = fits;
  return found !== undefined && fits.length === 1 ? found.runId : (await findRun(work, typed)).run.runId;
}

async function choices(work: WorkDoor, runId: string): Promise<CommandFailure> {
  const doubt = orFail(await work.doubts.list()).find((one) => one.runId === runId);
  return new CommandFailure({
    what:
      doubt === undefined ? `There is no doubt about ${runId}.` : `${oneLine(doubt.title)}: ${oneLine(doubt.reason)}.`,
    kept: doubt === undefined ? "Nothing was changed." : `Nothing was changed. ${placeWords(doubt)}`,
    next: `Say one of ${SETTLE_CHOICES.map((one) => `--${one} (${CHOICE_WORDS[one]})`).join(", ")}.`,
  });
}

const placeWords = ({ places }: Doubt): string =>
  places.length === 0 ? "" : `What it may have changed is in ${places.map(oneLine).join(", ")}.`;

const CHOICE_WORDS: { readonly [C in SettleChoice]: string } = {
  happened: "it happened, ask the checks",
  again: "propose the same plan again",
  leave: "leave it as it is",
};
