import { plural } from "./plural.ts";

type Chosen = { readonly chosen: number; readonly all: number };

/** What the known actions are called, with what they are done to. */
const ACTIONS: { readonly [action: string]: { readonly verb: string; readonly one: string; readonly many: string } } = {
  move_files: { verb: "Move", one: "file", many: "files" },
};

/** The catalogue's part about batches; only Review loads it. */
export const batchWords = {
  items: "Items of this batch",
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
  sure: (share: number) => `${Math.round(share * 100)} % sure`,
  nothingChosen: "Choose at least one, or decline.",
  part: "Only what is ticked is signed, as a batch of its own. The rest stays as it is.",
  changed: "Selection changed. Only what is ticked is signed, as a new approval. The rest stays as it is.",
  /** The choice names what would happen to how many. */
  act: (action: string, { chosen, all }: Chosen): string => {
    const known = ACTIONS[action];
    const count = chosen === all ? `${all}` : `${chosen} of ${all}`;
    if (known === undefined) return `Approve: ${action}, ${count} ${all === 1 ? "item" : "items"}`;
    return `${known.verb} ${count} ${all === 1 ? known.one : known.many}`;
  },
  saidLeftOut: (count: number) => `${plural(count, { one: "item is", many: "items are" })} left as before.`,
  selectionDiffers: "What came back is not what was ticked. Nothing was signed.",
};
