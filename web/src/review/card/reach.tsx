import type { ReactNode } from "react";
import type { ShownPlan, ShownTask } from "#model";
import { Line } from "../../parts/text.tsx";
import { words } from "../../words.ts";
import styles from "./details.module.css";

/**
 * What a plan and its tasks may reach, read from the signed text: each argument of a command stands in a box of its own,
 * and a command of a task says whose it is.
 */
export function PlanReach({ plan }: { readonly plan: ShownPlan }): ReactNode {
  const works: readonly ShownTask[] = [plan, ...plan.children.filter((child) => child !== null)];
  const named = (pick: (reach: ShownTask["capabilities"]) => readonly string[]): readonly string[] => [
    ...new Set(works.flatMap(({ capabilities }) => pick(capabilities))),
  ];
  const commands = works.flatMap((work) =>
    work.capabilities.commands.map((command) => ({
      ...command,
      by: work === plan ? byWords(command.by) : `${work.id}, ${byWords(command.by)}`,
    })),
  );
  const uses = named(({ connections }) =>
    connections.map(({ skill, permissions, connection_id: id }) => `${skill}: ${permissions.join(", ")} (${id})`),
  );
  return (
    <>
      <Group name={words.card.commands} empty={words.card.noCommands}>
        {withPlaces(commands).map(({ place, each: { by, argv, network } }) => (
          <li key={place} className={styles["command"]}>
            <code>
              {withPlaces(argv).map(({ place: at, each: word }) => (
                <span key={at} className={styles["word"]}>
                  <Line text={word === "" ? " " : word} />
                </span>
              ))}
            </code>
            <span className={styles["soft"]}>
              <Line text={by} />, {network ? words.card.network : words.card.noNetwork}
            </span>
          </li>
        ))}
      </Group>
      <Names name={words.card.files} empty={words.card.noFiles} of={named(({ files }) => files)} />
      <Names name={words.card.filesRead} empty={words.card.noFilesRead} of={named(({ files_read: read }) => read)} />
      <Names
        name={words.card.filesWrite}
        empty={words.card.noFilesWrite}
        of={named(({ files_write: write }) => write)}
      />
      <Names name={words.card.hosts} empty={words.card.noHosts} of={named(({ hosts }) => hosts)} />
      <Names name={words.card.secrets} empty={words.card.noSecrets} of={named(({ secret_refs: refs }) => refs)} />
      {uses.length > 0 && <Names name={words.card.connections} empty="" of={uses} />}
      <Skills skills={works.flatMap(({ skill_digests: digests }) => digests)} />
    </>
  );
}

/** Whose command it is: the signed text says `verify:it is there`. */
function byWords(by: string): string {
  const [kind = "", ...name] = by.split(":");
  return kind in words.card.by ? words.card.by[kind as keyof typeof words.card.by](name.join(":")) : by;
}

type SkillsProps = { readonly skills: readonly { readonly name: string; readonly sha256: string | null }[] };

function Skills({ skills }: SkillsProps): ReactNode {
  return (
    <Group name={words.card.skills} empty={words.card.noSkills}>
      {withPlaces(skills).map(({ place, each: { name, sha256 } }) => (
        <li key={place}>
          <code>
            <Line text={name} />
          </code>
          <span className={styles["soft"]}>{sha256 === null ? words.card.unfixed : <code>{sha256}</code>}</span>
        </li>
      ))}
    </Group>
  );
}

type NamesProps = { readonly name: string; readonly empty: string; readonly of: readonly string[] };

function Names({ name, empty, of }: NamesProps): ReactNode {
  return (
    <Group name={name} empty={empty}>
      {withPlaces(of).map(({ place, each }) => (
        <li key={place}>
          <code>
            <Line text={each} />
          </code>
        </li>
      ))}
    </Group>
  );
}

type GroupProps = { readonly name: string; readonly empty: string; readonly children: readonly ReactNode[] };

export function Group({ name, empty, children }: GroupProps): ReactNode {
  return (
    <section className={styles["group"]}>
      <h3>{name}</h3>
      {children.length === 0 ? <p className={styles["soft"]}>{empty}</p> : <ul>{children}</ul>}
    </section>
  );
}

/** A thing may stand in a list twice; only its place tells it apart. */
export const withPlaces = <T,>(list: readonly T[]): readonly { readonly place: number; readonly each: T }[] =>
  list.map((each, place) => ({ place, each }));
