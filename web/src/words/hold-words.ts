/** The catalogue's part about a database that may be older than the last one. */
export const holdWords = {
  accept: "Accept this database",
  accepting: "Accepting",
  ask: "Void every unused approval?",
  restore: "To go back, stop Silas and put the newer silas.db in its place, or restore a backup:",
  restoreCommand: "silas restore <backup>",
  noKey: "This browser cannot sign yet. Accept at the terminal:",
  acceptCommand: "silas audit accept",
  accepted: "Accepted. Every unused approval is void.",
  failed: "It was not accepted: Silas cannot be reached.",
};
