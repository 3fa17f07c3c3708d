/** Prints the tool registry as docs/tools.md. `--write` writes the file. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALL_TOOLS } from "#tools";
import { ROOT } from "./tools.ts";

type Tool = (typeof ALL_TOOLS)[number];

const OPENING = `# Tools

Every tool there is, printed from the registry in \`src/core/tools\` by \`scripts/print-tools.ts\`. A step of a plan names one with
its arguments ([Plans](plans.md#steps)); a model that carries out a task is told the same words and calls those that the plan
lists. A name that is not here is refused. A path is relative to the workspace, or absolute in a place that the plan grants
under \`files\`. What a tool returns counts as text from outside.
`;

const EFFECTS: Readonly<Record<Tool["effect"], string>> = {
  read: "reads",
  write: "changes files",
  run: "runs a program",
  ask: "asks the owner",
  send: "sends something to another host",
};
const CALLERS: Readonly<Record<Tool["offeredTo"][number], string>> = {
  plan: "steps of a plan",
  executor: "a model that carries out a task",
  planner: "a model that plans",
};
const REPEATS: Readonly<Record<Tool["repeatable"], string>> = {
  always: "may be repeated",
  in_workspace: "may be repeated when it writes in the workspace",
  never: "is not repeated when the plan may change places outside of the workspace",
};

export const renderTools = (): string => [OPENING, ...ALL_TOOLS.map(renderTool)].join("\n");

function renderTool(tool: Tool): string {
  const { name, description, output, offeredTo, needs, ofSkill } = tool;
  const lines = [
    `- It ${EFFECTS[tool.effect]}. Version ${tool.version}, origin ${tool.origin}.`,
    `- Called by ${offeredTo.map((caller) => CALLERS[caller]).join(" and ")}.`,
    `- An interrupted call ${REPEATS[tool.repeatable]}.`,
    ...(needs === undefined ? [] : [`- It exists only where \`${needs}\` is set up.`]),
    ...argumentLines(tool),
  ];
  const script =
    ofSkill === undefined
      ? []
      : [`### ${name} with a script of a skill\n`, renderAbout(ofSkill), ...argumentLines(ofSkill), ""];
  return [`## ${name}\n`, renderAbout({ description, output }), ...lines, "", ...script].join("\n");
}

const renderAbout = ({ description, output }: Pick<Tool, "description" | "output">): string =>
  `${description} ${output}\n`;

const argumentLines = ({ input }: Tool): readonly string[] =>
  Object.entries(input.children).flatMap(([name, node]) => {
    if (node.node !== "key") return [];
    const { presence, fallback, doc, kind } = node;
    const absent = presence === "default" ? `default \`${JSON.stringify(fallback)}\`` : "required";
    return [`- \`${name}\`, ${absent}: ${doc} Takes ${kind.expected}.`];
  });

function main(args: readonly string[]): void {
  if (args.includes("--write")) writeFileSync(join(ROOT, "docs", "tools.md"), renderTools());
  else console.log(renderTools());
}

if (import.meta.main) main(process.argv.slice(2));
