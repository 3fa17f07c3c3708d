/** The global set in which marked code leaves its number, and the file that the numbers of a test file are kept in. */
export const REACHED_MARKS = "silasReachedMarks";
export const REACHED_FILE = "SILAS_REACHED_FILE";
