/** Every tidy check by the sentence it is reported under. */
import { absenceIsNotPolled } from "./absence.ts";
import {
  decisionsAreNumbered,
  documentsHaveOneTitle,
  linksResolve,
  thePictureIsPrinted,
  theToolsArePrinted,
} from "./documents.ts";
import { everyExportHasAnImporter, productCodeHasAProductUser } from "./exports.ts";
import { everyKindIsSentAndRead } from "./kinds.ts";
import {
  dependenciesAreDecided,
  lockfilesAreWhole,
  lockfilesNameNoAddress,
  namedCommandsExist,
  nothingNamesAMachine,
  versionsArePinned,
} from "./manifest.ts";
import { type Check } from "./project.ts";
import { everyFileIsReached } from "./reach.ts";
import { walksNameFunctions } from "./walks.ts";
import { everyTableIsUsed } from "./tables.ts";
import { guaranteesAreShown, listedRulesAreProven, provenRulesAreListed, rulesAreListedOnce } from "./rule-ids.ts";
import {
  filesAreShort,
  foldersAreSmall,
  functionsAreShort,
  parametersAreNamed,
  sourcesAreUnderstood,
} from "./sizes.ts";
import { onlyChannelsListen, onlyTheGatewayConnects } from "./sockets.ts";
import {
  doorsMatchTheManifest,
  doorsOpenWithTheirComment,
  everyFileHasARoom,
  everyRoomExists,
  heavyPartsAreAskedFor,
  importsLeadToFiles,
  importsRespectTheWalls,
} from "./walls.ts";
import {
  coreIsPure,
  exportsAreNamed,
  fileNamesNameANoun,
  identifiersNameANoun,
  nothingIsLeftUnfinished,
  objectsHaveNoThis,
} from "./words.ts";

export const CHECKS: Readonly<Record<string, Check>> = {
  "every source file has a room": everyFileHasARoom,
  "every room of the plan exists": everyRoomExists,
  "the doors in package.json are those of the plan": doorsMatchTheManifest,
  "imports go through doors and follow the plan": importsRespectTheWalls,
  "imports lead to files of the repository": importsLeadToFiles,
  "heavy parts of Node are asked for, not imported": heavyPartsAreAskedFor,
  "only channels listen": onlyChannelsListen,
  "only the gateway connects": onlyTheGatewayConnects,
  "a door is a comment and named re-exports": doorsOpenWithTheirComment,
  "the tidy reader understands every file": sourcesAreUnderstood,
  "files are short": filesAreShort,
  "folders are small": foldersAreSmall,
  "functions are short": functionsAreShort,
  "exported functions take named parameters": parametersAreNamed,
  "file names name a thing": fileNamesNameANoun,
  "identifiers name a thing": identifiersNameANoun,
  "core has no clock, no randomness and does not wait": coreIsPure,
  "exports are named": exportsAreNamed,
  "nothing is left unfinished": nothingIsLeftUnfinished,
  "only classes say this": objectsHaveNoThis,
  "browser tests do not poll for absence": absenceIsNotPolled,
  "every source file is reached from an entry point": everyFileIsReached,
  "every export has an importer": everyExportHasAnImporter,
  "product code has a user in the product": productCodeHasAProductUser,
  "every table has a writer and a reader": everyTableIsUsed,
  "every kind of message has a sender and a reader": everyKindIsSentAndRead,
  "a document has one title": documentsHaveOneTitle,
  "links in documents resolve": linksResolve,
  "the architecture picture is the printed one": thePictureIsPrinted,
  "the document of tools is the printed one": theToolsArePrinted,
  "the walks name functions that exist": walksNameFunctions,
  "decisions are numbered": decisionsAreNumbered,
  "versions are pinned": versionsArePinned,
  "commands that are named exist": namedCommandsExist,
  "dependencies have a decision": dependenciesAreDecided,
  "lockfiles name no address": lockfilesNameNoAddress,
  "lockfiles are whole": lockfilesAreWhole,
  "nothing names a machine": nothingNamesAMachine,
  "listed rules are proven": listedRulesAreProven,
  "proven rules are listed": provenRulesAreListed,
  "rules are listed once, under their topic": rulesAreListedOnce,
  "guarantees are shown by tests": guaranteesAreShown,
};
