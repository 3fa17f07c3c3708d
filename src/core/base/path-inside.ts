/**
 * True for a path that stays inside the directory it is read in: relative, with plain segments. Links are judged where
 * the file is looked for.
 */
export function isPathInside(path: string): boolean {
  // A backslash or a colon separates on another system.
  if (/[\\:\u0000-\u001f\u007f]/.test(path) || path.startsWith("~")) return false;
  return path.split("/").every((segment) => segment !== "" && segment !== "." && segment !== "..");
}
