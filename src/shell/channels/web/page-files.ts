import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";

/** One file of the built page, as it will be sent. */
export type PageFile = {
  readonly path: string;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly bytes: number;
  /** Content encodings that were prepared at build time, smallest first. */
  readonly encodings: readonly Encoding[];
};
type Encoding = { readonly name: "br" | "gzip"; readonly path: string; readonly bytes: number };

interface PageFiles {
  /** The file at an address, or the page itself for an address that a person may open; null when there is none. */
  find(address: string, accept: string): Promise<PageFile | null>;
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};
const PREPARED: readonly { readonly name: Encoding["name"]; readonly suffix: string }[] = [
  { name: "br", suffix: ".br" },
  { name: "gzip", suffix: ".gz" },
];
const FILES_MAX = 2_000;

/**
 * Serves exactly the files that were in the build folder when it was listed: an address is looked up, never joined to a
 * path, so no spelling of `..` reaches anything else. The list is read again when the page was built anew.
 */
export function createPageFiles(folder: string): PageFiles {
  let listed: { readonly stamp: string; readonly files: ReadonlyMap<string, PageFile> } | null = null;
  const current = async (): Promise<ReadonlyMap<string, PageFile>> => {
    const stamp = await stampOf(join(folder, "index.html"));
    if (listed === null || listed.stamp !== stamp) listed = { stamp, files: await listFiles(folder) };
    return listed.files;
  };
  return {
    async find(address, accept) {
      const files = await current();
      const exact = files.get(address === "/" ? "/index.html" : address);
      if (exact !== undefined) return exact;
      return isPageAddress(address) && accept.includes("text/html") ? (files.get("/index.html") ?? null) : null;
    },
  };
}

/** Picks the smallest prepared form the client takes. */
export function pickForm(file: PageFile, acceptEncoding: string): Encoding | null {
  const accepted = new Set(acceptEncoding.split(",").map((part) => part.trim().split(";")[0]));
  return file.encodings.find((encoding) => accepted.has(encoding.name)) ?? null;
}

export const openFile = (path: string) => createReadStream(path);

/** Addresses of surfaces, such as /tasks/today: they have no file name ending, but the name of a secret may have dots. */
function isPageAddress(address: string): boolean {
  return /^\/secrets\/[^/]+$/.test(address) || !(address.split("/").at(-1) ?? "").includes(".");
}

async function stampOf(path: string): Promise<string> {
  try {
    const { mtimeMs, size } = await stat(path);
    return `${mtimeMs}-${size}`;
  } catch {
    return "missing";
  }
}

async function listFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const known = new Set(paths);
  const files = new Map<string, PageFile>();
  for (const path of paths.slice(0, FILES_MAX)) {
    const contentType = TYPES[extname(path)];
    if (contentType === undefined) continue;
    const address = `/${relative(folder, path).split(sep).join("/")}`;
    const { size, mtimeMs } = await stat(path);
    files.set(address, {
      path,
      contentType,
      // Only names with a content hash in them may be kept for ever; the worker and the page must be asked for anew.
      cacheControl: address.startsWith("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      etag: `"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`,
      bytes: size,
      encodings: await preparedForms(path, known),
    });
  }
  return files;
}

async function preparedForms(path: string, known: ReadonlySet<string>): Promise<readonly Encoding[]> {
  const forms: Encoding[] = [];
  for (const { name, suffix } of PREPARED) {
    if (known.has(path + suffix)) forms.push({ name, path: path + suffix, bytes: (await stat(path + suffix)).size });
  }
  return forms;
}
