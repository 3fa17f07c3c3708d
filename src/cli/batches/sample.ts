import { chmod, mkdir, readdir, rm, rmdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailure } from "../terminal/failure.ts";

type Sample = { readonly name: string; readonly text: string; readonly isProgram?: true; readonly isFresh?: true };

const FILES: readonly Sample[] = [
  { name: "Invoice 2026-03.pdf", text: "%PDF-1.4\n% a sample, not a real document\n" },
  { name: "Letter to the landlord.odt", text: "A sample letter.\n" },
  { name: "Budget.csv", text: "month,amount\n2026-01,1200\n2026-02,1180\n" },
  { name: "Beach.jpg", text: "a sample picture\n" },
  { name: "Voice memo.m4a", text: "a sample recording\n" },
  { name: "Old photos.zip", text: "a sample archive\n" },
  { name: "Recipe.md", text: "# Bread\n\nFlour, water, salt, time.\n" },
  { name: "README", text: "A file without an ending.\n" },
  { name: "clean-up.sh", text: "#!/bin/sh\necho sample\n", isProgram: true },
  { name: "Draft.txt", text: "Written a moment ago.\n", isFresh: true },
];

const DAYS_AGO_MS = 40 * 86_400_000;

/** A small folder of real files to try it on. What is there already is never written to. Answers how to take it away again. */
export async function writeSample(folder: string, now: number): Promise<() => Promise<void>> {
  const made = await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) {
    throw new CommandFailure({
      what: `${folder} is not empty.`,
      kept: "Nothing was written to it.",
      next: "Name a folder that does not exist yet.",
    });
  }
  for (const { name, text, isProgram, isFresh } of FILES) {
    const path = join(folder, name);
    await writeFile(path, text, { flag: "wx" });
    await chmod(path, isProgram ? 0o755 : 0o644);
    const moment = new Date(isFresh ? now : now - DAYS_AGO_MS);
    await utimes(path, moment, moment);
  }
  return async () => {
    for (const { name } of FILES) await rm(join(folder, name), { force: true });
    // Whatever else came into it meanwhile keeps it.
    if (made !== undefined) await rmdir(folder).catch(() => undefined);
  };
}
