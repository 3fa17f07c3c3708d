/**
 * What `node --import` reads first in a process that runs Silas's files without being its command: own modules are found
 * there as the command finds them, which takes a third off such a start.
 */
import manifest from "../../package.json" with { type: "json" };
import { findOwnModules } from "./own-modules.ts";

findOwnModules(manifest.imports);
