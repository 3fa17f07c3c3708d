import { plural } from "./plural.ts";

type Chosen = { readonly chosen: number; readonly all: number };

/** What the known actions are called, with what they are done to. */
const ACTIONS: { readonly [action: string]: { readonly verb: string; readonly one: string; readonly many: string } } = {
  move_files: { verb: "Move", one: "file", many: "files" },
};

/** Known words that are said of things as they are; any other is the domain's and stands apart. */
const PLAIN_ACTIONS: ReadonlySet<string> = new Set(["archive", "unarchive", "label", "unlabel", "move", "delete"]);

/** What is unusual about an item, by the code it was flagged with; a code of another domain is shown as it is. */
const FLAGS: { readonly [flag: string]: string } = {
  hidden: "Hidden by its name",
  executable: "A program",
  very_large: "Very large",
  changed_recently: "Changed within the last hour",
  no_extension: "Its name has no ending",
  unknown_kind: "Its ending is not known",
  odd_characters: "Unusual characters in its name",
  same_bytes: "Another file here has the same bytes",
  name_taken: "Its name is taken there",
  low_confidence: "Not sure what it is",
};

/** The catalogue's part about batches; only Review loads it. */
export const batchWords = {
  items: "Items of this batch",
  places: "Where it might go",
  usual: (count: number) => `${count} usual`,
  usualOnly: "Usual only",
  all: "All",
  none: "None",
  choose: "Choose",
  flaggedRest: (count: number) => `${count} more to look at`,
  chosen: ({ chosen, all }: Chosen) => `${chosen} of ${all} chosen`,
  show: "Show each",
  hide: "Show fewer",
  goesTo: "goes to",
  flags: (flags: readonly string[]): string =>
    flags.map((flag) => (Object.hasOwn(FLAGS, flag) ? FLAGS[flag] : flag.replaceAll("_", " "))).join(". "),
  sure: (share: number) => `${Math.round(share * 100)} % sure`,
  noPlace: "Choose a place, or leave it where it is.",
  place: "The place you chose is signed, as a batch of this one file.",
  nothingChosen: "Choose at least one, or decline.",
  part: "Only what is ticked is signed, as a batch of its own. The rest stays as it is.",
  changed: "Selection changed. Only what is ticked is signed, as a new approval. The rest stays as it is.",
  /** The choice names what would happen to how many. */
  act: (action: string, { chosen, all }: Chosen): string => {
    if (action === "choose_move") return "Move it there";
    const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    const count = chosen === all ? `${all}` : `${chosen} of ${all}`;
    if (known === undefined) {
      return `Approve: ${action}${PLAIN_ACTIONS.has(action) ? "" : ","} ${count} ${all === 1 ? "item" : "items"}`;
    }
    return `${known.verb} ${count} ${all === 1 ? known.one : known.many}`;
  },
  saidLeftOut: (count: number) => `${plural(count, { one: "item is", many: "items are" })} left as before.`,
  selectionDiffers: "What came back is not what was ticked. Nothing was signed.",
};
