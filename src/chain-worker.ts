/**
 * The thread that verifies a whole audit chain: gives the rules of `#policy` to the store, as `compose` does for the
 * process, posts what came of it and ends.
 */
import { parentPort, workerData } from "node:worker_threads";
import { createAuditRules } from "#policy";
import { systemEd25519, systemSha256 } from "#runtime";
import { verifyWholeChain, type ChainTask } from "#stores";

const { dataDir } = workerData as ChainTask;
const checked = await verifyWholeChain({ dataDir, rules: createAuditRules(systemSha256, systemEd25519) });
// A port between threads has no origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort?.postMessage(checked);
