/** A small project that breaks a tidy check, and one that keeps it. */
export type Files = Readonly<Record<string, string>>;
export type Sample = { readonly bad: readonly Files[]; readonly good: Files };

export const manifest = (content: object): Files => ({ "package.json": JSON.stringify(content) });
