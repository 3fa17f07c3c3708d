import * as z from "zod/mini";
import { assert, canonicalJson, err, LIMITS, ok, oneLine, type JsonValue, type Result } from "#base";
import type { BatchProjection } from "../approval/batch.ts";
import { digest, maxLength } from "../values.ts";

/**
 * Moving files inside one folder: the action on many things that Silas carries out, and takes back. Whatever changes the
 * effect is in its settings, and so under the hash: the folder, each way, and the digest of the bytes that were seen.
 */
export const MOVE_FILES = "move_files";

/**
 * One file and several places it might go to, where no rule is sure. It is a question and nothing else: no token is made
 * for it, and only the way that somebody chooses becomes a batch, of one. [BATCH-03]
 */
export const CHOOSE_MOVE = "choose_move";

const place = z.string().check(maxLength(LIMITS.pathChars), z.refine<string>(isPlace, "path_refused"));
const folder = z.string().check(
  maxLength(LIMITS.pathChars),
  z.refine<string>((path) => path.startsWith("/") && isPlace(path.slice(1)), "folder_refused"),
);

const moveSchema = z.strictObject({
  item_id: z.string(),
  /** Both are places inside the folder. */
  from: place,
  to: place,
  sha256: digest,
});
export type FileMove = Readonly<z.infer<typeof moveSchema>>;

const settingsSchema = z.strictObject({
  folder,
  /** One for each item, in the order of the items. */
  moves: z.array(moveSchema),
  /** Folders that come into being with it; taking it back removes them, if nothing else is in them. */
  folders_made: z.array(place).check(maxLength(LIMITS.batchFolders)),
  folders_removed: z.array(place).check(maxLength(LIMITS.batchFolders)),
});
export type MoveFiles = {
  readonly folder: string;
  readonly moves: readonly FileMove[];
  readonly folders_made: readonly string[];
  readonly folders_removed: readonly string[];
};

/** Why a batch that says it moves files cannot be asked about, or run. */
export type MoveFilesRefused = { readonly code: "payload_refused"; readonly reason: string };

/** The settings of a batch that moves files, if they are whole and say one thing for each item. */
export function readMoveFiles({ params, item_ids: ids }: Bound): Result<MoveFiles, MoveFilesRefused> {
  const read = settingsSchema.safeParse(params);
  if (!read.success) return refuse(read.error.issues[0]?.message ?? "settings_unreadable");
  const { moves } = read.data;
  if (moves.length > LIMITS.batchMoves) return refuse("too_many_items");
  if (moves.length !== ids.length || moves.some(({ item_id }, index) => item_id !== ids[index])) {
    return refuse("moves_differ_from_items");
  }
  // Two ways that meet would depend on which is gone first.
  const places = moves.flatMap(({ from, to }) => [from, to]);
  if (new Set(places).size !== places.length) return refuse("ways_meet");
  return places.join("").length > LIMITS.batchPathsChars ? refuse("paths_too_long") : ok(read.data);
}
type Bound = Pick<BatchProjection, "params" | "item_ids">;

/** The ways of a question, if they are whole: at least two, all of one file with the same bytes, to different places. */
export function readChoice({ params, item_ids: ids }: Bound): Result<MoveFiles, MoveFilesRefused> {
  const read = settingsSchema.safeParse(params);
  if (!read.success) return refuse(read.error.issues[0]?.message ?? "settings_unreadable");
  const { moves } = read.data;
  const [first] = moves;
  if (first === undefined || moves.length < 2 || moves.length > LIMITS.batchChoices) return refuse("too_few_ways");
  const isOneFile = moves.every(({ from, sha256 }) => from === first.from && sha256 === first.sha256);
  if (!isOneFile || new Set(moves.map(({ to }) => to)).size < moves.length) return refuse("ways_meet");
  // Each is a batch of one in waiting, and must hold as one.
  for (const { item_id: id } of moves) {
    const one = readMoveFiles({ params: narrowMoves(params, [id]), item_ids: [id] });
    if (!one.ok) return one;
  }
  const isSame = moves.length === ids.length && moves.every(({ item_id }, index) => item_id === ids[index]);
  return isSame ? ok(read.data) : refuse("moves_differ_from_items");
}

/** What takes it back, as a batch of its own: it follows from what was signed and from nothing else. [UNDO-01] */
export function reverseMoves(projection: BatchProjection): Result<BatchProjection, MoveFilesRefused> {
  const read = readMoveFiles(projection);
  if (!read.ok) return read;
  const { folder: inside, moves, folders_made, folders_removed } = read.value;
  const back = moves.map(({ item_id, from, to, sha256 }) => ({ item_id, from: to, to: from, sha256 }));
  const params: Settings = {
    folder: inside,
    moves: back,
    folders_made: [...folders_removed],
    folders_removed: [...folders_made],
  };
  return ok({ ...projection, params });
}

type Settings = { readonly [name: string]: JsonValue };

/** The settings that belong to some of the items. */
export function narrowMoves(params: BatchProjection["params"], ids: readonly string[]): BatchProjection["params"] {
  const read = settingsSchema.safeParse(params);
  if (!read.success) return params;
  const byId = new Map(read.data.moves.map((move) => [move.item_id, move]));
  const moves = ids.flatMap((id) => byId.get(id) ?? []);
  const isEntered = (made: string): boolean => moves.some(({ to }) => to.startsWith(`${made}/`));
  const isLeft = (made: string): boolean => moves.some(({ from }) => from.startsWith(`${made}/`));
  return {
    ...read.data,
    moves,
    folders_made: read.data.folders_made.filter(isEntered),
    folders_removed: read.data.folders_removed.filter(isLeft),
  };
}

/** Some of the items of a batch as one of their own. It is a part of what was signed, and not what was signed. */
export function narrowBatch(projection: BatchProjection, ids: readonly string[]): BatchProjection {
  return { ...projection, params: narrowMoves(projection.params, ids), item_ids: [...ids], count: ids.length };
}

/** Canonical text of a projection: what is hashed. */
export function batchBytes(projection: BatchProjection): string {
  const text = canonicalJson(projection);
  assert(text.ok, "BATCH-08 a batch has canonical bytes");
  return text.value;
}

/** Plain, and shown as it is: nothing in it climbs out, and nothing in it acts on a screen. */
function isPlace(path: string): boolean {
  const isPlain = path.split("/").every((name) => name !== "" && name !== "." && name !== "..");
  return isPlain && oneLine(path) === path && /[\p{L}\p{N}\p{P}\p{S}]/u.test(path);
}

const refuse = (reason: string) => err({ code: "payload_refused", reason } as const);
