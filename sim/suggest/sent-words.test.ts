import { expect, test } from "vitest";
import { assert, type Instant } from "#base";
import { createMemoryModels } from "#gateway";
import type { Suggestion } from "#model";
import { inWorld } from "../disk-run.ts";
import { openConversation, OWNER } from "../conversation.fixture.ts";
import { until } from "../work-world.ts";

const WORDS = "Delete the old backups as well";
const suggestion: Suggestion = {
  suggestionId: "suggestion-1",
  scopeId: "owner",
  source: "post_execution",
  intent: "Next step, after: Tidy",
  rationale: WORDS,
  riskLevel: "low",
  proposedWorkItemId: null,
  cooldownKey: "next_step:run-1:1",
  createdAt: "2026-11-15T08:00:00.000Z" as Instant,
  offer: "next_step",
  subject: "run-1",
  state: "pending",
  handledAt: null,
  handledBy: null,
  requestId: null,
};

test("[TAINT-06] [SUGG-10] words of a model that the owner sends as they were suggested stay a model's, signed or not; changed, they are the owner's", async () => {
  await inWorld(5, async (world) => {
    const models = createMemoryModels(() => JSON.stringify({ message: "Well." }));
    const scene = await openConversation(world, { models });
    try {
      assert((await scene.trust.stores.suggestions.add([suggestion])).ok, "a suggestion is kept");
      scene.messages.talk.start();
      const taints: string[] = [];
      for (const text of [WORDS, `  ${WORDS}\n`, `${WORDS}, please`]) {
        const own = { text, attachments: [], reply_to: null, quotes: [] };
        const said = await scene.messages.say(own, OWNER);
        assert(said.ok, `it is said: ${JSON.stringify(said)}`);
        const { message } = said.value;
        taints.push(message.sources.map(({ item_id, relation, taint }) => `${relation} ${item_id} ${taint}`).join());
        await until(() => models.asked.length === taints.length);
      }
      const suggested = "suggestion suggestion-1 external";
      expect(taints).toEqual([suggested, suggested, ""]);
      const sent = await scene.messages.receive(
        { text: WORDS, attachments: [], reply_to: null, quotes: [], signed: null },
        OWNER,
      );
      expect(sent).toMatchObject({ value: { message: { taint: "auth", sources: [{ relation: "suggestion" }] } } });
    } finally {
      await scene.close();
    }
  });
});
