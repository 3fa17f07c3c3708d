import { gateSchemas } from "#model";
import { foldForWords } from "./folded.ts";
import { validatorKind } from "./validator.ts";

/**
 * Phrases that try to talk an assistant out of its rules. It knows the usual wording and no more: a paraphrase passes.
 * What keeps Silas safe is that nothing runs without a signature; this spares a person the crude attempts.
 */
export const jailbreakValidator = validatorKind({
  schema: gateSchemas.jailbreak,
  takes: "on_fail: exception; there is nothing to fix",
  create: () => (text) =>
    isJailbreak(text)
      ? { state: "failed", message: "The text tries to change the rules Silas works by" }
      : { state: "passed" },
});

function isJailbreak(text: string): boolean {
  if (MARKERS.some((marker) => marker.test(text))) return true;
  const words = foldForWords(text);
  return PHRASES.some((phrase) => phrase.test(words));
}

/** Marks that only a chat format writes between its roles. */
const MARKERS = [
  /<\|(?:im_start|im_end|system|endoftext|start_header_id)\|>/i,
  /\[\/?INST\][^\n]{0,200}(?:<<SYS>>|ignore|disregard)/i,
  /<<\/?SYS>>/,
  /<\/?(?:system|system_prompt|developer_message)>\s{0,20}(?:you|ignore|new|override)/i,
];

const ANY = "(?: [a-z0-9]+){0,3}";
const OVERRIDE = "(?:ignore|disregard|forget|override|bypass|overwrite|discard|drop|skip|neglect)";
const EARLIER = "(?:previous|prior|above|earlier|preceding|former|original|initial|existing|system|developer|safety)";
const RULES =
  "(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|constraints?|restrictions?|policies|training|safeguards|guardrails)";
const FREE = "(?:unrestricted|unfiltered|uncensored|unlimited|jailbroken|amoral|unaligned|unethical)";

/** Over folded words: lower case, one space between words, nothing else. Every gap is bounded. */
const PHRASES = [
  `\\b${OVERRIDE}${ANY} ${EARLIER}${ANY} ${RULES}\\b`,
  `\\b${OVERRIDE} (?:all|any|every|each|the|these|those|your|all your|all of your|all the|any of your) ${RULES}\\b`,
  `\\b${OVERRIDE} (?:everything|anything|all) (?:above|before this|you were told|you have been told|that was said before|said above)\\b`,
  "\\bdo not (?:follow|obey|listen to) (?:your|the|any)(?: [a-z]+){0,2} (?:instructions|rules|guidelines|restrictions|system prompt)\\b",
  "\\b(?:stop|quit) (?:following|obeying) (?:your|the|all|any)(?: [a-z]+){0,2} (?:instructions|rules|guidelines|restrictions)\\b",
  "\\b(?:reveal|show|print|repeat|output|display|leak|expose|recite|disclose|dump|give|tell|write out)(?: me| us)?(?: [a-z]+){0,3} (?:system prompt|hidden prompt|hidden instructions|initial prompt|initial instructions|original prompt|secret instructions|developer message)\\b",
  "\\byou are (?:now |from now on )?(?:dan|stan|aim|dude|jailbroken|in developer mode|in god mode|free of (?:all )?(?:rules|restrictions))\\b",
  "\\bdo anything now\\b",
  "\\b(?:enable|enter|activate|switch to|turn on) (?:the )?(?:developer|god|jailbreak|dan|sudo|debug|unrestricted|admin) mode\\b",
  "\\b(?:developer|god|jailbreak|dan|unrestricted) mode (?:enabled|activated|is on|on)\\b",
  `\\b(?:act|behave|respond|answer|reply|pretend|roleplay|role play|operate)(?: to be)?(?: as| like)?(?: if you (?:are|were))?(?: an?)? ${FREE}(?: [a-z]+){0,2} (?:ai|assistant|model|chatbot|bot|agent|version)\\b`,
  `\\byou are(?: now)?(?: an?)? ${FREE}(?: [a-z]+){0,2} (?:ai|assistant|model|chatbot|bot|agent)\\b`,
  "\\b(?:pretend|imagine|act as if|act like|assume|behave as if)(?: that)? (?:you|there) (?:have|has|had|are|were|is)(?: [a-z]+){0,3} (?:no|not bound by|free of|free from|without)(?: [a-z]+){0,2} (?:restrictions|rules|filters|guidelines|limits|limitations|safety|policies|ethics|morals)\\b",
  "\\b(?:without|with no) (?:any )?(?:ethical|moral|safety|content) (?:restrictions|filters|guidelines|limits|limitations|constraints) (?:answer|respond|reply|tell|explain|write)\\b",
  "\\b(?:your|the) (?:new|real|true|actual) (?:instructions|rules|system prompt|directive) (?:are|is)\\b",
  "\\b(?:new|updated|revised) (?:system|developer) (?:prompt|message|instructions?) (?:you|ignore|from now|your|the assistant)\\b",
  "\\b(?:no longer|not) bound by (?:your|any|the)(?: [a-z]+){0,2} (?:rules|guidelines|restrictions|policies|instructions)\\b",
  "\\bignore(?: ?(?:all|any|the|your|my)){0,4} ?(?:previous|prior|above|earlier) ?(?:instructions?|prompts?|rules?|messages?)",
  "\\b(?:ignoriere|vergiss|missachte)(?: [a-z]+){0,3} (?:vorherigen|vorigen|bisherigen|obigen|fruheren|deine|alle)(?: [a-z]+){0,2} (?:anweisungen|regeln|vorgaben|instruktionen)\\b",
  "\\b(?:ignore|ignorez|oublie|oubliez)(?: [a-z]+){0,2} (?:instructions|consignes|regles)(?: [a-z]+){0,1} (?:precedentes|anterieures|ci dessus)\\b",
  "\\b(?:ignora|olvida|omite)(?: [a-z]+){0,2} (?:instrucciones|reglas|indicaciones)(?: [a-z]+){0,1} (?:anteriores|previas)\\b",
  "\\b(?:ignora|dimentica)(?: [a-z]+){0,2} (?:istruzioni|regole)(?: [a-z]+){0,1} (?:precedenti)\\b",
  "\\b(?:ignore|esqueca)(?: [a-z]+){0,2} (?:instrucoes|regras)(?: [a-z]+){0,1} (?:anteriores)\\b",
].map((source) => new RegExp(source, "u"));
