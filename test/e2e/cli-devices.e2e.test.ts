import { afterEach, beforeEach, expect, test } from "vitest";
import type { DeviceKeyBody, OwnerKeyBody } from "#model";
import { createHome, urlIn, type Home } from "./cli-process.ts";
import { offerKey, openPageAt } from "./page-device.ts";
import { sitAt } from "./typing-person.ts";

let home: Home;
beforeEach(() => {
  home = createHome();
});
afterEach(() => home.remove());

const linkIn = (text: string): string => /http:\/\/localhost:\d+\/enrol#\S+/.exec(text)?.[0] ?? "";

test("[KEY-01] the terminal prints the code of a browser that asks, and confirms, lists and revokes its key", async () => {
  expect(await home.silas(["keys", "confirm", "123456"])).toMatchObject({ code: 1 });
  const started = await home.start();
  const page = await openPageAt(urlIn(started.output()), linkIn(started.output()));
  expect(await home.silas(["keys", "confirm"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("No device waits"),
  });
  const { body: waiting } = await offerKey(page, "Kitchen \u202etablet");
  const said = `asks to sign approvals with the code ${waiting.code}: \`silas keys confirm\``;
  await expect.poll(started.output).toContain(said);
  expect(started.output()).not.toContain("\u202e");
  expect(await home.silas(["keys", "confirm"])).toMatchObject({ code: 3 });
  expect(await home.silas(["keys", "confirm", "12345"])).toMatchObject({ code: 2 });
  const wrong = waiting.code === "123456" ? "654321" : "123456";
  expect(await home.silas(["keys", "confirm", wrong])).toMatchObject({
    code: 1,
    err: expect.stringContaining("No waiting device shows this code."),
  });
  const sat = await sitAt(home, {
    args: ["keys", "confirm"],
    turns: [{ when: /Type the code/, type: `${waiting.code.slice(0, 3)} ${waiting.code.slice(3)}\r` }],
  });
  expect(sat).toMatchObject({ code: 0, screen: expect.stringContaining("signs approvals from now on") });
  expect(sat.screen).toContain(waiting.code);
  const { keys } = await home.json<{ readonly keys: readonly OwnerKeyBody[] }>(["keys", "list", "--json"]);
  const key = keys.find(({ kind }) => kind === "browser");
  expect(key).toMatchObject({ session_id: page.sessionId, public_key: page.publicKey, revoked_at: null });
  expect((await home.silas(["keys", "list"])).out).toContain("a browser");
  expect(await home.silas(["keys", "revoke", key?.key_id ?? "", "--yes"])).toMatchObject({ code: 0 });
  expect((await page.call<DeviceKeyBody>("/api/keys/devices/current")).body).toMatchObject({ state: "revoked" });
  const activity = await home.silas(["activity"]);
  expect(activity.out).toContain("it waits to be confirmed");
  expect(activity.out).toContain("Refused the key of a device (the code was wrong)");
});
