import { MOVE_FILES, parsePayload, payloadProjection, projectBatch, readMoveFiles, type KeptRequest } from "#model";

/** What a batch would do, one line for each item by its number, from what is signed; what is unusual says why. */
export function batchLines({ kind, markdown, projection }: KeptRequest): readonly string[] {
  const read = kind === "batch_review" ? parsePayload(markdown) : null;
  if (read === null || !read.ok || read.value.kind !== "batch_review") return [];
  const proposal = read.value;
  if (proposal.action !== MOVE_FILES || payloadProjection(proposal) !== projection) return [];
  const ways = readMoveFiles(projectBatch(proposal));
  if (!ways.ok) return [];
  const { folder, moves } = ways.value;
  const unusual = new Map(proposal.items.map(({ item_id: id, flags = [], reason }) => [id, { flags, reason }]));
  return [
    `in ${folder}`,
    ...moves.map(({ item_id: id, from, to }) => {
      const { flags = [], reason = "" } = unusual.get(id) ?? {};
      return `${id}. ${from} -> ${to}${flags.length > 0 ? `   (unusual: ${reason})` : ""}`;
    }),
  ];
}
