type Group = { readonly from: number; readonly text: string };

/** A code in pieces an eye can hold, such as `WDJB MJHT`; one that comes in pieces keeps its own. */
export function codeGroups(code: string): readonly Group[] {
  if (!/^[A-Za-z0-9]{6,}$/.test(code)) return [{ from: 0, text: code }];
  const size = code.length % 4 === 0 ? 4 : 3;
  const starts = Array.from({ length: Math.ceil(code.length / size) }, (_, number) => number * size);
  return starts.map((from) => ({ from, text: code.slice(from, from + size) }));
}

/** The characters one by one, for whoever hears them. */
export const spelledOut = (code: string): string => [...code].join(" ");
