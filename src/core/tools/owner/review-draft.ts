import { LIMITS } from "#base";
import { group, required, shownLine } from "#model";
import { defineTool, reaching } from "../tool.ts";

export const reviewDraft = defineTool({
  name: "review_draft",
  origin: "core",
  version: 1,
  description:
    "Shows the owner a text of the workspace and waits until it is approved, changed or sent back. Use it before a text is used in the owner's name.",
  output: "Writes the approved text to the same file.",
  input: group({
    path: required(shownLine({ charsMax: LIMITS.titleChars }), "The file of the workspace that holds the draft."),
    about: required(shownLine({ charsMax: LIMITS.titleChars }), "What the text is for, in one line."),
  }),
  effect: "ask",
  offeredTo: ["plan"],
  repeatable: "always",
  touches: ({ path }) => reaching({ key: "path", path, access: "write" }),
  asks: {
    kind: "draft_review",
    isAnswerable: () => true,
    signed: ({ about: context, path: file }) => ({ context, file }),
  },
});
