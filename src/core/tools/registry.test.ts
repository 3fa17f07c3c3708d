import { describe, expect, test } from "vitest";
import { ALL_TOOLS, isAskingCall, isSkillCall, isStepTool, namesOffered, toolOf, TOOLS } from "./registry.ts";
import { offeredTool } from "./offered.ts";

const schemaOf = (name: keyof typeof TOOLS) =>
  offeredTool(TOOLS[name]).inputSchema as {
    readonly properties: { readonly [name: string]: object };
    readonly required: readonly string[];
  };

describe("the registry", () => {
  test("[EXEC-07] holds each tool under its own name, and finds no other", () => {
    expect(ALL_TOOLS.map(({ name }) => name)).toEqual(Object.keys(TOOLS));
    for (const name of ["file_reader", "__proto__", "constructor", "toString", ""])
      expect(isStepTool(name)).toBe(false);
  });

  test("[EXEC-07] offers a step nothing that belongs to a conversation, and a model nothing that asks or leaves", () => {
    expect(isStepTool("propose_plan")).toBe(false);
    expect(isStepTool("finish")).toBe(false);
    expect(namesOffered("planner")).toEqual(["propose_plan"]);
    const chosen = ALL_TOOLS.filter(({ offeredTo }) => offeredTo.includes("executor"));
    expect(chosen.map(({ name }) => name)).toContain("finish");
    for (const { effect } of chosen) expect(["read", "write", "run"]).toContain(effect);
  });

  test("[EXEC-07] a script of a skill is the same tool with another program, and no tool but these two takes one", () => {
    const args = { skill: "one", file: "scripts/a.py", connection: null, permissions: [], input: {} };
    const script = { tool: "python_exec", args } as const;
    expect(toolOf(script).program(args)).toMatchObject({ argv: ["python3", "-B", "/skills/one/scripts/a.py"] });
    expect(isSkillCall(script)).toBe(true);
    expect(isSkillCall({ tool: "python_exec", args: { script: "print(1)", args: [] } })).toBe(false);
    expect(ALL_TOOLS.filter(({ ofSkill }) => ofSkill !== undefined).map(({ name }) => name)).toEqual([
      "python_exec",
      "node_exec",
    ]);
  });

  test("a tool that asks has no program, and every other tool of a step has one that finds its call", () => {
    expect(TOOLS.ask_owner.program({ question: "Which?", options: [], freetext: true, file: "a" })).toBeNull();
    expect(isAskingCall({ tool: "review_draft", args: { path: "a", about: "It" } })).toBe(true);
    const { stdin } = TOOLS.file_read.program({ path: "a" }) ?? {};
    expect(JSON.parse(stdin ?? "")).toEqual({ tool: "file_read", args: { path: "a" } });
  });
});

describe("a tool as a model is told about it", () => {
  test("has two to four short sentences, and words for every argument", () => {
    for (const tool of ALL_TOOLS) {
      const { description, inputSchema } = offeredTool(tool);
      const sentences = description.match(/[.!?](?= |$)/g) ?? [];
      expect(sentences.length, description).toBeGreaterThanOrEqual(2);
      expect(sentences.length, description).toBeLessThanOrEqual(4);
      const { properties } = inputSchema as { readonly properties: { readonly [name: string]: object } };
      for (const property of Object.values(properties)) expect(property).toHaveProperty("description");
    }
  });

  test("its schema is made of what the parser takes, with what may be left out and its default", () => {
    expect(offeredTool(TOOLS.file_move).inputSchema).toMatchObject({
      type: "object",
      required: ["from", "to", "sha256"],
      additionalProperties: false,
      properties: {
        from: { type: "string", maxLength: 1024 },
        sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
        otherwise: { enum: ["fail", "leave"], default: "fail" },
      },
    });
    expect(schemaOf("web_search").properties["max_results"]).toMatchObject({
      anyOf: [{ minimum: 1 }, { type: "null" }],
    });
    expect(schemaOf("propose_plan")).toMatchObject({ required: ["plan_markdown"] });
    expect(schemaOf("finish")).toMatchObject({ required: ["summary", "artifact_refs", "next_steps"] });
    // Providers differ in what they read of patterns, and none of these may depend on a flag.
    expect(JSON.stringify(ALL_TOOLS.map(offeredTool))).not.toContain("\\p{");
  });

  test("a call in a workspace may name files as results, and nothing else may", () => {
    const naming = ALL_TOOLS.filter((tool) => "artifacts" in schemaOf(tool.name as keyof typeof TOOLS).properties);
    expect(naming.map(({ name }) => name)).toEqual(namesOffered("plan"));
    expect(schemaOf("file_write").required).toEqual(["path", "content"]);
  });
});
