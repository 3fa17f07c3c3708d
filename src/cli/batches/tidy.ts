import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { oneLine } from "#base";
import { keptRequestToWire, runLine, workDetailToWire, type KeptRequest, type WorkDetail } from "#model";
import type { Tidied } from "#ports";
import { confirmRequest } from "../approvals/approve.ts";
import type { Approvals } from "../approvals/http-approvals.ts";
import { orFail } from "../approvals/open-approvals.ts";
import { safeJson } from "../plan/safe-json.ts";
import { carryOut, refuseWhileStopped, withSilas } from "../run/carry-out.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, usage, type ExitCode } from "../terminal/failure.ts";
import { askChoice } from "../terminal/prompts.ts";
import { resultLines } from "../work/run-lines.ts";
import { describeBatch, describeUndo } from "./batch-lines.ts";
import { batchIn, usualIds, withChoice } from "./choose-items.ts";
import { writeSample } from "./sample.ts";

type Options = {
  readonly sample?: true | string;
  readonly propose?: true;
  readonly hash?: string;
  readonly json?: boolean;
};

export const define: Define = (tidy, act) => {
  tidy
    .description("Propose to move the files of a folder into folders by kind, ask, do it, and check it.")
    .argument("[folder]", "the folder; what lies in folders inside it stays")
    .option("--sample [folder]", "make a small folder of sample files first, and tidy that")
    .option("--propose", "only ask; decide in the browser or with `silas approve`")
    .option("--hash <hash>", "approve exactly the first batch with this hash, without being asked")
    .option("--json", "print JSON")
    .action(act(tidyFolder));
};

const TERMINAL = { kind: "terminal" } as const;
const SAMPLE = "silas-sample";
const LOOK_AGAIN_MS = 50;
const FOLLOWING_TRIES = 100;

const tidyFolder: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const { folder, takeAway } = await folderOf(call);
  const asking = withSilas(call, async (silas) => {
    await refuseWhileStopped(silas);
    return orFail(await silas.work.batches.tidy(folder, TERMINAL));
  });
  const tidied = await asking.catch(async (refused: unknown) => {
    await takeAway();
    throw refused;
  });
  const { asked } = tidied;
  if (options.json && (options.propose || options.hash === undefined)) return sayJson(call, tidied);
  sayLeftAlone(call, tidied);
  if (asked === null) return terminal.line("There is nothing to move.");
  if (options.propose) {
    terminal.line(`${asked.request.requestId}  ${asked.request.card.intent}`);
    const { requestId, riskLevel } = asked.request;
    return terminal.note(`Waits for your decision, ${riskLevel} risk. \`silas approve ${requestId}\` shows it.`);
  }
  let worst: ExitCode = EXIT.ok;
  let next: KeptRequest | null = asked.request;
  for (let rest = tidied.following; next !== null; rest -= 1) {
    const code = await decideOne(call, next);
    if (code !== EXIT.ok) worst = code;
    next = rest > 0 && options.hash === undefined ? await following(call, next) : null;
  }
  return worst;
};

type Place = { readonly folder: string; readonly takeAway: () => Promise<void> };

/** The folder that is meant; one that was made for this goes again where it may not be tidied. */
async function folderOf({ args, options, environment, here }: Call<Options>): Promise<Place> {
  const [named] = args;
  if (options.sample === undefined) {
    if (named === undefined) throw usage("Name a folder, or try it with --sample.");
    const folder = resolve(environment.cwd, named);
    return { folder: await realpath(folder).catch(() => folder), takeAway: async () => {} };
  }
  if (named !== undefined) throw usage("Name either a folder, or --sample with one.");
  const folder = resolve(environment.cwd, options.sample === true ? SAMPLE : options.sample);
  const takeAway = await writeSample(folder, here.now === undefined ? 0 : Date.parse(here.now));
  return { folder: await realpath(folder), takeAway };
}

function sayJson({ terminal }: Call<Options>, { asked, leftAlone, ...counts }: Tidied): void {
  const request = asked === null ? null : keptRequestToWire(asked.request);
  terminal.line(safeJson({ ...counts, request, left_alone: leftAlone }));
}

function sayLeftAlone({ terminal }: Call<Options>, { leftAlone, candidates, following: more }: Tidied): void {
  for (const { name, reason } of leftAlone) terminal.note(oneLine(`Left alone: ${name}: ${reason}`));
  if (more > 0) terminal.note(`${candidates} files in ${more + 1} batches; they are asked about one after the other.`);
}

/** One batch, from the question to the result. */
async function decideOne(call: Call<Options>, waiting: KeptRequest): Promise<ExitCode> {
  const shown = await withSilas(call, async ({ approvals }) => {
    const request = orFail(await approvals.show(waiting.requestId));
    return call.options.hash === undefined ? chosenByHand(call, { approvals, request }) : request;
  });
  if (shown === null) return EXIT.ok;
  const confirmed = await confirmRequest(call, shown);
  return sayResult(call, await carryOut(call, { request: shown, confirmed }));
}

type Asked = { readonly approvals: Approvals; readonly request: KeptRequest };

/** Shows the items. Where something is unusual, the usual ones alone are offered first; null when all are declined. */
async function chosenByHand({ terminal }: Call<Options>, { approvals, request }: Asked): Promise<KeptRequest | null> {
  const batch = batchIn(request);
  if (batch === null || !terminal.isInteractive) return request;
  const usual = usualIds(batch);
  const all = batch.items.length;
  if (usual.length === all || usual.length === 0) return request;
  for (const line of describeBatch(request)) terminal.note(line);
  const answer = await askChoice({
    message: "What is marked with ! is unusual. Which ones?",
    options: [
      { value: "usual", label: `Move the ${usual.length} usual ones` },
      { value: "all", label: `Move all ${all}` },
      { value: "none", label: "Move none of them" },
    ],
  });
  if (answer === "all") return request;
  if (answer === "usual") return withChoice(approvals, { request, choice: { only: usual.join(",") } });
  if (answer !== "none")
    throw new CommandFailure({ what: "Not decided.", kept: "The batch waits on.", exit: EXIT.needsDecision });
  const { requestId, planHash: shownHash } = request;
  orFail(await approvals.decide({ requestId, verdict: "declined", shownHash, friction: [], actor: TERMINAL }));
  terminal.line("Declined; nothing of it is moved.");
  return null;
}

function sayResult({ options, terminal }: Call<Options>, detail: WorkDetail): ExitCode {
  const { run, undo, title } = detail;
  if (options.json) terminal.line(safeJson(workDetailToWire(detail)));
  else {
    terminal.line(`${oneLine(title)}: ${runLine(detail)}`);
    for (const line of resultLines(run.results)) terminal.line(line);
    for (const line of undo === null ? [] : describeUndo(undo)) terminal.line(line);
    if (undo?.state === "open") terminal.note(`\`silas undo ${run.runId.slice(-8)}\` puts everything back.`);
  }
  return run.status === "done" ? EXIT.ok : EXIT.failed;
}

/** The batch that follows: a running Silas asks about it by itself, a moment after the decision. */
async function following(
  call: Call<Options>,
  { workItemId, requestId: before }: KeptRequest,
): Promise<KeptRequest | null> {
  return withSilas(call, async ({ approvals, work }) => {
    for (let tries = 0; tries < FOLLOWING_TRIES; tries += 1) {
      orFail(await work.batches.next());
      const waiting = orFail(await approvals.inbox());
      const found = waiting.find((one) => one.workItemId === workItemId && one.requestId !== before);
      if (found !== undefined) return found;
      await wait(LOOK_AGAIN_MS);
    }
    return null;
  });
}
