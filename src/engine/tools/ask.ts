import { err, ok, type Result } from "#base";
import type { Payload } from "#model";
import type { AskingCall } from "#tools";

type Decision = Extract<Payload, { readonly kind: "decision" }>;
type Question = Decision | Extract<Payload, { readonly kind: "draft_review" }>;
/** A question is asked once, under an id of its own. */
type QuestionMaker = (operationId: string) => Question;

type Asking = {
  /** Which step of which run asks. */
  readonly place: Omit<Decision, "kind" | "operation_id" | "question" | "options" | "allow_freetext" | "file">;
  /** A text of the workspace as a card can show it; refused with words. */
  readonly draftAt: (file: string) => Promise<Result<string, string>>;
};
type Performed = Promise<Result<QuestionMaker, string>>;
type ArgumentsOf<T extends AskingCall["tool"]> = Extract<AskingCall, { readonly tool: T }>["args"];

/** What each tool without a program does in its place: it makes the question that the owner is asked. */
const PERFORM = {
  async ask_owner({ question, options, freetext, file }: ArgumentsOf<"ask_owner">, { place }: Asking): Performed {
    const tapped = options.map((option) => ({ ...option, approval_tier: "tap" as const }));
    const asked = { ...place, question, options: tapped, allow_freetext: freetext, file };
    return ok((operationId) => ({ kind: "decision", operation_id: operationId, ...asked }));
  },
  async review_draft(
    { path: file, about: context }: ArgumentsOf<"review_draft">,
    { place, draftAt }: Asking,
  ): Performed {
    const draft = await draftAt(file);
    if (!draft.ok) return err(draft.error);
    const shown = { ...place, context, draft: draft.value, file };
    return ok((operationId) => ({ kind: "draft_review", operation_id: operationId, ...shown }));
  },
} satisfies { readonly [T in AskingCall["tool"]]: (args: ArgumentsOf<T>, asking: Asking) => Performed };

type Asker = { perform(args: AskingCall["args"], asking: Asking): Performed };

/** Refused with words: what is to be asked has no form that a card can show. */
export function performAsk({ tool, args }: AskingCall, asking: Asking): Performed {
  const asker: Asker = { perform: PERFORM[tool] };
  return asker.perform(args, asking);
}
