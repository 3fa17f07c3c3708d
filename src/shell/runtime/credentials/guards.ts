import { err, ok, oneLine, type Result } from "#base";
import { sandboxWords } from "#model";
import type { SandboxSpace } from "#ports";
import { findInFiles, type Places } from "../work/artifacts.ts";
import { guardSpace, handInto } from "./guard-space.ts";
import type { HeldCredentials, NamingCredentials, RunCredentials, WorkWithSteps } from "./run-credentials.ts";
import { findInPlaces, madeAt, type WrittenPlaces } from "./written-files.ts";

type Opened = Promise<Result<SandboxSpace, string>>;

/** The secrets of runs, by the space in which a run may show them. A run without any is as it would be without this. */
type Guards = {
  /** Nothing is opened before everything the plan names can be had. */
  open(work: GuardedWork, openIt: () => Opened): Opened;
  /** The space as one step finds it. */
  asStep(space: SandboxSpace, step: { readonly envelope: NamingCredentials }): SandboxSpace;
  /** Why nothing of these files may be kept; null when they may be. Places the plan may change are looked at too. */
  problemIn(space: SandboxSpace, places: Places): Promise<string | null>;
  /** The same names, those that show a secret left out. */
  clearNames(space: SandboxSpace, names: readonly string[]): readonly string[];
};

type GuardedWork = WorkWithSteps & { readonly files: { readonly write: readonly string[] } };
type Guarded = { readonly held: HeldCredentials; readonly written: WrittenPlaces };

export function createGuards(credentials: RunCredentials): Guards {
  const guarded = new WeakMap<SandboxSpace, Guarded>();
  return {
    async open(work, openIt) {
      const held = await credentials.take(work);
      if (!held.ok) return err(`Nothing could run: ${held.error}`);
      const opened = await openIt();
      if (held.value === null) return opened;
      if (!opened.ok) {
        held.value.letGo();
        return opened;
      }
      const space = guardSpace(opened.value, held.value);
      const written = { places: work.files.write, sinceNs: await madeAt(space.workspace) };
      guarded.set(space, { held: held.value, written });
      return ok(space);
    },
    asStep(space, { envelope }) {
      const held = guarded.get(space)?.held;
      return held === undefined ? space : handInto(space, { held, envelope });
    },
    async problemIn(space, places) {
      const guard = guarded.get(space);
      if (guard === undefined) return null;
      const { find, traceBytes: overlapBytes, withheld } = guard.held;
      const left = await findInFiles({ workspace: space.workspace, places }, { find, overlapBytes });
      const written = left === null ? await findInPlaces(guard.written, { find, overlapBytes }) : null;
      const found = left ?? written?.found ?? null;
      if (found === null) return null;
      await withheld(found);
      if (written === null) return sandboxWords({ code: "sandbox_output_withheld", refId: found }).what;
      return `it wrote the secret ${found} to a file in ${oneLine(written.place)}, which is still there: remove it and change the secret`;
    },
    clearNames(space, names) {
      const held = guarded.get(space)?.held;
      const isClear = (name: string): boolean => held === undefined || held.find(Buffer.from(name)) === null;
      return names.map((name) => (isClear(name) ? name : "(withheld)"));
    },
  };
}
