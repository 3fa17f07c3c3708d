import { oneLine } from "#base";
import type { Words } from "../words.ts";
import { skillFindingWords, type SkillReport } from "./skill-report.ts";

/** Why a folder is no skill that could even be looked at. */
const TREE_FAULTS = {
  missing: "it is not there",
  not_a_folder: "it is no folder",
  unreadable: "it cannot be read",
  link: "it holds a link, and a link may lead anywhere",
  special_file: "it holds something that is neither file nor folder",
  file_name: "it holds a name that is not made of plain letters, digits and . _ - and the like",
  too_many_files: "it holds more files than a skill may have",
  too_large: "its files together are larger than a skill may be",
  too_deep: "its folders lie deeper in each other than those of a skill may",
} as const;
export type TreeFault = keyof typeof TREE_FAULTS;

/** Why a skill that a plan lists cannot be used. */
const UNUSABLE_REASONS = {
  not_installed: "it is not installed",
  not_active: "its installation failed when its scripts were tried",
  unapproved: "no approval of it holds any more",
  missing: "its folder is gone",
  changed: "its files are not those that were approved",
  other_version: "another version of it is installed than the one this plan was approved with",
  unreadable: "its SKILL.md cannot be read",
  not_listed: "the plan does not list it",
  script_missing: "it has no such script:",
  permissions_differ: "a step that runs this script names a connection and exactly these permissions of it:",
  argument_refused: "its script does not take this argument:",
} as const;
export type UnusableReason = keyof typeof UNUSABLE_REASONS;

export type SkillUnusable = {
  readonly code: "skill_unusable";
  readonly name: string;
  readonly reason: UnusableReason;
  /** The script or argument that is meant; empty for none. */
  readonly about: string;
};
export type SkillTreeRefused = {
  readonly code: "skill_tree_refused";
  readonly reason: TreeFault;
  /** Inside of the folder; empty for the folder itself. */
  readonly path: string;
};
export type SkillRefusal =
  | SkillUnusable
  | SkillTreeRefused
  | { readonly code: "skill_unknown"; readonly name: string }
  | { readonly code: "skill_name_refused" }
  | { readonly code: "skill_present"; readonly name: string }
  | { readonly code: "skill_active"; readonly name: string }
  | { readonly code: "skill_invalid"; readonly name: string; readonly report: SkillReport };

type Table = { readonly [C in SkillRefusal["code"]]: (error: Extract<SkillRefusal, { readonly code: C }>) => Words };

const refused = (what: string, next = ""): Words => ({ what, kept: "Nothing was changed.", next });
const LIST = "`silas skills list` shows what there is.";

export const SKILL_WORDS: Table = {
  skill_unusable: (error) => refused(`${skillUnusableWords(error)}.`, "`silas skills list` says how each stands."),
  skill_tree_refused: ({ reason, path }) =>
    refused(`This is no skill: ${TREE_FAULTS[reason]}${path === "" ? "" : ` (${oneLine(path)})`}.`),
  skill_unknown: ({ name }) => refused(`There is no skill ${oneLine(name)}.`, LIST),
  skill_name_refused: () =>
    refused("The name of a skill has small letters, digits and single hyphens, at most 64 of them.", LIST),
  skill_present: ({ name }) =>
    refused(
      `Another folder ${oneLine(name)} lies among your skills already.`,
      `Change that one and run \`silas skills install ${oneLine(name)}\`, or remove it first.`,
    ),
  skill_active: ({ name }) => refused(`Exactly this version of ${oneLine(name)} is installed and active.`),
  skill_invalid: ({ name, report }) =>
    refused(
      `The skill ${oneLine(name)} cannot be installed: ${report.problems.length === 1 ? "1 problem" : `${report.problems.length} problems`}. ${oneLine(report.problems.slice(0, 3).map(skillFindingWords).join(" "))}`,
      "`silas skills check` shows all of them.",
    ),
};

/** Which skill, and why it cannot be used, without an end. */
export const skillUnusableWords = ({ name, reason, about }: Omit<SkillUnusable, "code">): string =>
  oneLine(`The skill ${name} cannot be used: ${UNUSABLE_REASONS[reason]}${about === "" ? "" : ` ${about}`}`);
