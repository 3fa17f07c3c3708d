import * as z from "zod/mini";
import { LIMITS } from "#base";
import { line } from "../approval/fields.ts";
import { maxLength } from "../values.ts";

/** What keeps a skill from being installed. */
export const SKILL_PROBLEMS = {
  document_missing: "There is no SKILL.md.",
  document_unreadable: "SKILL.md cannot be read as front matter between two --- lines and text",
  not_text: "It is no UTF-8 text.",
  hidden_characters: "It holds characters that act on a screen or hide there.",
  key_missing: "SKILL.md does not say",
  key_wrong: "SKILL.md says this in a way that cannot be read:",
  name_wrong: "The name is not made of small letters, digits and single hyphens, at most 64 of them:",
  name_differs: "The name is not that of the folder, which is",
  description_short: "The description is shorter than",
  description_long: "The description is longer than",
  description_process: "The description tells how it is done; it should say when the skill is used:",
  description_hijacks: "The description asks to be chosen whatever is wanted:",
  nested_skill: "A skill inside a skill.",
  script_kind: "Code of a kind that cannot be checked here; .mjs, .js, .cjs and .py can.",
  script_too_many: "More files with code than a person reads; at most",
  text_too_long: "SKILL.md and the code together are longer than a person reads; at most this many characters:",
  code_outside_scripts: "It is executable, or code of a kind that cannot be checked here.",
  script_syntax: "It cannot be parsed.",
  parser_absent: "It cannot be parsed here, so nobody knows what it is:",
  credential_literal: "It holds what looks like a credential.",
  env_undeclared: "It reads a variable that `requirements.env` does not name:",
  shell_interpolation: "It gives text to a shell:",
  evaluates_text: "It runs text as a program:",
  bypasses_approval: "It tells to act without asking for approval:",
  reference_missing: "It names a file that is not there:",
  reference_outside: "It names a file outside of the skill:",
  connection_script_missing: "A connection needs this script, as .mjs or .py:",
  script_args_wrong: "The arguments of a script are described in a way that cannot be read:",
} as const;
export type SkillProblemCode = keyof typeof SKILL_PROBLEMS;

/** What is said and keeps nobody from installing it. */
export const SKILL_NOTES = {
  unknown_key: "SKILL.md has a key that means nothing here:",
  tools_not_granted: "SKILL.md names tools it wants; a skill is granted none, only the plan that lists it is:",
  unexpected_file: "Neither SKILL.md nor in scripts/, references/ or assets/.",
  mention_missing: "It mentions a file that is not there:",
  no_scripts: "It has no scripts: nothing of it can be run in a step.",
} as const;
export type SkillNoteCode = keyof typeof SKILL_NOTES;

const finding = <C extends string>(codes: readonly C[]) =>
  z.strictObject({
    code: z.enum(codes as readonly [C, ...C[]]),
    path: z.nullable(line(300)),
    line: z.nullable(z.int().check(z.gte(1))),
    about: z.string().check(maxLength(LIMITS.titleChars)),
  });
export const skillReportSchema = z.strictObject({
  problems: z.array(finding(Object.keys(SKILL_PROBLEMS) as readonly SkillProblemCode[])),
  notes: z.array(finding(Object.keys(SKILL_NOTES) as readonly SkillNoteCode[])),
});
/** The same folder always gives the same report. [INST-05] */
export type SkillReport = z.infer<typeof skillReportSchema>;
export type SkillFinding = SkillReport["problems"][number] | SkillReport["notes"][number];

/** A finding as one line: where, what, about what. */
export function skillFindingWords({ code, path, line: at, about }: SkillFinding): string {
  const words: string =
    code in SKILL_PROBLEMS ? SKILL_PROBLEMS[code as SkillProblemCode] : SKILL_NOTES[code as SkillNoteCode];
  const place = path === null ? "" : `${path}${at === null ? "" : `:${at}`}: `;
  return about === "" ? `${place}${words}` : `${place}${words} ${about}`;
}
