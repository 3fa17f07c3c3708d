import { expect, test } from "vitest";
import { ok } from "#base";
import type { ConsultDeps } from "./deps.ts";
import { runConsult } from "./run-consult.ts";

test.each(["advice", "replan"])(
  "while everything is stopped, a waiting %s is left for later and nothing else is read",
  async (kind) => {
    const deps = {
      consults: { find: async () => ok({ consultationId: "c", kind, state: "waiting" }) },
      isStopped: async () => true,
    } as unknown as ConsultDeps;
    expect(await runConsult(deps, "c")).toBe("later");
  },
);
