import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHome, type Home } from "./cli-process.ts";
import { startServer } from "./server-start.ts";
import { sitAt } from "./typing-person.ts";

const POLL = { interval: 500 };

type Undo = {
  readonly state: string;
  readonly run_id: string | null;
  readonly items: readonly { readonly title: string; readonly outcome: string }[];
};
type Detail = {
  readonly run: { readonly run_id: string; readonly status: string; readonly is_verified: boolean };
  readonly undo: Undo | null;
};
type Request = { readonly request_id: string; readonly plan_hash: string; readonly markdown: string };

let home: Home;
let place: string;
beforeAll(async () => {
  home = createHome();
  // Plans may not reach into /tmp.
  place = realpathSync(mkdtempSync("/var/tmp/silas-tidy-"));
});
afterAll(async () => {
  await home.remove();
  rmSync(place, { recursive: true, force: true });
});

/** Every path with its bytes, mode and time. */
function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((path) => {
      const about = lstatSync(join(folder, path));
      if (about.isDirectory()) return `${path}/`;
      const bytes = createHash("sha256")
        .update(readFileSync(join(folder, path)))
        .digest("hex");
      return `${path} ${bytes} ${about.mode} ${about.mtimeMs}`;
    });
}
const show = (id: string): Promise<Detail> => home.json<Detail>(["work", "show", id, "--json"]);

describe("tidying a folder", () => {
  test("a person chooses the usual ones, approves, sees two checks pass, and takes it back", async () => {
    const folder = join(place, "by-hand");
    const sat = await sitAt(home, {
      args: ["tidy", "--sample", folder],
      turns: [
        { when: /Which ones\?/, type: "\r" },
        { when: /Approve this\?/, type: "y" },
        { when: /Type approve/, type: "approve\r" },
      ],
    });
    expect(sat.screen).toContain("Beach.jpg -> Images/Beach.jpg");
    expect(sat.screen).toContain("Done, checked 2 of 2");
    expect(sat.screen).toContain("7 of 7 items");
    expect(sat.code).toBe(0);
    expect(readdirSync(folder).toSorted()).toEqual(
      ["Archives", "Audio", "Documents", "Draft.txt", "Images", "README", "Spreadsheets", "clean-up.sh"].toSorted(),
    );
    const [, id = ""] = /silas undo ([0-9a-f]{8})/.exec(sat.screen) ?? [];
    const undone = await home.silas(["undo", id]);
    expect(undone).toMatchObject({ code: 0, out: expect.stringContaining("7 of 7 items are back") });
    expect(readdirSync(folder)).toHaveLength(10);
  });

  test("through a running Silas: chosen, approved by its hash, run, taken back byte for byte, told in Activity, and proven by its receipt", async () => {
    const started = await home.start();
    const folder = join(place, "running");
    const { request } = await home.json<{ readonly request: Request }>(["tidy", "--sample", folder, "--json"]);
    const before = treeOf(folder);
    // What is chosen is asked about anew: nobody is here to decide, so it waits.
    expect(await home.silas(["approve", request.request_id, "--without", "3,7,10"])).toMatchObject({ code: 3 });
    const late = await home.silas(["approve", request.request_id, "--hash", request.plan_hash]);
    expect([late.code, late.err]).toEqual([1, expect.stringContaining("Replaced by a selection on the terminal")]);
    expect((await home.silas(["approvals", "list"])).out).toContain("replaced by a selection");
    const { requests } = await home.json<{ readonly requests: readonly Request[] }>(["inbox", "--json"]);
    const [chosen] = requests;
    if (chosen === undefined) throw new Error("the choice waits");
    expect(treeOf(folder)).toEqual(before);
    const approved = await home.silas(["approve", chosen.request_id, "--hash", chosen.plan_hash]);
    expect(approved).toMatchObject({ code: 0 });
    const id = chosen.request_id;
    await expect.poll(async () => (await show(id)).run.status, POLL).toBe("done");
    const done = await show(id);
    expect(done).toMatchObject({ run: { is_verified: true }, undo: { state: "open" } });
    expect(done.undo?.items.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 7 }, () => "done"));
    const undone = await home.silas(["undo", done.run.run_id]);
    expect(undone.code).toBe(0);
    expect(treeOf(folder)).toEqual(before);
    // A second time changes nothing, and says how it went.
    expect(await home.silas(["undo", done.run.run_id])).toMatchObject({ code: 0, out: undone.out });
    const { out: told } = await home.silas(["activity"]);
    for (const sentence of [
      'You chose among 10 items of "Move files in running"',
      'You approved 7 items of "Move files in running"',
      'Kept the way back of "Move files in running"',
      'You asked to put back 7 items of "Move files in running"',
      '"Move files in running" is done, 2 of 2 checks passed',
    ]) {
      expect(told).toContain(sentence);
    }
    const receipt = join(place, "receipt.json");
    expect(await home.silas(["approvals", "export", id, receipt])).toMatchObject({ code: 0 });
    expect(
      await home.silas(["approvals", "verify", receipt], { env: { SILAS_HOME: join(place, "none") } }),
    ).toMatchObject({
      code: 0,
    });
    started.child.kill("SIGKILL");
    await started.ended;
  });

  test("what cannot be tidied is refused in a sentence, and nothing waits", async () => {
    const refused = await home.silas(["tidy", "/etc"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("belongs to the system") });
    expect(await home.silas(["tidy"])).toMatchObject({ code: 2 });
    mkdirSync(join(place, "empty"));
    writeFileSync(join(place, "empty", "a\nb.txt"), "two lines");
    const odd = await home.silas(["tidy", join(place, "empty")]);
    expect(odd.err).toContain("characters that cannot be shown");
    expect(odd.out).toContain("nothing to move");
    expect((await home.silas(["inbox"])).err).toContain("Nothing waits for you");
  });

  test("only the terminal has a folder looked at; a page may choose and take back, and nothing of it begins by asking wrongly", async () => {
    const server = await startServer();
    try {
      const codeOf = async (path: string, json: object): Promise<readonly unknown[]> => {
        const answer = await server.call(path, { json });
        const body = (await answer.json()) as { readonly error?: { readonly code: string } };
        return [answer.status, body.error?.code];
      };
      expect(await codeOf("/api/batches/tidy", { folder: place })).toEqual([403, "terminal_only"]);
      expect(await codeOf("/api/work/nobody/undo", {})).toEqual([404, "undo_unknown"]);
      expect(await codeOf("/api/work/nobody/undo", { runs: 9 })).toEqual([400, "invalid_input"]);
      expect(await codeOf("/api/work/nobody/undo/propose", {})).toEqual([404, "undo_unknown"]);
      const chosen = { selected_item_ids: ["1"] };
      expect(await codeOf("/api/approvals/nobody/selection", chosen)).toEqual([404, "request_unknown"]);
      expect(await codeOf("/api/approvals/nobody/selection", {})).toEqual([400, "invalid_input"]);
    } finally {
      await server.stop();
    }
  });
});
