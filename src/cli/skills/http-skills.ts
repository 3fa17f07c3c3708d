import { assert, ok, type Result } from "#base";
import { skillCheckSchema, skillViewSchema } from "#model";
import type { SkillsDoor } from "#ports";
import { proposedOf, type ProposedBody } from "../approvals/http-approvals.ts";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** Every script of a skill is parsed in a sandbox of its own; a silent minute is no fault. */
const LOOK_MS = 300_000;

/** The skills of a running instance: the same door as the local one. */
export function createHttpSkills(address: InstanceAddress): SkillsDoor {
  const call = async <T>(made: HttpCall): Promise<Result<T, never>> =>
    resultOf(await readAnswer(await callInstance(address, { ...made, silenceMs: LOOK_MS })));
  const post = <T>(path: string, value: object): Promise<Result<T, never>> =>
    call({ method: "POST", path, body: JSON.stringify(value) });
  return {
    check: async (place) => {
      const checked = await post<unknown>("/api/skills/check", { place });
      return checked.ok ? ok(whole(skillCheckSchema.safeParse(checked.value).data)) : checked;
    },
    install: async (place) => {
      const proposed = await post<ProposedBody>("/api/skills/install", { place });
      return proposed.ok ? ok(proposedOf(proposed.value)) : proposed;
    },
    list: async () => {
      const listed = await call<{ readonly skills: readonly unknown[] }>({ method: "GET", path: "/api/skills" });
      return listed.ok ? ok(listed.value.skills.map((view) => whole(skillViewSchema.safeParse(view).data))) : listed;
    },
    show: async (name) => {
      const shown = await call<{ readonly view: unknown; readonly check: unknown }>({
        method: "GET",
        path: ofSkill(name),
      });
      if (!shown.ok) return shown;
      const { view, check } = shown.value;
      return ok({
        view: whole(skillViewSchema.safeParse(view).data),
        check: check === null ? null : whole(skillCheckSchema.safeParse(check).data),
      });
    },
    remove: async (name) => {
      const removed = await post<object>(`${ofSkill(name)}/remove`, {});
      return removed.ok ? ok() : removed;
    },
  };
}

const ofSkill = (name: string): string => `/api/skills/${encodeURIComponent(name)}`;

function whole<T>(value: T | undefined): T {
  assert(value !== undefined, "the running Silas answers with skills that are whole");
  return value;
}
