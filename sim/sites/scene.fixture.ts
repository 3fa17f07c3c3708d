import { mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMemoryModels, type ModelScript } from "#gateway";
import type { KeptRequest } from "#model";
import type { Signer } from "#ports";
import { createMemoryVault } from "#stores";
import { RUNTIME_FILE } from "../approval-world.ts";
import { inWorld } from "../disk-run.ts";
import { closeWork, openWork, playSandboxes, type Script, type Working } from "../work-world.ts";
import type { File } from "./file.fixture.ts";

/** What each site of authorisation has to offer, so that all of them are tried in the same way. [APPR-23] */
export type Site = {
  readonly name: string;
  /** Whether there is a moment between the use of the approval and what it is used for. */
  readonly between?: "nothing";
  /** What is taken away whole has no attempt either, so that nobody tries: the chain alone still tells of it. */
  readonly whenTaken?: "nobody_tries";
  /** Up to the question that the owner is to answer. */
  ask(scene: SiteScene): Promise<Asked>;
};
type Asked = {
  readonly request: KeptRequest;
  /** After the answer: which of its approvals counts here, and what is done on it. */
  granted(): Promise<Granted>;
};
type Granted = {
  readonly tokenId: string;
  /** Whether the answer itself used it, or somebody does later. */
  readonly use: "now" | "later";
  /** Has everything happen that it allows, and answers when nothing more comes of it. */
  goOn(): Promise<void>;
  /** How often that was done. */
  done(): Promise<number> | number;
};

export type SiteScene = Working & {
  readonly file: File;
  /** Holds one file that would be tidied. */
  readonly folder: string;
  /** What programs were asked to do, in order. */
  readonly did: readonly string[];
  /** Whether the page that a goal looks after is there. */
  readonly page: { isThere: boolean };
};

/** A place outside of every workspace, where nothing is. */
export const OUTSIDE = "/srv/pages";
/** Each program by what it does; what a model and a batch do is told to one by its input. */
const doing =
  (did: string[], page: { isThere: boolean }): Script =>
  ({ argv, stdin }) => {
    if (argv.includes("placed") || argv.includes("kept")) return 0;
    const given = new TextDecoder().decode(stdin);
    const { tool, args } = (given === "" ? {} : JSON.parse(given)) as { tool?: string; args?: { path?: string } };
    const said = tool === undefined ? argv.join(" ") : `${tool} ${args?.path ?? ""}`.trim();
    did.push(said);
    if (said === "make page") page.isThere = true;
    return said === "look" && !page.isThere ? 1 : 0;
  };

/** Calls for a file outside of its workspace, once, and then says that it has come to its end. */
const calling: ModelScript = ({ prompt }) =>
  JSON.stringify(
    prompt.includes("Nothing was called yet")
      ? { tool: "file_write", args: { path: `${OUTSIDE}/page.txt`, content: "made" } }
      : { summary: "done", artifact_refs: [], next_steps: [] },
  );

export const inSites = (
  play: (scene: SiteScene) => Promise<void>,
  through?: (signer: Signer) => Signer,
): Promise<void> =>
  inWorld(23, async (world) => {
    const dataDir = join(world.root, "data");
    const vault = createMemoryVault();
    // Nothing below /tmp can be granted, and the world may lie in memory.
    const folder = realpathSync(mkdtempSync("/var/tmp/silas-site-"));
    mkdirSync(join(folder, "files"));
    writeFileSync(join(folder, "files/a.pdf"), "a");
    utimesSync(join(folder, "files/a.pdf"), OLD_S, OLD_S);
    const [did, page] = [[] as string[], { isThere: true }];
    const working = await openWork(world, {
      dataDir,
      vault,
      sandboxes: playSandboxes(join(world.root, "spaces"), doing(did, page)),
      models: createMemoryModels(calling),
      limits: LIMITS_SHIPPED,
      ...(through === undefined ? {} : { through }),
    });
    try {
      await play({
        ...working,
        file: { path: join(dataDir, RUNTIME_FILE), vault },
        folder: join(folder, "files"),
        did,
        page,
      });
    } finally {
      await closeWork(working);
      rmSync(folder, { recursive: true, force: true });
    }
  });
const OLD_S = Date.UTC(2001, 0, 1) / 1000;
const LIMITS_SHIPPED = {
  configured: {
    "standing.scope": "repairs",
    "standing.max_executions": "100",
    "standing.expires_at": "none",
    "batch_review.default_size": "10",
    "batch_review.confidence.high_min": "0.85",
  },
  bounds: { standingUsesMax: 100, batchSizeMax: 50, highConfidenceMin: 0.7 },
} as const;
