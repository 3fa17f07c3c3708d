import { oneLine } from "#base";
import { skillFindingWords, type SkillCheck, type SkillView } from "#model";
import { showMoment } from "../terminal/local-time.ts";

/** What was found in a folder, as lines; problems first. */
export function describeCheck({ name, description, treeDigest, files, env, report }: SkillCheck): readonly string[] {
  const { problems, notes } = report;
  return [
    oneLine(`${name}: ${problems.length === 0 ? "a skill that can be installed" : counted(problems.length)}`),
    ...problems.map((finding) => oneLine(`  ! ${skillFindingWords(finding)}`)),
    ...notes.map((finding) => oneLine(`  - ${skillFindingWords(finding)}`)),
    ...(description === "" ? [] : [oneLine(`description ${description}`)]),
    `digest      ${treeDigest}`,
    ...(env.length === 0 ? [] : [oneLine(`reads       ${env.join(", ")}`)]),
    ...files.map(({ path, size, executable, sha256 }) =>
      oneLine(`${sha256.slice(0, 12)}  ${String(size).padStart(8)}  ${executable ? "x" : "-"}  ${path}`),
    ),
  ];
}

const counted = (problems: number): string => (problems === 1 ? "1 problem" : `${problems} problems`);

export const skillRow = ({ name, state, why, treeDigest, installedAt }: SkillView): readonly string[] => [
  name,
  state,
  why,
  treeDigest?.slice(0, 12) ?? "",
  installedAt === null ? "" : showMoment(installedAt),
];
