import { defineConfig } from "vitest/config";

/**
 * Three projects: `unit` is everything that runs in one process, `tidy` reads the repository as text, `e2e` starts the
 * product and a browser. `npm run check` runs the first two, `npm test` all of them.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          environment: "node",
          include: ["{src,sim,web,scripts,bench}/**/*.test.{ts,tsx}", "test/contracts/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**"],
          // No test asserts how long something takes; a busy machine only has to finish.
          testTimeout: 120_000,
          hookTimeout: 60_000,
        },
      },
      { test: { name: "tidy", environment: "node", include: ["test/tidy/**/*.test.ts"] } },
      {
        test: {
          name: "e2e",
          environment: "node",
          include: ["test/e2e/**/*.e2e.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
