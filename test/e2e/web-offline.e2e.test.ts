/** What the page does without its server, and when two pages meet. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Page } from "playwright-core";
import {
  DESKTOP,
  give,
  gone,
  goOnline,
  keepToasts,
  PHONE,
  startCockpit,
  titlesOf,
  untilSaved,
  type Cockpit,
} from "./browser.ts";

let cockpit: Cockpit;
beforeAll(async () => {
  cockpit = await startCockpit();
});
afterAll(() => cockpit.close());

const row = (page: Page, title: string) => page.getByTestId("task-list").locator("[data-task]", { hasText: title });
const online = (page: Page) => page.locator("[data-connection=online]");

async function capture(page: Page, text: string): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor();
  await page.keyboard.press("q");
  await page.getByRole("textbox", { name: "Capture" }).fill(text);
  await page.getByRole("textbox", { name: "Capture" }).press("Enter");
  await page.locator("dialog[open]").waitFor({ state: "detached" });
}

/** The shell is kept by the service worker; a test may only go offline once it is. */
const untilInstalled = (page: Page) =>
  page.evaluate("navigator.serviceWorker.ready.then((registration) => registration.active.state)");

describe("without a connection", () => {
  test.each([PHONE, DESKTOP])(
    "[PWA-01] at $width px the installed page reloads offline, shows what was here, and sends what was captured once",
    async (viewport) => {
      const { page, context } = await cockpit.open({ viewport });
      const title = `Read before at ${viewport.width}`;
      await give(page, { kind: "task.create", title });
      await page.goto(`${cockpit.url()}/tasks`);
      await row(page, title).waitFor();
      await untilInstalled(page);
      await page.reload();
      await row(page, title).waitFor();

      await context.setOffline(true);
      await page.reload();
      await row(page, title).waitFor();
      await page
        .getByText(/Offline - showing what was here at \d\d:\d\d/)
        .first()
        .waitFor();
      await capture(page, `First on the train at ${viewport.width}`);
      await capture(page, `Second on the train at ${viewport.width} #later`);
      await row(page, `Second on the train at ${viewport.width}`).getByText("Waiting to sync").waitFor();
      await expect.poll(() => page.getByTestId("waiting").textContent()).toContain("2 writes waiting to sync");

      await page.reload();
      await row(page, `First on the train at ${viewport.width}`).waitFor();
      await context.setOffline(false);
      await online(page).waitFor();
      await gone(page.getByTestId("waiting"));
      await expect
        .poll(async () => {
          const titles = await titlesOf(cockpit.home, "open");
          return titles.filter((each) => each.endsWith(`on the train at ${viewport.width}`)).length;
        })
        .toBe(2);
      await expect.poll(() => row(page, `train at ${viewport.width}`).count()).toBe(2);
      await context.close();
    },
  );

  test("[PWA-01] a write shows at once and as waiting when it is stored: closing the page then loses nothing", async () => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/tasks`);
    await untilInstalled(page);
    await online(page).waitFor();
    await context.setOffline(true);
    await page.evaluate(HOLD_THE_NEXT_WRITE);
    await capture(page, "Shown, then stored");
    await page.evaluate("window.held.begun");
    await row(page, "Shown, then stored").waitFor();
    expect(await page.getByText("Waiting to sync").count()).toBe(0);
    expect(await page.getByTestId("waiting").count()).toBe(0);
    await page.evaluate("window.held.release()");
    await row(page, "Shown, then stored").getByText("Waiting to sync").waitFor();
    await page.reload();
    await row(page, "Shown, then stored").getByText("Waiting to sync").waitFor();
    await context.close();
  });

  test("a task captured offline opens, its fields wait behind it, and the address becomes the real one", async () => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/tasks`);
    await untilInstalled(page);
    await online(page).waitFor();
    await context.setOffline(true);
    await capture(page, "Thought of underground #tunnel");
    const waits = row(page, "Thought of underground");
    await waits.getByText("Waiting to sync").waitFor();
    await waits.getByRole("link").click();
    const pane = page.getByRole("complementary");
    await pane.getByText(/kept in this browser and sent when/).waitFor();
    await pane.getByText("#tunnel").waitFor();
    await pane.getByRole("textbox", { name: "Title", exact: true }).fill("Thought of in the tunnel");
    await pane.getByRole("textbox", { name: "Title", exact: true }).press("Control+Enter");
    await pane.getByRole("combobox", { name: "Priority" }).selectOption("2");
    await row(page, "Thought of in the tunnel").getByText("P2").waitFor();
    const address = page.url();
    await page.reload();
    await expect
      .poll(() => pane.getByRole("textbox", { name: "Title", exact: true }).inputValue())
      .toBe("Thought of in the tunnel");

    await context.setOffline(false);
    await page.waitForURL((url) => url.href !== address);
    await untilSaved(page);
    await pane.getByRole("combobox", { name: "Labels" }).waitFor();
    await expect.poll(() => pane.getByRole("combobox", { name: "Priority" }).inputValue()).toBe("2");
    const titles = await titlesOf(cockpit.home, "open");
    expect(titles.filter((title) => title.startsWith("Thought of"))).toEqual(["Thought of in the tunnel"]);
    await context.close();
  });

  test("a capture that is discarded takes its waiting edits with it", async () => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/tasks`);
    await untilInstalled(page);
    await online(page).waitFor();
    await context.setOffline(true);
    await capture(page, "Not worth it");
    await row(page, "Not worth it").getByRole("link").click();
    await page.getByRole("complementary").getByRole("combobox", { name: "Priority" }).selectOption("1");
    await expect.poll(() => page.getByTestId("waiting").textContent()).toContain("2 writes");
    await page.getByRole("button", { name: "Discard this task" }).click();
    await row(page, "Not worth it").waitFor({ state: "detached" });
    await gone(page.getByTestId("waiting"));
    await context.close();
  });

  test("a stopped server is waited for; Retry now goes on at once, and a refused write is kept with its reason", async () => {
    const { page, context } = await cockpit.open();
    const id = await give(page, { kind: "task.create", title: "Concluded elsewhere" });
    await page.goto(`${cockpit.url()}/tasks`);
    await row(page, "Concluded elsewhere").waitFor();
    await cockpit.stopServer();
    await page.getByTestId("retry").waitFor();
    await page.getByRole("checkbox", { name: "Conclude Concluded elsewhere" }).click();
    await page.getByTestId("waiting").waitFor();
    await cockpit.home.json(["tasks", "delete", id, "--json"]);
    await cockpit.startServer();
    await goOnline(page);
    await page.getByTestId("refused").click();
    await page
      .getByText(/There is no task|already concluded|deleted/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await gone(page.getByTestId("refused"));
    await context.close();
  });
});

describe("a lost answer", () => {
  test("a write whose answer never came is sent again and applied once", async () => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/tasks`);
    await online(page).waitFor();
    let lost = 0;
    await page.route("**/api/journal/command", async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort("connectionreset");
    });
    await capture(page, "Answered into the void");
    await expect.poll(() => lost).toBe(1);
    await untilSaved(page);
    await online(page).waitFor();
    const titles = await titlesOf(cockpit.home, "open");
    expect(titles.filter((title) => title === "Answered into the void")).toHaveLength(1);
    await expect.poll(() => row(page, "Answered into the void").count()).toBe(1);
    await context.close();
  });
});

