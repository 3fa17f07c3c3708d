import type { JsonValue } from "#base";
import type { ConfigGroup, ConfigOf, SearchGrant } from "#model";

/** What a tool does to the world, at most. `run` starts a program of somebody else, `ask` waits for the owner. */
type Effect = "read" | "write" | "run" | "ask" | "send";

/** Who may call a tool: a step of a plan, or a model in one of its roles. */
export type Caller = "plan" | "executor" | "planner";

/** A path that a call names. `isFolder`: the whole workspace may be meant, written as a dot. */
type Place = {
  readonly key: string;
  readonly path: string;
  readonly access: "read" | "write";
  readonly isFolder?: true;
};
/** What a call reaches by its own words. A program that it runs is held by the sandbox instead. */
type Touches = { readonly places: readonly Place[]; readonly hosts: readonly string[] };

type RiskFacts = {
  /** Places outside of the workspace that may be changed. */
  readonly writable: readonly string[];
  /** Whether a program ran in this workspace before. */
  readonly hasRunProgram: boolean;
};

/** What a sandbox is asked to run: program and arguments, and the text on its standard input. */
export type SandboxCall = {
  readonly argv: readonly string[];
  readonly stdin: string | null;
  /** The one search its program may ask for. */
  readonly search?: SearchGrant;
  /** The script of a skill that is run; what it reads on its standard input is made of this where the skill is known. */
  readonly script?: SkillArguments;
};
export type SkillArguments = {
  readonly skill: string;
  readonly file: string;
  readonly connection: string | null;
  readonly permissions: readonly string[];
  readonly input: { readonly [name: string]: JsonValue };
};

/** Arguments under their names on the wire, by which gates, envelopes and receipts know them. */
export type ArgumentsOf<G> =
  G extends ConfigGroup<infer C> ? { readonly [K in keyof C & string]: ConfigOf<C[K]> } : never;

type Facts = {
  readonly origin: "core" | "skill";
  readonly version: number;
  /** For a model: what it does and when to use it. */
  readonly description: string;
  /** For a model: what comes back. All of it is text from outside, whatever it claims. */
  readonly output: string;
  /**
   * Whether a call that was interrupted may be made again: it finds done what it did, and adds nothing. In the workspace
   * means only there, because that is made anew.
   */
  readonly repeatable: "always" | "in_workspace" | "never";
  /** What must be set up before the tool exists at all. */
  readonly needs?: "search";
  /** The same tool with a script of a skill in place of a program of the plan's own. */
  readonly ofSkill?: Tool;
};

/** What is asked of the owner, and what of it an answer is bound to. */
type Question<A> = {
  readonly kind: "decision" | "draft_review";
  isAnswerable(args: A): boolean;
  /** What was signed says exactly this. */
  signed(args: A): object;
};

type Behaviour<A> = {
  touches(args: A): Touches;
  /** Why a call that a model chose needs an approval of its own; null for what stays inside. [APPR-23] [INV-10] */
  risk(args: A, facts: RiskFacts): string | null;
  /** The words of a call as a person is shown them. */
  shown(args: A): readonly string[];
  /** What a call is about, in a few words that follow the tool's name. */
  subject(args: A): string;
  /** What a sandbox runs for it; null for a tool that runs no program. Nothing in it is ever read by a shell. */
  program(args: A): SandboxCall | null;
};

/**
 * One tool. Its methods take the arguments as its own `input` reads them, and no other.
 * INVARIANT: a call is made by the parser alone, which reads the arguments by the entry of the tool that it names.
 */
export type Tool<
  N extends string = string,
  G extends ConfigGroup = ConfigGroup,
  C extends Caller = Caller,
  E extends Effect = Effect,
> = Facts &
  Behaviour<ArgumentsOf<G>> & {
    readonly name: N;
    readonly input: G;
    readonly effect: E;
    readonly offeredTo: readonly C[];
    readonly asks?: Question<ArgumentsOf<G>>;
  };

type Own<T extends Tool> = Omit<T, keyof Behaviour<object>> & Partial<Pick<T, keyof Behaviour<object>>>;

/** A tool, with what follows for most of them from their places and their effect. */
export function defineTool<
  const N extends string,
  G extends ConfigGroup,
  const C extends Caller,
  const E extends Effect,
>(own: Own<Tool<N, G, C, E>>): Tool<N, G, C, E> {
  const touches = own.touches ?? (() => NOTHING);
  return {
    touches,
    risk: (args, facts) => riskOf({ effect: own.effect, places: touches(args).places }, facts),
    shown: (args) => [own.name, ...touches(args).places.map(({ path }) => path)],
    subject: (args) => touches(args).places[0]?.path ?? "",
    program: () => null,
    ...own,
  };
}

const NOTHING: Touches = { places: [], hosts: [] };
export const reaching = (...places: readonly Place[]): Touches => ({ places, hosts: [] });

type Reach = { readonly effect: Effect; readonly places: readonly Place[] };

/** A table of effects and places; nothing that a model says about its call counts. */
function riskOf({ effect, places }: Reach, { writable, hasRunProgram }: RiskFacts): string | null {
  // Without a place to change, everything that any tool does ends with the workspace.
  if (writable.length === 0) return null;
  if (effect === "run") return `it runs a program that can change ${writable.join(", ")}`;
  const writes = places.filter(({ access }) => access === "write");
  const outside = writes.find(({ path }) => path.startsWith("/"));
  if (outside !== undefined) return `it changes ${outside.path}, outside of its workspace`;
  // A program may have left a name in the workspace that leads to such a place.
  return writes.length > 0 && hasRunProgram ? "it changes a file after a program has run" : null;
}
