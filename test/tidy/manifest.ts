/** What the manifest promises: decided and pinned dependencies, a lockfile for any registry, no traces of a machine. */
import { missingFrom, type Lockfile } from "../../scripts/complete-lockfile.ts";
import { type Check } from "./project.ts";

type Manifest = Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;

const KINDS = ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies"];

const manifestsOf = (project: ReadonlyMap<string, string>): readonly (readonly [string, Manifest])[] =>
  [...project]
    .filter(([path]) => /(?:^|\/)package\.json$/.test(path))
    .map(([path, text]) => [path, JSON.parse(text) as Manifest]);

export const versionsArePinned: Check = (project) =>
  manifestsOf(project).flatMap(([path, manifest]) =>
    KINDS.flatMap((kind) => Object.entries(manifest[kind] ?? {}))
      .filter(([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version))
      .map(([name, version]) => ({ path, message: `${name} is "${version}"; name one exact version` })),
  );

/** Whoever is told to run something finds it: what the product and its documents name is a script of the manifest. */
export const namedCommandsExist: Check = (project) => {
  const scripts = Object.keys((JSON.parse(project.get("package.json") ?? "{}") as Manifest)["scripts"] ?? {});
  return [...project].flatMap(([path, text]) =>
    /^(?:src\/|web\/src\/|docs\/|[A-Z]+\.md$)/.test(path) && !/\.(?:test|fixture)\.tsx?$/.test(path)
      ? [...text.matchAll(/\bnpm run ([a-z][\w:-]*)/g)]
          .map(([, name = ""]) => name)
          .filter((name) => !scripts.includes(name))
          .map((name) => ({ path, message: `there is no npm run ${name}` }))
      : [],
  );
};

export const dependenciesAreDecided: Check = (project) => {
  const records = [...project]
    .filter(([path]) => path.startsWith("docs/decisions/"))
    .map(([, text]) => text)
    .join("\n");
  return manifestsOf(project).flatMap(([path, manifest]) =>
    KINDS.flatMap((kind) => Object.keys(manifest[kind] ?? {}))
      .filter((name) => !records.includes(`\`${name}\``))
      .map((name) => ({ path, message: `no decision record says why ${name} is here` })),
  );
};

export const lockfilesNameNoAddress: Check = (project) =>
  [...project]
    .filter(([path]) => /(?:^|\/)package-lock\.json$/.test(path))
    .flatMap(([path, text]) => {
      const count = [...text.matchAll(/"resolved":/g)].length;
      return count === 0 ? [] : [{ path, message: `names ${count} download addresses; any registry should serve it` }];
    });

/** A lockfile that leaves out a platform is refused by `npm ci` on every platform. */
export const lockfilesAreWhole: Check = (project) =>
  [...project]
    .filter(([path]) => /(?:^|\/)package-lock\.json$/.test(path))
    .flatMap(([path, text]) =>
      missingFrom(JSON.parse(text) as Lockfile).map(({ name, askedBy }) => ({
        path,
        message: `lacks ${name}, which ${askedBy} asks for; run \`node scripts/complete-lockfile.ts\``,
      })),
    );

/** Spelled in halves so that this file is not its own first finding. */
const TRACES = new RegExp(
  [
    `(?<![\\w.-])/${"wo"}rk/(?:main|shared)`,
    `(?<![\\w.-])/${"ro"}ot/`,
    `(?<![\\w.-])/${"fa"}rm/`,
    `registry\\.${"npm"}`,
    `registry\\.${"yarn"}`,
    `\\.\\./${"sha"}red/(?:tools|rules|spec|[A-Z])`,
  ].join("|"),
);

export const nothingNamesAMachine: Check = (project) =>
  [...project].flatMap(([path, text]) =>
    text.split("\n").flatMap((line, index) => {
      const trace = TRACES.exec(line);
      return trace === null ? [] : [{ path: `${path}:${index + 1}`, message: `"${trace[0]}" is about one machine` }];
    }),
  );
