import type { App } from "#compose";

/**
 * From here on a bug that nobody caught ends the work it happened in, and not Silas: what is stored is as of its last
 * commit, and the channels and queues resume by themselves. The log has the bug, and Activity says that there was one.
 */
export function surviveFaults(faults: App["faults"]): () => void {
  const caught = (cause: unknown): void => faults.caught("process", cause);
  process.on("uncaughtException", caught).on("unhandledRejection", caught);
  return () => process.off("uncaughtException", caught).off("unhandledRejection", caught);
}
