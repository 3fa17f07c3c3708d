import { expect, test } from "vitest";
import { settled } from "#sim";
import { homeDir, openDesk } from "./batch-fixture.ts";
import { DOORS } from "./door-calls.ts";
import { must } from "./journal-fixture.ts";

/** Looking starts the time of the request that is shown, and ends those whose time is over: both are changes. */
const TELLING: Readonly<Record<string, readonly string[]>> = {
  approvals: [
    "proposeAgain",
    "propose",
    "inbox",
    "missed",
    "show",
    "summary",
    "decide: approve",
    "decide: approve what lets nothing run",
    "decide: decline",
  ],
  keys: ["the key of a device: offer"],
  messages: ["receive", "receive from a stranger", "say", "endorse"],
  memory: ["change", "forget", "promote"],
  secrets: ["ask", "store", "remove"],
  work: ["cancel", "pause", "batches: tidy", "goals: pause", "goals: resume"],
  stops: ["startAgain", "stop"],
};

test.each(Object.keys(DOORS))(
  "open pages are told of each change of what waits by %s, and of nothing else",
  async (door) => {
    const telling: string[] = [];
    for (const [name, prepare] of Object.entries(DOORS[door] ?? {})) {
      // A desk of its own: what an earlier call set off in the background is not told here.
      const desk = await openDesk({}, homeDir());
      const call = await prepare(desk);
      await settled();
      let told = false;
      desk.app.review.subscribe(() => void (told = true));
      must(await call());
      await settled();
      if (told) telling.push(name);
      await desk.app.close();
    }
    expect(telling).toEqual(TELLING[door] ?? []);
  },
);
