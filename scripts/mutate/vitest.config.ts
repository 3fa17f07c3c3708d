/** The tests that run the product in their own process, and so can say which places of it they reach. */
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import base from "../../vitest.config.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const IN_PROCESS = { unit: null, terminal: ["test/e2e/server-*.e2e.test.ts", "test/e2e/stolen-session.e2e.test.ts"] };

type Project = { readonly test: { readonly name: string } };
const projects = (base.test?.projects ?? []) as readonly Project[];

export default {
  root: ROOT,
  test: {
    projects: projects.flatMap(({ test }) => {
      const include = IN_PROCESS[test.name as keyof typeof IN_PROCESS];
      if (include === undefined) return [];
      const setupFiles = [fileURLToPath(new URL("reached.setup.ts", import.meta.url))];
      // One number of workers for both, so that they run side by side.
      const own = { setupFiles, maxWorkers: availableParallelism() };
      return [{ test: { ...test, ...(include === null ? {} : { include }), ...own } }];
    }),
  },
};
