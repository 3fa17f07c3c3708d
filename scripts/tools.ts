/** Where the project is, and how its development tools are started: always with this Node, never through a shell. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));

/** The arguments after `node` that run a package's command, found by its manifest so that no `.bin` link is needed. */
export function toolCommand(packageName: string): string {
  const directory = join(ROOT, "node_modules", packageName);
  const manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8")) as {
    readonly bin: string | Readonly<Record<string, string>>;
  };
  const bin =
    typeof manifest.bin === "string" ? manifest.bin : (manifest.bin[packageName] ?? Object.values(manifest.bin)[0]);
  if (bin === undefined) throw new Error(`${packageName} has no command`);
  return join(directory, bin);
}

/** Finds promises that nobody waits for; it needs the types, which the plain lint does without. */
export function promisesCommand(): readonly string[] {
  return [toolCommand("oxlint"), "--type-aware", "--config", ".oxlintrc.promises.json", "--deny-warnings"];
}
