/** The walls: who may import whom, only through doors, and what a door looks like. */
import { posix } from "node:path";
import { ROOMS, roomOf, type Room } from "../../scripts/house.ts";
import { isScript, isTest, lineAt, scriptsOf, type Check, type Violation } from "./project.ts";
import { importsOf, readSource } from "./source.ts";

export const everyFileHasARoom: Check = (project) =>
  [...project.keys()]
    .filter((path) => isScript(path) && roomOf(path) === null)
    .map((path) => ({ path, message: "belongs to no room of scripts/house.ts" }));

export const everyRoomExists: Check = (project) =>
  ROOMS.flatMap(({ name, paths, door }) =>
    [...paths, ...(door === null ? [] : [door])]
      .filter((own) => ![...project.keys()].some((path) => path === own || (own.endsWith("/") && path.startsWith(own))))
      .map((own) => ({ path: own, message: `is in the plan as part of ${name}, but does not exist` })),
  );

export const doorsMatchTheManifest: Check = (project) => {
  const manifest = JSON.parse(project.get("package.json") ?? "{}") as { imports?: Record<string, string> };
  const wanted = ROOMS.flatMap(({ name, door }) => (door === null ? [] : [`#${name} ./${door}`]));
  const present = Object.entries(manifest.imports ?? {}).map((entry) => entry.join(" "));
  const odd = [
    ...wanted.filter((door) => !present.includes(door)),
    ...present.filter((door) => !wanted.includes(door)),
  ];
  return odd.map((door) => ({ path: "package.json", message: `imports and the plan disagree about ${door}` }));
};

export const importsRespectTheWalls: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) => {
    const room = roomOf(path);
    if (room === null) return [];
    return importsOf(source).flatMap(({ specifier, index }) => {
      const message = judgeImport({ room, path, specifier });
      return message === null ? [] : [{ path: `${path}:${lineAt(source, index)}`, message }];
    });
  });

/** A file that git ignores is on this machine only; so is one that somebody forgot. */
export const importsLeadToFiles: Check = (project) =>
  scriptsOf(project).flatMap(([path, source]) =>
    importsOf(source)
      .filter(({ specifier }) => /^\.{1,2}\/.*\.(?:tsx?|mjs|js|css|json)$/.test(specifier))
      .filter(({ specifier }) => !project.has(posix.join(posix.dirname(path), specifier)))
      .map(({ specifier, index }) => ({
        path: `${path}:${lineAt(source, index)}`,
        message: `${specifier} is not a file of the repository`,
      })),
  );

const HEAVY = new Set(["node:http", "node:https", "node:crypto"]);

/** An import reads every export; some exports of these three load half of Node, and every start would wait for that. */
export const heavyPartsAreAskedFor: Check = (project) =>
  scriptsOf(project)
    .filter(([path]) => path.startsWith("src/") && !isTest(path))
    .flatMap(([path, source]) =>
      importsOf(source)
        .filter(({ specifier, index }) => HEAVY.has(specifier) && !/^import\s+type\b/.test(source.slice(index)))
        .map(({ specifier, index }) => ({
          path: `${path}:${lineAt(source, index)}`,
          message: `${specifier} is asked for with process.getBuiltinModule`,
        })),
    );

type Import = { readonly room: Room; readonly path: string; readonly specifier: string };

function judgeImport(found: Import): string | null {
  if (found.specifier.startsWith("#")) return judgeDoor(found);
  if (found.specifier.startsWith(".")) return judgePath(found);
  return judgePackage(found);
}

function judgeDoor({ room, path, specifier }: Import): string | null {
  const target = ROOMS.find(({ name, door }) => door !== null && `#${name}` === specifier);
  if (target === undefined) return `${specifier} is not the door of a room`;
  if (target === room) return `${specifier} is this file's own room; import its neighbour by a relative path`;
  return judgeDirection({ room, path, target });
}

function judgePath({ room, path, specifier }: Import): string | null {
  if (isFixture(specifier) && !isTest(path)) return `${specifier} is for tests only`;
  const targetPath = posix.join(posix.dirname(path), specifier.replace(/[?].*$/, ""));
  const target = roomOf(targetPath);
  if (target === room || isManifest(targetPath)) return null;
  if (target === null) return `${specifier} leads out of the house`;
  // bench has a manifest of its own, in which the # names of this one do not exist; a door is still the only way in.
  const isByDoor = room.name === "bench" && targetPath === target.door;
  if (!isByDoor && !(target.name === "scripts" && isTest(path)) && !(isTest(path) && target.name === "test")) {
    return `${specifier} leaves the room; other rooms are entered by their # door`;
  }
  return judgeDirection({ room, path, target });
}

const isFixture = (specifier: string): boolean => /\.(?:fixture|test)\.tsx?$/.test(specifier);

const isManifest = (path: string): boolean => path === "package.json";

function judgeDirection({ room, path, target }: { room: Room; path: string; target: Room }): string | null {
  // A test may look through any door: it proves how rooms fit together.
  if (isTest(path) || room.mayImport.includes(target.name)) return null;
  return `${room.name} may not import ${target.name}`;
}

function judgePackage({ room, path, specifier }: Import): string | null {
  if (room.packages === null || isTest(path)) return null;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  return room.packages.includes(name) ? null : `${room.name} may not import the package ${name}`;
}

const DOOR_LINES = { min: 5, max: 15 } as const;

export const doorsOpenWithTheirComment: Check = (project) =>
  ROOMS.flatMap(({ door }): readonly Violation[] => {
    const source = door?.endsWith("/index.ts") ? project.get(door) : undefined;
    return door === null || source === undefined ? [] : judgeDoorFile(door, source);
  });

function judgeDoorFile(path: string, source: string): readonly Violation[] {
  const comment = /^\/\*\*[^]*?\*\//.exec(source)?.[0] ?? "";
  // The opening and closing marks say nothing and do not count.
  const lines = comment === "" ? 0 : comment.split("\n").length - 2;
  const { text } = readSource(source);
  const rest = text.replace(/export\s+(?:type\s+)?\{[^}]*\}\s*from\s*["'][^"']+["'];?/g, "").trim();
  return [
    ...(lines < DOOR_LINES.min || lines > DOOR_LINES.max
      ? [{ path, message: `opens with a comment of ${lines} lines; a door says in 5 to 15 what the room is` }]
      : []),
    ...(rest === "" ? [] : [{ path, message: `holds more than named re-exports: ${rest.slice(0, 60)}` }]),
  ];
}
