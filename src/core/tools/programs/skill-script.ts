import {
  connectionName,
  group,
  isSkillPath,
  isSkillScript,
  key,
  longLine,
  nullable,
  parameters,
  permissionNames,
  required,
  skillName,
} from "#model";
import { defineTool, type SandboxCall, type SkillArguments } from "../tool.ts";
import { NODE } from "./node.ts";

/** Where the skills of a plan are for its steps, to read only; those that the plan does not list are not there. */
export const SKILLS_PLACE = "/skills";

type Script = { readonly skill: string; readonly file: string };

export const scriptPlace = ({ skill, file }: Script): string => `${SKILLS_PLACE}/${skill}/${file}`;

/** How a script of a skill is started; its ending says by which program. No other script is ever named. */
export const scriptCommand = ({ skill, file }: Script): readonly string[] => [
  ...(file.endsWith(ENDINGS.python_exec) ? ["python3", "-B"] : [NODE]),
  scriptPlace({ skill, file }),
];

const ENDINGS = { node_exec: ".mjs", python_exec: ".py" } as const;
type Runner = keyof typeof ENDINGS;

/** A script lies inside of its skill, and is one that the tool runs; otherwise, the form of one that is. [EXEC-11] */
export function wrongScript({ tool, file }: { readonly tool: Runner; readonly file: string }): string | null {
  const isScript = isSkillPath(file) && isSkillScript(file) && file.endsWith(ENDINGS[tool]);
  return isScript ? null : `scripts/NAME${ENDINGS[tool]}`;
}

/** What a tool that runs programs takes in place of a program of the plan's own: a script of a skill it lists. */
export const skillScript = (name: Runner) =>
  defineTool({
    name,
    origin: "skill",
    version: 1,
    description:
      "Runs a script of a skill that the plan lists. Use it for what the skill is made for; its documentation names the scripts and their arguments.",
    output: "Returns what the script printed, and fails when it ends with another code than 0.",
    input: group({
      skill: required(skillName(), "A skill of the plan."),
      file: required(longLine("pathChars"), "The script, as a path inside of the skill."),
      connection: key(nullable(connectionName()), {
        is: null,
        doc: "A connection of that skill, which the script uses.",
      }),
      permissions: key(permissionNames(), {
        is: [],
        doc: "What it uses of the connection: exactly what the skill says of the script.",
      }),
      input: key(parameters(), { is: {}, doc: "Its arguments by name; it reads them as JSON on its standard input." }),
    }),
    effect: "run",
    // Scripts may use connections and secrets: those are named by a plan, and chosen by no model.
    offeredTo: ["plan"],
    repeatable: "never",
    shown: scriptCommand,
    program: (args): SandboxCall => ({ argv: scriptCommand(args), stdin: null, script: args satisfies SkillArguments }),
  });
