import { LIMITS } from "#base";
import { answerOptions, flag, group, isAnswerable, key, required, shownLine } from "#model";
import { defineTool, reaching } from "../tool.ts";

export const askOwner = defineTool({
  name: "ask_owner",
  origin: "core",
  version: 1,
  description:
    "Asks the owner one question and waits for the answer. Use it when the answer changes what is done next. Give two options or more, allow free text, or both.",
  output: "Writes the answer to a file of the workspace, as plain text.",
  input: group({
    question: required(shownLine({ charsMax: LIMITS.titleChars }), "The question, in one line."),
    options: key(answerOptions(), { is: [], doc: "Answers to choose from, each with a label and a value." }),
    freetext: key(flag(), { is: false, doc: "Whether the owner may answer in words of their own." }),
    file: required(shownLine({ charsMax: LIMITS.titleChars }), "The file of the workspace that gets the answer."),
  }),
  effect: "ask",
  offeredTo: ["plan"],
  repeatable: "always",
  touches: ({ file }) => reaching({ key: "file", path: file, access: "write" }),
  shown: ({ question }) => ["ask_owner", question],
  asks: {
    kind: "decision",
    isAnswerable: ({ options, freetext: allow_freetext }) => isAnswerable({ options, allow_freetext }),
    signed: ({ question, options, freetext: allow_freetext, file }) => ({ question, options, allow_freetext, file }),
  },
});