describe("a lost part", () => {
  test.each(["words", "review"])("a page to which %s did not come asks for all of it once more", async (part) => {
    // A page that was kept by the service worker asks nobody.
    const context = await cockpit.openStranger({ serviceWorkers: "block" });
    const page = await context.newPage();
    await page.goto(await cockpit.link());
    await online(page).waitFor();
    let visits = 0;
    page.on("request", (request) => void (visits += request.isNavigationRequest() ? 1 : 0));
    await page.route(new RegExp(`/assets/${part}-[^/]+\\.js$`), (route) =>
      visits === 1 ? route.abort("connectionreset") : route.continue(),
    );
    await page.goto(`${cockpit.url()}/review`);
    await page.getByRole("heading", { level: 1, name: "Review" }).waitFor();
    expect(visits).toBe(2);
    await context.close();
  });
});

describe("undo at an awkward moment", () => {
  const AWKWARD = [
    { when: "while the write is on its way", held: "**/api/journal/command" },
    { when: "before the page has read again what the write changed", held: "**/api/journal/query" },
  ] as const;
  test.each(AWKWARD)("$when still takes it back from the journal", async ({ when, held }) => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/tasks`);
    await online(page).waitFor();
    await untilSaved(page);
    const title = `Too hasty, ${when}`;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route(held, async (route) => {
      await released;
      await route.continue();
    });
    await keepToasts(page);
    const reached = page.waitForRequest(held);
    await capture(page, title);
    await reached;
    if (held.endsWith("command")) await row(page, title).getByRole("link").click();
    await page.getByRole("button", { name: /Undo|Discard this task/ }).click();
    release();
    await row(page, title).waitFor({ state: "detached" });
    await untilSaved(page);
    expect(await titlesOf(cockpit.home, "open")).not.toContain(title);
    await context.close();
  });

  test("in the moment in which the write before it is answered, what was never sent stays unsent", async () => {
    const { page, context } = await cockpit.open();
    await page.goto(`${cockpit.url()}/tasks`);
    await online(page).waitFor();
    await untilSaved(page);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/api/journal/command", async (route) => {
      await released;
      await route.continue();
    });
    const reached = page.waitForRequest("**/api/journal/command");
    await capture(page, "Sent first");
    await reached;
    await capture(page, "Taken back in time");
    await row(page, "Taken back in time").getByRole("link").click();
    await page.getByRole("button", { name: "Discard this task" }).waitFor();
    await page.evaluate(DISCARD_AT_THE_NEXT_ANSWER);
    release();
    await row(page, "Taken back in time").waitFor({ state: "detached" });
    await untilSaved(page);
    const titles = await titlesOf(cockpit.home, "open");
    expect(titles.filter((each) => /^(Sent first|Taken back in time)$/.test(each))).toEqual(["Sent first"]);
    await context.close();
  });
});

/** The first thing that is done about an answer is to forget the write that was answered. */
const DISCARD_AT_THE_NEXT_ANSWER = `(() => {
  const forget = IDBObjectStore.prototype.delete;
  IDBObjectStore.prototype.delete = function (key) {
    IDBObjectStore.prototype.delete = forget;
    [...document.querySelectorAll("button")].find((each) => each.textContent.includes("Discard this task")).click();
    return forget.call(this, key);
  };
})()`;

/** A transaction lasts as long as something is asked of it. It has begun when the page had two frames to show the row. */
const HOLD_THE_NEXT_WRITE = `(() => {
  const put = IDBObjectStore.prototype.put;
  const begun = Promise.withResolvers();
  let isHeld = true;
  window.held = { begun: begun.promise, release: () => (isHeld = false) };
  IDBObjectStore.prototype.put = function (value, ...rest) {
    if (this.name !== "outbox") return put.call(this, value, ...rest);
    IDBObjectStore.prototype.put = put;
    const hold = () => {
      if (isHeld) this.count().onsuccess = hold;
    };
    const putting = put.call(this, value, ...rest);
    hold();
    requestAnimationFrame(() => requestAnimationFrame(() => begun.resolve(true)));
    return putting;
  };
})()`;

const READ_THE_OUTBOX = `new Promise((resolve, reject) => {
  const opening = indexedDB.open("silas");
  opening.onerror = reject;
  opening.onsuccess = () => {
    const reading = opening.result.transaction("outbox").objectStore("outbox").count();
    reading.onsuccess = () => (opening.result.close(), resolve(reading.result));
  };
})`;

describe("two pages of one owner", () => {
  test("a change in one is seen in the other without a reload", async () => {
    const { page, context } = await cockpit.open();
    const other = await context.newPage();
    await page.goto(`${cockpit.url()}/tasks`);
    await other.goto(`${cockpit.url()}/tasks`);
    await online(other).waitFor();
    await capture(page, "Seen at once");
    await row(other, "Seen at once").waitFor();
    await context.close();
  });

  test("a change that one still waits to hear of is shown once in the other", async () => {
    const { page, context } = await cockpit.open();
    const other = await context.newPage();
    const heard = other
      .waitForEvent("websocket")
      .then((socket) =>
        socket.waitForEvent("framereceived", ({ payload }) => String(payload).includes("change_batch")),
      );
    await page.goto(`${cockpit.url()}/tasks`);
    await other.goto(`${cockpit.url()}/tasks`);
    await online(other).waitFor();
    await page.route("**/api/journal/command", async (route) => {
      const response = await route.fetch();
      // The other page hears of it, and has had the time to look into the outbox, before the first gets its answer.
      await heard;
      await other.evaluate(READ_THE_OUTBOX);
      await route.fulfill({ response });
    });
    await capture(page, "Shown once");
    await other.locator('[data-task]:not([data-task^="pending."])', { hasText: "Shown once" }).waitFor();
    expect(await row(other, "Shown once").count()).toBe(1);
    await context.close();
  });

  test("both edit one title: the second is shown both values and nothing is lost", async () => {
    const { page, context } = await cockpit.open();
    const other = (await cockpit.open()).page;
    const id = await give(page, { kind: "task.create", title: "As it was" });
    const address = `${cockpit.url()}/tasks/${id}`;
    await page.goto(address);
    await other.goto(address);
    const title = (of: Page) => of.getByRole("textbox", { name: "Title", exact: true });
    await title(other).fill("Typed in the second");
    await title(page).fill("Saved in the first");
    await title(page).press("Control+Enter");
    await expect.poll(() => titlesOf(cockpit.home, "open")).toContain("Saved in the first");
    await expect.poll(() => title(other).inputValue()).toBe("Typed in the second");
    await title(other).press("Control+Enter");
    await other.getByRole("region", { name: "Yours" }).getByText("Typed in the second").waitFor();
    await other.getByRole("region", { name: "Theirs" }).getByText("Saved in the first").waitFor();
    await other.getByRole("button", { name: "Keep mine" }).click();
    await expect.poll(() => titlesOf(cockpit.home, "open")).toContain("Typed in the second");
    await expect.poll(() => title(page).inputValue()).toBe("Typed in the second");
    await context.close();
  });
});
