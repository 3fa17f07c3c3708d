/** An earlier database was put back: the page shows one card, and a browser whose key counts can accept it. */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { SETTLED, startCockpit, type Cockpit } from "./browser.ts";
import { openSigner } from "./review-desk.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

test("[APPR-16] the page is read-only with one card, and accepting it there is signed, recorded and voids approvals", async () => {
  const { home } = cockpit;
  const { page, complaints } = await openSigner(cockpit);
  const file = join(home.dir, "data", "silas.db");
  await cockpit.stopServer();
  copyFileSync(file, join(home.dir, "earlier.db"));
  await cockpit.startServer();
  expect(await home.silas(["stop-all"])).toMatchObject({ code: 0 });
  await cockpit.stopServer();
  for (const suffix of ["-wal", "-shm"]) rmSync(file + suffix, { force: true });
  copyFileSync(join(home.dir, "earlier.db"), file);
  await cockpit.startServer();

  await page.goto(cockpit.url(), SETTLED);
  const card = page.getByTestId("hold");
  await card.getByText("This database is older than the one Silas last wrote").waitFor();
  await card.getByText("nothing runs, and nothing can be approved").waitFor();
  expect(await card.count()).toBe(1);

  // A browser that signs in now gets to the card as well; without a key it is sent to the terminal.
  const other = await cockpit.open();
  const hint = other.page.getByTestId("hold");
  await hint.getByText("silas audit accept").waitFor();
  expect(await hint.getByRole("button", { name: "Accept this database" }).count()).toBe(0);

  // Its sign-in is an entry of the chain, so what is shown is read again before it is signed.
  await page.reload(SETTLED);
  await card.getByRole("button", { name: "Accept this database" }).click();
  await card.getByRole("button", { name: "Void every unused approval?" }).click();
  await card.waitFor({ state: "detached" });
  await hint.waitFor({ state: "detached" });
  expect((await home.silas(["status"])).out).not.toContain("read-only");
  expect((await home.silas(["activity"])).out).toContain("You accepted an older database");
  expect((await home.silas(["audit", "verify", "--full"])).code).toBe(0);
  // While the server was away it could not be reached.
  expect(complaints.filter((each) => !each.includes("net::ERR_CONNECTION_"))).toEqual([]);
});
