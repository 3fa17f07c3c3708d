import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { sentMessageSchema, type KeptMessageBody } from "#model";
import { createPage } from "../wire/page.fixture.ts";

let acts: typeof import("./talk-acts.ts");
beforeAll(async () => {
  // The page looks at its browser while it is read.
  createPage();
  acts = await import("./talk-acts.ts");
});
afterAll(() => void vi.unstubAllGlobals());

const kept = (over: object): KeptMessageBody =>
  ({ message_id: "m-1", text: "Pay the rent", taint: "auth", sources: [], ...over }) as unknown as KeptMessageBody;

test("[MSG-01] the same words again bring along what they came with, and what was not the owner's stays so", () => {
  expect(acts.sameAgain(kept({}))).toEqual({ text: "Pay the rent", attachments: [], reply_to: null, quotes: [] });
  const sources = [
    { item_id: "m-0", relation: "reply_to", taint: "auth" },
    { item_id: "m-2", relation: "quote", taint: "external" },
    { item_id: "/tmp/bill.pdf", relation: "attachment", taint: "external" },
    { item_id: "s-1", relation: "suggestion", taint: "external" },
  ];
  const again = acts.sameAgain(kept({ sources, taint: "external" }));
  expect(again).toEqual({
    text: "Pay the rent",
    attachments: ["/tmp/bill.pdf"],
    reply_to: "m-0",
    quotes: ["m-2", "m-1"],
  });
  expect(sentMessageSchema.safeParse(again).success).toBe(true);
});
