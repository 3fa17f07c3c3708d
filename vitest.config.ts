import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const BROWSER_TESTS = ["test/e2e/web-*.e2e.test.ts", "test/e2e/review*.e2e.test.ts"];
/**
 * No test asserts how long something takes: these limits only end a hang. On two cores that eight other processes keep
 * busy the slowest test takes under 60 seconds; a hang is reported after five minutes, by what it waited for where that
 * is known.
 */
const PATIENT = {
  environment: "node",
  globalSetup: "scripts/vitest-setup.ts",
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000 } },
} as const;

/**
 * Four projects: `unit` is everything that runs in one process, `tidy` reads the repository as text, `terminal` starts
 * the product, `browser` the product and a browser. `npm run check` runs the first two, `npm test` all of them.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          ...PATIENT,
          name: "unit",
          include: ["{src,sim,web,scripts,bench}/**/*.test.{ts,tsx}", "test/contracts/**/*.test.ts"],
          exclude: ["**/node_modules/**", "**/dist/**"],
          // No test changes a module for another one, so each module is read once; this more than halves the time.
          isolate: false,
          // They wait for disks and processes as much as they count.
          maxWorkers: availableParallelism() + 1,
        },
      },
      { test: { ...PATIENT, name: "tidy", include: ["test/tidy/**/*.test.ts"] } },
      {
        test: {
          ...PATIENT,
          name: "terminal",
          // Each file has homes and ports of its own, and waits for one process at a time.
          maxWorkers: 2,
          include: ["test/e2e/**/*.e2e.test.ts"],
          exclude: BROWSER_TESTS,
        },
      },
      // Each file has a Silas and a browser of its own.
      { test: { ...PATIENT, name: "browser", include: BROWSER_TESTS, maxWorkers: 2 } },
    ],
  },
});
