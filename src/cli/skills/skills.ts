import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { oneLine } from "#base";
import { keptRequestToWire, SKILL_NAME, skillCheckToWire, skillViewToWire, type SkillView } from "#model";
import type { SkillsDoor } from "#ports";
import { confirmRequest } from "../approvals/approve.ts";
import { createHttpApprovals, type Approvals } from "../approvals/http-approvals.ts";
import { orFail } from "../approvals/open-approvals.ts";
import { reachSilas } from "../client/door.ts";
import { askOnce } from "../keys/open-keys.ts";
import { safeJson } from "../plan/safe-json.ts";
import type { Call, Define, Handler } from "../terminal/context.ts";
import { CommandFailure, EXIT, type ExitCode } from "../terminal/failure.ts";
import { printTable } from "../terminal/table.ts";
import { createHttpSkills } from "./http-skills.ts";
import { describeCheck, skillRow } from "./skill-lines.ts";

type Options = { readonly json?: boolean; readonly propose?: true; readonly hash?: string };

export const define: Define = (skills, act) => {
  skills.option("--json", "print JSON").action(act(listSkills));
  skills
    .command("list")
    .description("Skills that lie in your folder of skills or were installed, and how each stands.")
    .option("--json", "print JSON")
    .action(act(listSkills));
  skills
    .command("show <name>")
    .description("One skill: how it stands, its files and what the checks find.")
    .option("--json", "print JSON")
    .action(act(showSkill));
  skills
    .command("check <folder>")
    .description("Check a folder, or a skill by its name, without installing or running anything of it.")
    .option("--json", "print JSON")
    .action(act(checkSkill));
  skills
    .command("install <place>")
    .description("Check a skill, show all of it, ask, try its scripts, and make this version active.")
    .option("--propose", "only ask; decide in the browser or with `silas approve`")
    .option("--hash <hash>", "approve exactly the installation with this hash, without being asked")
    .option("--json", "print JSON")
    .action(act(installSkill));
  skills
    .command("remove <name>")
    .description("End the installation of a skill, and remove its folder.")
    .option("--json", "print JSON")
    .action(act(removeSkill));
};

const TERMINAL = { kind: "terminal" } as const;

const COLUMNS = [
  { header: "SKILL" },
  { header: "STATE" },
  { header: "WHY", flexible: true },
  { header: "DIGEST", spare: 1 },
  { header: "INSTALLED", spare: 2 },
] as const;

const listSkills: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const views = await withSkills(call, async ({ skills }) => orFail(await skills.list()));
  if (options.json) return terminal.line(safeJson({ skills: views.map(skillViewToWire) }));
  if (views.length === 0) return terminal.note("There is no skill yet. `silas skills install FOLDER` asks for one.");
  printTable(terminal, { columns: COLUMNS, rows: views.map(skillRow) });
};

const showSkill: Handler<Options> = async (call) => {
  const { view, check } = await withSkills(call, async ({ skills }) => orFail(await skills.show(call.args[0] ?? "")));
  const wire = { ...skillViewToWire(view), check: check === null ? null : skillCheckToWire(check) };
  if (call.options.json) return call.terminal.line(safeJson(wire));
  call.terminal.line(oneLine(`${view.name}: ${stateWords(view)}`));
  for (const line of check === null ? [] : describeCheck(check).slice(1)) call.terminal.line(line);
};

const checkSkill: Handler<Options> = async (call): Promise<ExitCode> => {
  const place = await placeOf(call);
  const check = await withSkills(call, async ({ skills }) => orFail(await skills.check(place)));
  if (call.options.json) call.terminal.line(safeJson(skillCheckToWire(check)));
  else for (const line of describeCheck(check)) call.terminal.line(line);
  return check.report.problems.length === 0 ? EXIT.ok : EXIT.failed;
};

/** Asks as for a plan, and says at the end whether the skill is active. */
const installSkill: Handler<Options> = async (call) => {
  const { options, terminal } = call;
  const place = await placeOf(call);
  const { request } = await withSkills(call, async ({ skills }) => orFail(await skills.install(place, TERMINAL)));
  const { requestId } = request;
  if (options.propose === true) {
    if (options.json) return terminal.line(safeJson({ request: keptRequestToWire(request) }));
    terminal.line(`Asked as ${requestId}: ${oneLine(request.card.intent)}`);
    return terminal.note(`Decide in Review, or with \`silas approve ${requestId}\`.`);
  }
  const confirmed = await confirmRequest(call, request);
  const view = await withSkills(call, async ({ skills, approvals }) => {
    orFail(await approvals.decide({ requestId, verdict: "approved", actor: TERMINAL, ...confirmed }));
    return settledView(skills, requestId);
  });
  if (options.json) terminal.line(safeJson(view === null ? null : skillViewToWire(view)));
  if (view === null || view.state !== "active") throw notActive(view);
  if (!options.json) terminal.line(oneLine(`Installed ${view.name}: its scripts were tried, and it is active.`));
};

const LOOKS = 100;
const LOOK_AGAIN_MS = 50;

/** What became of the installation, once that is known. */
async function settledView(skills: SkillsDoor, requestId: string): Promise<SkillView | null> {
  for (let look = 0; look < LOOKS; look += 1) {
    const view = orFail(await skills.list()).find((one) => one.requestId === requestId);
    if (view !== undefined) return view;
    await wait(LOOK_AGAIN_MS);
  }
  return null;
}

const notActive = (view: SkillView | null): CommandFailure =>
  new CommandFailure({
    what:
      view === null
        ? "It is not known yet what became of it."
        : `${view.name} is approved and not active: ${view.why}.`,
    kept: "Nothing uses it.",
    next: "`silas skills list` says how it stands; repair it and install it again.",
  });

const removeSkill: Handler<Options> = async (call) => {
  const name = call.args[0] ?? "";
  await withSkills(call, async ({ skills }) => orFail(await skills.remove(name, TERMINAL)));
  if (call.options.json) return call.terminal.line(safeJson({ removed: name }));
  call.terminal.line(`Removed ${oneLine(name)}.`);
};

const stateWords = ({ state, why }: SkillView): string => (why === "" ? state : `${state}, ${why}`);

/** A plain name is a skill of yours; anything else is a folder, from where the command was typed. */
async function placeOf({ args }: Call<unknown>): Promise<string> {
  const typed = args[0] ?? "";
  if (SKILL_NAME.test(typed)) return typed;
  return realpath(resolve(typed)).catch(() => resolve(typed));
}

type Reached = { readonly skills: SkillsDoor; readonly approvals: Approvals };

/** Through the running instance, or in this process when none runs. */
async function withSkills<T>(
  { environment, terminal }: Pick<Call<object>, "environment" | "terminal">,
  work: (reached: Reached) => Promise<T>,
): Promise<T> {
  const silas = await reachSilas({ environment, askPassphrase: askOnce(terminal) });
  if (silas.kind === "instance") {
    return work({ skills: createHttpSkills(silas.address), approvals: createHttpApprovals(silas.address) });
  }
  try {
    return await work(silas.app);
  } finally {
    await silas.app.close();
  }
}
