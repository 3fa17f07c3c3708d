/** Approves the promotion of a memory and kills itself before one of the statements that follow the decision. */
import { assert } from "#base";
import { BY, openLife } from "./life.fixture.ts";

const [home = "", killedAt = ""] = process.argv.slice(2);
let isDecided = false;
let isArmed = false;
let statements = 0;
const app = await openLife(home, (sql) => {
  if (!isArmed) return;
  isDecided ||= sql.includes("INSERT INTO queue ");
  if (!isDecided) return;
  statements += 1;
  if (statements === Number(killedAt)) process.kill(process.pid, "SIGKILL");
});
const about = { memory_type: "fact", semantic_tags: [], from: "foreign", content: "Keys are under the mat" } as const;
const remembered = await app.memory.remember({ ...about, semantic_tags: [] }, BY);
assert(remembered.ok, "a memory is kept");
const asked = await app.memory.promote(remembered.value.memoryId, BY);
assert(asked.ok, "its promotion is asked for");
const { requestId, planHash: shownHash } = asked.value.request;
isArmed = true;
const friction = ["tap", "confirm", "slide"] as const;
await app.approvals.decide({ requestId, verdict: "approved", shownHash, friction, actor: BY });
await app.close();
process.exit(0);
