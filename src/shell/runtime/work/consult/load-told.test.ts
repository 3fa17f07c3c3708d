import { expect, test } from "vitest";
import { LIMITS, ok } from "#base";
import type { Consultation, KeptRequest } from "#model";
import { loadTold } from "./load-told.ts";

/** Requests of which each was asked again as the next, so many times. */
const askedAgain = (times: number) => ({
  find: async (requestId: string) => {
    const number = Number(requestId.slice("request-".length));
    const replacedBy = number < times ? `request-${number + 1}` : null;
    return ok({ requestId, state: "expired", replacedBy } as KeptRequest);
  },
});

test("another way that was asked again and again is told of as it is asked now, and no further than can be listed", async () => {
  const consultation = { requestId: "request-0" } as Consultation;
  const lastOf = async (times: number) => {
    const told = await loadTold({ approvals: askedAgain(times), list: async () => ok([]) }, [consultation]);
    return told.ok ? JSON.stringify(told.value).match(/request-[1-9]\d*/)?.[0] : null;
  };
  const most = LIMITS.runsListed;
  expect([await lastOf(most - 1), await lastOf(most), await lastOf(most + 1)]).toEqual([
    `request-${most - 1}`,
    `request-${most}`,
    `request-${most}`,
  ]);
});
