import { expect, test } from "vitest";
import type { ModelPlan } from "./answers.ts";
import { readMove } from "./read-move.ts";

const PLAN: ModelPlan = {
  executor: "model",
  tools: ["file_read", "file_write", "shell_exec", "file_move", "python_exec"],
  files: { read: ["/srv/notes"], write: ["/srv/pages"] },
};
const told = (answer: unknown, plan: ModelPlan = PLAN): string => {
  const move = readMove(JSON.stringify(answer), plan);
  return move.ok ? "(accepted)" : move.error.summary;
};
const call = (tool: string, args: object, rest: object = {}): string => told({ tool, args, ...rest });

test("[EXEC-05] a call that does not fit is answered with a sentence: the field, and what is expected there", () => {
  expect(call("file_read", { path: 7 })).toBe("`args.path` must be one line of at most 1024 characters.");
  expect(call("file_read", {})).toBe("`args.path` is missing: it must be one line of at most 1024 characters.");
  expect(call("shell_exec", { argv: "npm test" })).toBe("`args.argv` must be a program and its arguments.");
  expect(call("file_write", { path: "a", content: "\u202e" })).toBe(
    "`args.content` must be text of at most 65536 characters, without control, invisible or direction-changing characters.",
  );
  expect(told({ tool: "file_read", args: "a" })).toBe("`args` must be a map.");
});

test("[EXEC-05] arguments of another tool and unknown ones are named, with those that the tool takes", () => {
  expect(call("file_read", { path: "a", content: "x" })).toBe("`args.content` is not known: file_read takes path.");
  expect(call("file_write", { path: "a", contents: "x" })).toBe(
    "`args.contents` is not known: file_write takes path, content; did you mean content. `args.content` is missing: it must be text of at most 65536 characters.",
  );
  expect(call("file_read", { path: "a" }, { network: true })).toBe(
    "A call has tool, args and artifacts, and no network.",
  );
  expect(call("python_exec", { skill: "one", file: "scripts/a.py" })).toContain(
    "`args.skill` is not known: python_exec takes script, args.",
  );
});

test("[EXEC-05] a path outside is answered with the places that are granted", () => {
  const places = "(may only be read: /srv/notes; may be changed: /srv/pages)";
  const refused = `\`args.path\` must be a relative path without .. and backslashes, or lie in a place that the plan grants ${places}.`;
  expect(call("file_write", { path: "/srv/notes/a", content: "x" })).toBe(refused);
  expect(call("file_read", { path: "../a" })).toBe(refused);
  expect(told({ tool: "file_read", args: { path: "/etc/passwd" } }, { ...PLAN, files: { read: [], write: [] } })).toBe(
    "`args.path` must be a relative path without .. and backslashes; the plan grants no place outside of the workspace.",
  );
  expect(call("file_read", { path: "a" }, { artifacts: { page: "../a" } })).toBe(
    "`artifacts.page` must be a relative path inside the workspace, without .. and backslashes.",
  );
});

test("[EXEC-07] a tool that is unknown, not listed or not for a model is refused with those that are", () => {
  const listed = "The tool must be one of file_read, file_write, shell_exec, file_move, python_exec.";
  for (const tool of ["file_list", "file_reader", "ask_owner", "finish", "__proto__", 7])
    expect(told({ tool, args: {} })).toBe(listed);
  const all: ModelPlan = { ...PLAN, tools: ["ask_owner", "web_search", "finish"] };
  for (const tool of all.tools) expect(told({ tool, args: {} }, all)).toContain("must be one of");
  expect(told({ tool: "file_read", args: {} }, { ...PLAN, tools: [] })).toBe(
    "The plan lists no tools: you can only end.",
  );
});

test("[EXEC-05] an end that does not fit is answered in the same words", () => {
  expect(told({ summary: "x", artifact_refs: [], next_steps: [1] })).toBe(
    "`next_steps.0` must be a list of at most 50 values, each text of at most 1000 characters.",
  );
  expect(told({ summary: "x", artifact_refs: [], next_steps: [], tokens_used: 5 })).toBe(
    "`tokens_used` is not known: finish takes summary, artifact_refs, next_steps.",
  );
  expect(told([])).toBe("The answer must be a map.");
});
