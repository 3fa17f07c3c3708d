import { assert, ok, type Result } from "#base";
import { goalDetailFromWire, goalSummaryFromWire, type GoalDetail } from "#model";
import type { GoalsDoor } from "#ports";
import { callInstance, readAnswer, type HttpCall, type InstanceAddress } from "../client/http-client.ts";
import { resultOf } from "../client/http-door.ts";

/** The goals of a running instance: the same door as the local one. */
export function createHttpGoals(address: InstanceAddress): GoalsDoor {
  const call = async <E>(made: HttpCall): Promise<Result<unknown, E>> =>
    resultOf(await readAnswer(await callInstance(address, made)));
  const detail = async (made: HttpCall): Promise<Result<GoalDetail, never>> => {
    const answer = await call<never>(made);
    return answer.ok ? ok(whole(goalDetailFromWire(answer.value))) : answer;
  };
  const act = (goalId: string, verb: "check" | "leave" | "pause" | "resume"): Promise<Result<GoalDetail, never>> =>
    detail({ method: "POST", path: `${pathOf(goalId)}/${verb}`, body: "{}" });
  return {
    list: async () => {
      const listed = await call<never>({ method: "GET", path: "/api/goals" });
      if (!listed.ok) return listed;
      const { goals } = listed.value as { readonly goals: readonly unknown[] };
      return ok(goals.map((body) => whole(goalSummaryFromWire(body))));
    },
    show: (goalId) => detail({ method: "GET", path: pathOf(goalId) }),
    check: (goalId) => act(goalId, "check"),
    leave: (goalId) => act(goalId, "leave"),
    pause: (goalId) => act(goalId, "pause"),
    resume: (goalId) => act(goalId, "resume"),
  };
}

const pathOf = (goalId: string): string => `/api/goals/${encodeURIComponent(goalId)}`;

function whole<T>(value: T | null): T {
  assert(value !== null, "the running Silas answers with goals that are whole");
  return value;
}
