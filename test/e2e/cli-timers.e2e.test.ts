import { afterAll, beforeAll, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";

type Timers = { readonly timers: readonly { readonly key: string; readonly next_due: string | null }[] };

let home: Home;
beforeAll(async () => {
  home = createHome();
  await home.silas(["init"]);
});
afterAll(() => home.remove());

test("[TIMER-02] timers lists what is due, through the running Silas and without it", async () => {
  expect((await home.silas(["timers"])).err).toContain("No timer is set");
  await home.start();
  const listed = await home.json<Timers>(["timers", "--json"]);
  const keys = listed.timers.map(({ key }) => key);
  expect(keys).toEqual(
    expect.arrayContaining([
      "autonomy:limits",
      "housekeeping:artifacts",
      "housekeeping:audit_head",
      "housekeeping:nonces",
    ]),
  );
  expect(listed.timers.every(({ next_due }) => next_due !== null)).toBe(true);
  const shown = await home.silas(["timers"]);
  expect(shown.out).toMatch(/housekeeping:nonces +every 10 .+\d{4}-\d\d-\d\d \d\d:\d\d/);
  expect(await home.silas(["stop"])).toMatchObject({ code: 0 });
  const alone = await home.json<Timers>(["timers", "--json"]);
  expect(alone.timers.map(({ key }) => key)).toEqual(keys);
});
