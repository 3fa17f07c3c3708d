import { execFile } from "node:child_process";
import { closeSync, constants, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { err, ok, type Result } from "#base";
import type { SandboxRefusal } from "#model";
import type { Randomness, SandboxCommand } from "#ports";
import type { Ground } from "./ground.ts";

/** What a program reads once: open files by the variable that holds their number. */
export type HandedPipes = {
  readonly names: readonly string[];
  readonly handles: readonly number[];
  /** What was given away; the program has its own. */
  close(): void;
  /** When the run is over: what the program handed back goes to whoever waits for it. Harmless the second time. */
  finish(): void;
};

type Place = {
  readonly ground: Pick<Ground, "handsOverPipes" | "talks">;
  /** Outside of the workspace, and private to Silas. */
  readonly folder: string;
  readonly randomness: Randomness;
};

const MKFIFO = "/usr/bin/mkfifo";
const run = promisify(execFile);
/** What a pipe holds without a reader; a longer text would wait for ever. */
const PIPE_BYTES_MAX = 64 * 1024;

/**
 * Fills a pipe with each text, and gives away the end it is read from. The bytes are in the memory of the kernel alone:
 * the pipe has a name for as long as it takes to open it, and nothing of it is ever on a disk. What is read is gone.
 */
export async function openPipes(
  { ground, folder, randomness }: Place,
  { pipes = {}, handsBack, onInput }: SandboxCommand,
): Promise<Result<HandedPipes, SandboxRefusal>> {
  const texts = Object.values(pipes);
  const handles: number[] = [];
  const close = (): void => handles.splice(0).forEach((handle) => closeSync(handle));
  if (texts.length > 0 && ground.handsOverPipes !== true) return refused("no_pipes");
  if ((handsBack !== undefined || onInput !== undefined) && ground.talks !== true) return refused("no_pipes");
  let back: number | null = null;
  const finish = (): void => {
    if (back === null) return;
    const bytes = drained(back);
    closeSync(back);
    back = null;
    handsBack?.take(bytes);
  };
  if (texts.some(({ length }) => length > PIPE_BYTES_MAX)) return refused("too_long");
  try {
    for (const bytes of texts) handles.push(fill(await made(folder, randomness), bytes));
    if (handsBack !== undefined) {
      const path = await made(folder, randomness);
      back = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      handles.push(openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW));
      unlinkSync(path);
    }
  } catch (cause) {
    close();
    finish();
    return err({ code: "sandbox_not_started", detail: cause instanceof Error ? cause.message : String(cause) });
  }
  const names = [...Object.keys(pipes), ...(handsBack === undefined ? [] : [handsBack.name])];
  return ok({ names, handles, close, finish });
}

async function made(folder: string, randomness: Randomness): Promise<string> {
  const path = join(folder, `pipe-${Buffer.from(randomness.bytes(8)).toString("hex")}`);
  await run(MKFIFO, ["--mode=600", path]);
  return path;
}

/** Everything that lies in a pipe now. Nobody writes any more, and it never waits. */
function drained(handle: number): Uint8Array {
  const room = Buffer.alloc(PIPE_BYTES_MAX);
  try {
    return room.subarray(0, readSync(handle, room));
  } catch {
    return new Uint8Array();
  }
}

const refused = (reason: "no_pipes" | "too_long") => err({ code: "sandbox_command_refused", reason } as const);

function fill(path: string, bytes: Uint8Array): number {
  // Open both ways, so that neither opening waits for the other end.
  const both = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    const reading = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    writeSync(both, bytes);
    return reading;
  } finally {
    closeSync(both);
    unlinkSync(path);
  }
}
