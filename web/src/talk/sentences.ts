/** Where the last whole sentence of a text ends: behind its mark and a space, or at a line break. 0 where there is none. */
export function sentencesEnd(text: string): number {
  let end = 0;
  for (const { index, 0: mark } of text.matchAll(/[.!?…]["')\]]*\s|[。！？]|\n/gu)) end = index + mark.length;
  return end;
}
