import { oneLine } from "#base";

/** Why a folder was not looked at. Nothing was asked and nothing was changed. */
export type FolderFault = "not_absolute" | "not_grantable" | "missing" | "is_link" | "not_a_folder" | "holds_silas";
export type TidyRefused =
  | { readonly code: "folder_refused"; readonly folder: string; readonly reason: FolderFault }
  | { readonly code: "folder_unreadable"; readonly folder: string };

type Said = { readonly what: string; readonly kept: string; readonly next: string };
type Table = { readonly [C in TidyRefused["code"]]: (error: Extract<TidyRefused, { readonly code: C }>) => Said };
const KEPT = "Nothing was proposed and nothing was moved.";

const FAULTS: { readonly [F in FolderFault]: string } = {
  not_absolute: "its path is not a plain one from the root",
  not_grantable: "no plan may reach there, because it belongs to the system",
  missing: "it does not exist",
  is_link: "its path goes through a link",
  not_a_folder: "it is no folder",
  holds_silas: "Silas keeps its own files there",
};

export const TIDY_WORDS: Table = {
  folder_refused: ({ folder, reason }) => ({
    what: `The folder ${oneLine(folder)} cannot be tidied: ${FAULTS[reason]}.`,
    kept: KEPT,
    next: reason === "is_link" ? "Name the folder that the link leads to." : "Name another folder.",
  }),
  folder_unreadable: ({ folder }) => ({
    what: `The folder ${oneLine(folder)} cannot be read.`,
    kept: KEPT,
    next: "Look at its permissions, then try again.",
  }),
};
