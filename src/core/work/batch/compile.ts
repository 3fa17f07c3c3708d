import { assert, err, ok, sha256Hex, type Instant, type Result } from "#base";
import {
  FRONT_MATTER,
  MOVE_FILES,
  readMoveFiles,
  RUNTIME_STATE,
  toCamel,
  WORK_ITEM,
  type BatchProjection,
  type MoveFiles,
  type MoveFilesRefused,
  type WorkItem,
  readRecord,
  type WireRecord,
} from "#model";
import type { Report } from "../problems.ts";
import { checkGrants } from "../steps/check-steps.ts";
import { checkCommand } from "./check-program.ts";

const WALL_SECONDS = 1_800;
const NAME_CHARS = 80;

/**
 * The one plan that a batch becomes: a step for each item, in its order, and two checks. It follows from what was signed
 * and from nothing else, so that run, ledger, recovery and checks are those of any plan. A batch of an action that nobody
 * knows becomes none. [BATCH-04]
 */
export function compileBatch(projection: BatchProjection, at: Instant): Result<WorkItem, MoveFilesRefused> {
  if (projection.action !== MOVE_FILES) return refuse("action_unknown");
  const read = readMoveFiles(projection);
  if (!read.ok) return read;
  const { folder } = read.value;
  const files = { read: [], write: [folder] };
  const problems: string[] = [];
  const report: Report = (path, { code }) => void problems.push(`${path[0] ?? code}`);
  checkGrants(files, (_path, { code }) => void problems.push(code));
  const none = new Set<string>();
  const wire = readRecord(FRONT_MATTER, {
    value: planOf(projection.goal_id, read.value),
    path: [],
    report,
    refusedKeys: none,
  });
  const [wrong] = problems;
  if (wrong !== undefined) return refuse(wrong);
  return ok(itemOf(wire, at));
}

/** As a plan file would say it. */
function planOf(id: string, { folder, moves, folders_made, folders_removed }: MoveFiles): object {
  const ways = moves.map(({ from, to, sha256 }) => ({ from, to, sha256 }));
  const content = JSON.stringify({ moves: ways, folders: [...folders_made, ...folders_removed] });
  const checked = { folder, digest: sha256Hex(content) };
  const inside = (place: string): string => `${folder}/${place}`;
  return {
    id,
    type: "task",
    title: "Move files",
    files: { read: [], write: [folder] },
    budget: { max_attempts: 1, max_wall_time_seconds: WALL_SECONDS },
    steps: [
      { name: "note what is in the folder", tool: "folder_note", args: { path: folder, into: "before.json" } },
      { name: "note the approved ways", tool: "file_write", args: { path: "moves.json", content } },
      ...ways.map(({ from, to, sha256 }) => ({
        name: cut(`move ${from} to ${to}`),
        tool: "file_move",
        args: { from: inside(from), to: inside(to), sha256, otherwise: "leave" },
      })),
      ...(folders_removed.length === 0
        ? []
        : [
            {
              name: "remove folders that are empty now",
              tool: "folder_remove",
              args: { paths: folders_removed.map(inside) },
            },
          ]),
    ],
    verify: [
      {
        name: "every approved file is at its place, byte for byte",
        run: checkCommand("placed", checked),
        expect: { exit_code: 0 },
        timeout: WALL_SECONDS,
      },
      {
        name: "nothing else in the folder was changed or lost",
        run: checkCommand("kept", checked),
        expect: { exit_code: 0 },
        timeout: WALL_SECONDS,
      },
    ],
  };
}

function itemOf(wire: WireRecord, at: Instant): WorkItem {
  const state = readRecord(RUNTIME_STATE, {
    value: { created_at: at },
    path: [],
    report: () => assert(false, "WORK-03 the state of a new item is valid"),
    refusedKeys: new Set(),
  });
  return toCamel(WORK_ITEM, { ...wire, needs_approval: true, body: "Moves files.\n", ...state }) as WorkItem;
}

/** Never half of a character. */
function cut(name: string): string {
  if (name.length <= NAME_CHARS) return name;
  return `${name.slice(0, NAME_CHARS - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

const refuse = (reason: string) => err({ code: "payload_refused", reason } as const);
